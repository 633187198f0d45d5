//! Turns the fragment stage of a draw into the key of its kernel and the buffers that the host fills.

use super::vec4_stages::fragment_stage;
use crate::kernels::workgroups::linear_workgroups;
use crate::pipeline::{Draw, EngineError, SampleMode, TextureState};
use crate::recompiler::fragment::{self, FragmentKernelKey};
use crate::recompiler::quad_inputs::{QuadKey, QuadSource};
use crate::shader::fragment::FragmentProgram;

/// The first vector of binding 12, before the program's constants.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ShadeHeader {
    /// Always 0.
    pub zero: u32,
    /// The first quad to shade.
    pub first_quad: u32,
    /// How many quads follow from there.
    pub quad_count: u32,
    /// Padding.
    pub padding: u32,
}

/// The key of a draw's kernel, without the state of its texture units.
#[must_use]
pub fn key(draw: &Draw, program: &FragmentProgram) -> FragmentKernelKey {
    let stage = fragment_stage(draw);
    let key = FragmentKernelKey::new(
        program,
        stage.exports_depth,
        stage.has_full_outputs,
        draw.rop.shaded_colors(&draw.targets),
        QuadSource::Interpolated,
    );
    let sampled = key.sampled_units();
    let discarding_units = (0..16).filter(|unit| sampled >> unit & 1 != 0).fold(0, |units, unit| {
        let can_discard = draw.textures[unit].as_ref().is_some_and(TextureState::can_discard);
        units | u16::from(can_discard) << unit
    });
    FragmentKernelKey { quads: quads(draw), discarding_units, ..key }
}

/// The quads of a draw that are shaded.
#[must_use]
pub fn quads(draw: &Draw) -> QuadKey {
    let samples = draw.raster.samples;
    let is_multisampled = samples != SampleMode::One;
    QuadKey {
        source: QuadSource::Interpolated,
        has_alpha_coverage: draw.has_alpha_coverage(),
        wraps_coordinates: draw.raster.cylindrical_wrap != 0,
        samples,
        has_sample_depths: is_multisampled && draw.rop.used_zeta(&draw.targets).is_some(),
        centroids: if is_multisampled { draw.raster.centroid_coordinates } else { 0 },
        selects_viewports: draw.selection.as_ref().is_some_and(|selection| selection.viewports.len() > 1),
    }
}

/// Binding 12: the header and the program's constants.
#[must_use]
pub fn constants(header: ShadeHeader, constants: &[[u32; 4]]) -> Vec<u32> {
    let mut words: Vec<u32> = bytemuck::cast_slice(&[header]).to_vec();
    words.extend(constants.iter().flatten());
    words
}

/// Workgroups for this many quads.
#[must_use]
pub const fn workgroups(quad_count: u32) -> [u32; 3] {
    linear_workgroups(quad_count, fragment::WORKGROUP_SIZE)
}

/// The kernel's WGSL; `texture_unit` returns the text that declares a sampled unit's functions, with its imports.
///
/// # Errors
/// If the program is too large.
pub fn source(
    key: &FragmentKernelKey,
    texture_unit: &dyn Fn(u8) -> Result<String, EngineError>,
) -> Result<String, EngineError> {
    fragment::source(key, texture_unit)
}

/// The functions of a unit without a texture: every fetch returns (0, 0, 0, 1).
///
/// Unverified: what the chip returns for a disabled unit.
#[must_use]
pub fn disabled_texture_unit(unit: u8) -> String {
    let result = "return QuadVector(vec4u(0u), vec4u(0u), vec4u(0u), vec4u(0x3f800000u));";
    format!(
        "fn load_texture_unit_{unit}() {{}}\n\
         fn sample_texture_{unit}(coordinate: QuadVector, bias: vec4u) -> QuadVector {{ {result} }}\n\
         fn sample_texture_lod_{unit}(coordinate: QuadVector, lod: vec4u) -> QuadVector {{ {result} }}\n\
         fn sample_texture_gradient_{unit}(coordinate: QuadVector, ddx: QuadVector, ddy: QuadVector) -> QuadVector \
         {{ {result} }}"
    )
}
