//! The kernels engine: work becomes compute dispatches over guest memory that lives on the device.

mod count_rejects;
mod counted_draws;
mod draw;
mod draw_kernels;
pub mod draw_tiles;
mod engine;
pub mod geometry;
mod heap;
mod joined_draws;
mod kept_draws;
mod loop_rounds;
pub mod merge_pixels;
mod pixel_pairs;
mod rasterize_tiles;
pub mod run_elements;
pub mod run_program;
pub mod run_vertex_programs;
mod run_vertices;
pub mod scale_image;
pub mod scan_out;
pub mod self_test;
mod set_up_primitives;
pub mod shade_quads;
pub mod texel_image;
pub mod texture_parameters;
pub mod transfer;
mod vertex_spans;

pub use counted_draws::CountedRecords;
pub use engine::{KernelOptions, KernelPath, Kernels};
pub use heap::Heap;

/// A window of guest memory as a range of the device's heap, cut off where memory ends.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct HeapWindow {
    /// First byte in the heap.
    pub start: u32,
    /// How many bytes may be touched.
    pub bytes: u32,
}

/// Workgroups of a one-dimensional dispatch, in two dimensions where one is too small for the count.
///
/// Kernels number their invocations by `y * (groups.x * size) + x` and skip those beyond their count.
#[must_use]
pub const fn linear_workgroups(invocations: u32, workgroup_size: u32) -> [u32; 3] {
    let groups = invocations.div_ceil(workgroup_size);
    let rows = groups.div_ceil(MAX_WORKGROUPS);
    if rows == 0 {
        return [0, 1, 1];
    }
    [groups.div_ceil(rows), rows, 1]
}

/// Workgroups that every adapter dispatches along one dimension.
const MAX_WORKGROUPS: u32 = 65_535;
