//! Packs the viewports and layers among which primitives select into the blocks behind [`RasterBlock`] (binding 6).
//!
//! The layouts are those of `wgsl/raster/parameters.wgsl`.

use std::ops::Range;

use super::raster_block::{NO_REGISTER, RasterBlock};
use crate::pipeline::{Draw, OutputComponent, PrimitiveSelection, Selected};

/// The most viewports among which kernels select: a setup has four bits for their number.
pub const MAX_VIEWPORTS: usize = 16;

/// Registers of output components that vertices have.
const OUTPUT_SLOTS: u8 = 16;

/// What a primitive selects, and the layer that is drawn.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct SelectionBlock {
    /// The output component with the number of the viewport, or [`NO_REGISTER`].
    pub viewport_output: u32,
    /// The output component with the number of the layer, or [`NO_REGISTER`].
    pub layer_output: u32,
    /// How many viewports there are.
    pub viewports: u32,
    /// How many layers there are.
    pub layers: u32,
    /// The layer whose primitives are drawn.
    pub layer: u32,
    /// Zero.
    pub padding: [u32; 3],
}

/// A viewport.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ViewportBlock {
    /// As [`RasterBlock::scale`].
    pub scale: [u32; 4],
    /// As [`RasterBlock::translate`].
    pub translate: [u32; 4],
    /// As [`RasterBlock::depth`].
    pub depth: [u32; 4],
    /// As [`RasterBlock::clip`].
    pub clip: [u32; 4],
}

/// The viewports and layers of a draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectionBlocks {
    block: SelectionBlock,
    viewports: Vec<ViewportBlock>,
}

impl Default for SelectionBlocks {
    /// Those of a draw whose program selects none. Kernels expect a viewport.
    fn default() -> Self {
        Self { block: SelectionBlock::default(), viewports: vec![ViewportBlock::default()] }
    }
}

impl SelectionBlocks {
    /// Packs those of a draw.
    #[must_use]
    pub fn new(draw: &Draw) -> Self {
        let Some(selection) = &draw.selection else { return Self::default() };
        let PrimitiveSelection { viewport, viewports, layer, layers, .. } = &**selection;
        // Outputs that vertices do not have are zero.
        let number = |output: &Option<OutputComponent>| {
            output.filter(|output| output.slot < OUTPUT_SLOTS).map_or(NO_REGISTER, OutputComponent::number)
        };
        let numbers = 0..u32::try_from(viewports.len().min(MAX_VIEWPORTS)).unwrap_or(0);
        let block = SelectionBlock {
            viewport_output: number(viewport),
            layer_output: number(layer),
            viewports: numbers.end,
            layers: *layers,
            ..SelectionBlock::default()
        };
        let mut viewports: Vec<_> = numbers.map(|viewport| ViewportBlock::new(draw, viewport)).collect();
        // Kernels may load any number of four bits.
        viewports.resize(MAX_VIEWPORTS, ViewportBlock::default());
        Self { block, viewports }
    }

    /// The bytes of binding 6 with these parameters, for primitives of a layer.
    #[must_use]
    pub fn bytes(&self, parameters: &RasterBlock, layer: u32) -> Vec<u8> {
        let block = SelectionBlock { layer, ..self.block };
        let viewports = bytemuck::cast_slice(&self.viewports);
        [bytemuck::bytes_of(parameters), bytemuck::bytes_of(&block), viewports].concat()
    }

    /// The layers that are drawn, one after the other.
    #[must_use]
    pub const fn layers(&self) -> Range<u32> {
        let is_selected = self.block.layer_output != NO_REGISTER && self.block.layers > 1;
        0..if is_selected { self.block.layers } else { 1 }
    }
}

impl ViewportBlock {
    /// Packs a viewport of a draw.
    fn new(draw: &Draw, viewport: u32) -> Self {
        let RasterBlock { scale, translate, depth, clip, .. } =
            RasterBlock::new(&draw.selected(Selected { viewport, layer: 0 }));
        Self { scale, translate, depth, clip }
    }
}
