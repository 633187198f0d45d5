//! The kernel that counts and lists the covered quads of tiles, for the separate stages.

use std::sync::Arc;

use crate::gpu::{DeviceError, Gpu, Kernel};
use crate::recompiler::multisample::offset_vectors;
use crate::reference::raster_parameters::{LINE_STIPPLE, POLYGON_STIPPLE, RasterParameters, USER_CLIP, WINDOW_CLIP};
use crate::work::SampleMode;

const RASTERIZE_TILES: &str = include_str!("../../wgsl/kernels/rasterize_tiles.wgsl");

/// The rasteriser for the tests and samples that a draw needs; it lists quads, or counts them.
pub(super) fn kernel(gpu: &Gpu, parameters: &RasterParameters, lists_quads: bool) -> Result<Arc<Kernel>, DeviceError> {
    let flags = parameters.flags & (WINDOW_CLIP | LINE_STIPPLE | POLYGON_STIPPLE | USER_CLIP);
    let key = u64::from(flags) << 8
        | u64::from(parameters.user_clip_planes()) << 4
        | u64::from(parameters.samples() as u8) << 1
        | u64::from(lists_quads);
    gpu.kernel_of("rasterize_tiles", key, || source(parameters, lists_quads))
}

fn source(parameters: &RasterParameters, lists_quads: bool) -> String {
    let flags = parameters.flags;
    let window_clip = flags & WINDOW_CLIP != 0;
    let stipple = flags & (LINE_STIPPLE | POLYGON_STIPPLE) != 0;
    let (user_clip, planes) = (flags & USER_CLIP != 0, parameters.user_clip_planes());
    let samples = parameters.samples();
    let (module, positions) = if samples == SampleMode::One {
        ("coverage_at_centers", String::new())
    } else {
        let [columns, rows] = offset_vectors(samples);
        let count = samples.count();
        let positions =
            format!("const SAMPLE_COUNT: u32 = {count}u; const SAMPLE_X = {columns}; const SAMPLE_Y = {rows}; ");
        ("coverage_at_samples", positions)
    };
    format!(
        "import package::{module}::covered_bits;\nconst LISTS_QUADS: bool = {lists_quads}; \
         const HAS_WINDOW_CLIP: bool = {window_clip}; const HAS_STIPPLE: bool = {stipple}; \
         const USER_CLIP_PLANES: u32 = {planes}u; \
         const HAS_USER_CLIP: bool = {user_clip}; const IS_PLAIN: bool = false; {positions}{RASTERIZE_TILES}"
    )
}
