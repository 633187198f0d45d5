//! The rasterizer of the split path: kernels that traverse the bins of tiles. One counts and lists covered quads, one
//! counts the pixels that the scissor and window clips reject.

use std::sync::Arc;

use crate::gpu::{Bound, DeviceError, Gpu, Kernel};
use crate::kernels::bindings::bindings;
use crate::kernels::plan::count_places::places;
use crate::pipeline::SampleMode;
use crate::recompiler::raster_block::{
    LINE_STIPPLE, POLYGON_STIPPLE, PRIMITIVES_SELECT, RasterBlock, USER_CLIP, WINDOW_CLIP,
};
use crate::recompiler::sample_positions::{coverage_module, position_constants};

const RASTERIZE_TILES: &str = include_str!("../../../wgsl/raster/rasterize_tiles.wgsl");
const COUNT_REJECTS: &str = include_str!("../../../wgsl/raster/count_rejects.wgsl");

bindings! {
    /// Bindings of `rasterize_tiles`.
    RasterizeBindings {
        4 => vertices: Bound<'a>,
        6 => raster: Bound<'a>,
        7 => setups: Bound<'a>,
        8 => bins: Bound<'a>,
        9 => tiles: Bound<'a>,
        10 => quads: Bound<'a>,
    }
}

/// The rasterizer for the tests and samples that a draw needs; it lists or counts quads.
pub(in crate::kernels) fn kernel(
    gpu: &Gpu,
    parameters: &RasterBlock,
    lists_quads: bool,
) -> Result<Arc<Kernel>, DeviceError> {
    let selects = parameters.flags & PRIMITIVES_SELECT != 0;
    let source =
        || format!("const LISTS_QUADS: bool = {lists_quads}; const HAS_SELECTION: bool = {selects}; {RASTERIZE_TILES}");
    gpu.kernel_of("rasterize_tiles", key(parameters, lists_quads), || with_coverage(parameters, &source()))
}

/// The kernel that counts the pixels that the scissor and window clips reject, for parameters over the whole surface.
pub(in crate::kernels) fn rejects_kernel(
    gpu: &Gpu,
    parameters: &RasterBlock,
    cuts_window: bool,
) -> Result<Arc<Kernel>, DeviceError> {
    let source = || format!("const CUTS_WINDOW: bool = {cuts_window}; {}{COUNT_REJECTS}", places());
    gpu.kernel_of("count_rejects", key(parameters, cuts_window), || with_coverage(parameters, &source()))
}

fn key(parameters: &RasterBlock, variant: bool) -> u64 {
    let flags = parameters.flags & (WINDOW_CLIP | LINE_STIPPLE | POLYGON_STIPPLE | USER_CLIP | PRIMITIVES_SELECT);
    u64::from(flags) << 8
        | u64::from(parameters.user_clip_planes()) << 4
        | u64::from(parameters.samples() as u8) << 1
        | u64::from(variant)
}

/// The text of a kernel, preceded by the coverage functions of a draw.
fn with_coverage(parameters: &RasterBlock, text: &str) -> String {
    let flags = parameters.flags;
    let window_clip = flags & WINDOW_CLIP != 0;
    let stipple = flags & (LINE_STIPPLE | POLYGON_STIPPLE) != 0;
    let (user_clip, planes) = (flags & USER_CLIP != 0, parameters.user_clip_planes());
    let samples = parameters.samples();
    let module = coverage_module(samples);
    let positions = if samples == SampleMode::One { String::new() } else { position_constants(samples) };
    format!(
        "import package::{module}::covered_bits;\nconst CUTS_QUADS: bool = true; const HAS_WINDOW_CLIP: bool = {window_clip}; const HAS_STIPPLE: bool = {stipple}; \
         const USER_CLIP_PLANES: u32 = {planes}u; \
         const HAS_USER_CLIP: bool = {user_clip}; const IS_FAST_PATH: bool = false; {positions}{text}"
    )
}
