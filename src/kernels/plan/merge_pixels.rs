//! Turns the state of the output merger into the parameters of its kernel.

use bytemuck::{Pod, Zeroable};

use super::surface_layout::LayoutParameters;
use crate::arith::ordered;
use crate::kernels::memory_mirror::{Locate, MirrorWindow};
use crate::pipeline::{AlphaReference, MAX_COLOR_TARGETS, RopState, Targets};
use crate::recompiler::rop::merge_pixels::ZETA_SURFACE;

/// Invocations per workgroup: one per tile.
pub const TILES_PER_GROUP: u32 = 64;

/// One surface; see `wgsl/rop/merge_surface.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[expect(missing_docs, reason = "the WGSL twin describes the fields")]
pub struct MergeSurface {
    pub start: u32,
    pub bytes: u32,
    pub write_mask: u32,
    pub padding: u32,
    pub order: LayoutParameters,
}

/// All parameters; see `wgsl/rop/merge_surface.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[expect(missing_docs, reason = "the WGSL twin describes the fields")]
pub struct MergeParameters {
    pub zero: u32,
    pub tile_count: u32,
    pub alpha_reference: u32,
    pub first_tile: u32,
    pub depth_bounds: [u32; 2],
    pub first_count: u32,
    pub padding: u32,
    pub blend_constant: [u32; 4],
    pub float_blend_constant: [u32; 4],
    pub stencil: [[u32; 4]; 2],
    pub surfaces: [MergeSurface; MAX_COLOR_TARGETS + 1],
}

impl MergeParameters {
    /// The parameters of a draw's output merger over `tile_count` tiles.
    #[must_use]
    pub fn new(rop: &RopState, targets: &Targets, first_tile: u32, tile_count: u32, locate: Locate<'_>) -> Self {
        let surface = |window, layout, write_mask| {
            let MirrorWindow { start, bytes } = locate(window);
            MergeSurface { start, bytes, write_mask, padding: 0, order: LayoutParameters::new(layout) }
        };
        let mut parameters = Self { first_tile, tile_count, ..Self::default() };
        for (index, target) in targets.color.iter().enumerate() {
            if let Some(target) = target {
                let mask = target.format.write_masks(rop.color_mask[index], false)[0];
                parameters.surfaces[index] = surface(target.window, target.layout, mask);
            }
        }
        if let Some(zeta) = &targets.zeta {
            parameters.surfaces[ZETA_SURFACE] = surface(zeta.window, zeta.layout, u32::MAX);
            if let Some((low, high)) = rop.depth_bounds {
                let [low, high] = [low, high].map(|bound| zeta.depth_storage().encode(bound));
                parameters.depth_bounds = [low, high];
            }
        }
        if let Some(test) = rop.alpha_test {
            parameters.alpha_reference = match test.reference {
                AlphaReference::Byte(reference) => reference.into(),
                AlphaReference::Float(reference) => ordered(reference),
            };
        }
        if let Some(faces) = &rop.stencil {
            parameters.stencil = [0, 1].map(|index| {
                let face = &faces[index];
                [face.reference.into(), face.compare_mask.into(), face.write_mask.into(), 0]
            });
        }
        parameters.blend_constant = rop.blend_color.map(u32::from);
        parameters.float_blend_constant = rop.float_blend_color;
        parameters
    }
}
