//! The geometry of a draw, as the stages from set-up on take it.

use crate::kernels::plan::count_places::{CAPACITY, CountPlace, STRIPES};
use crate::pipeline::front_end::assemble_primitives::Primitive;

/// What the geometry stages draw.
#[derive(Debug, Clone, Copy)]
pub struct Assembled<'a> {
    /// 16 output registers of each vertex (binding 4).
    pub vertices: &'a wgpu::Buffer,
    /// How many vertices that holds.
    pub vertex_count: u32,
    /// The primitives over them.
    pub primitives: &'a [Primitive],
    /// The same on the device, where the geometry cache holds them.
    pub cached: Option<CachedPrimitives<'a>>,
    /// Where their outcomes are counted.
    pub counted: Option<CountedPrimitives<'a>>,
}

/// Primitives that lie on the device.
#[derive(Debug, Clone, Copy)]
pub struct CachedPrimitives<'a> {
    /// All of them (binding 5).
    pub primitives: &'a wgpu::Buffer,
    /// The blocks of vertices that their runs reach (binding 18).
    pub spans: &'a wgpu::Buffer,
}

/// The counts of draws that are drawn as one, as geometry stages take them.
#[derive(Debug, Clone, Copy)]
pub struct CountedPrimitives<'a> {
    pub(in crate::kernels) counters: &'a wgpu::Buffer,
    /// The first count of the first draw, counts of each draw, counts of a stripe, stripes.
    pub(in crate::kernels) places: [u32; 4],
    /// How many draws.
    pub(in crate::kernels) draws: usize,
    /// Most quads of a round.
    pub(in crate::kernels) most_quads: u32,
}

impl<'a> CountedPrimitives<'a> {
    /// The counts of so many merged draws, of which the first counts at `place`.
    pub(in crate::kernels) const fn new(place: CountPlace, counters: &'a wgpu::Buffer, draws: usize) -> Self {
        Self { counters, places: [place.first, place.stride, CAPACITY, STRIPES], draws, most_quads: u32::MAX }
    }
}
