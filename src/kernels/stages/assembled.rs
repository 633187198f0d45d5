//! The geometry of a draw, as input of the stages from set-up on.

use crate::kernels::plan::count_places::{CAPACITY, CountPlace, STRIPES};
use crate::pipeline::front_end::assemble_primitives::Primitive;

/// The input of the geometry stages.
#[derive(Debug, Clone, Copy)]
pub struct Assembled<'a> {
    /// 16 output registers of each vertex (binding 4).
    pub vertices: &'a wgpu::Buffer,
    /// How many vertices the buffer holds.
    pub vertex_count: u32,
    /// The primitives over these vertices.
    pub primitives: &'a [Primitive],
    /// The primitives on the device, if the geometry cache holds them there.
    pub cached: Option<CachedPrimitives<'a>>,
    /// The counts of their outcomes.
    pub counted: Option<CountedPrimitives<'a>>,
}

/// Primitives on the device.
#[derive(Debug, Clone, Copy)]
pub struct CachedPrimitives<'a> {
    /// All of them (binding 5).
    pub primitives: &'a wgpu::Buffer,
    /// The blocks of vertices that their runs reference (binding 18).
    pub spans: &'a wgpu::Buffer,
}

/// The counts of merged draws, as input of the geometry stages.
#[derive(Debug, Clone, Copy)]
pub struct CountedPrimitives<'a> {
    pub(in crate::kernels) counters: &'a wgpu::Buffer,
    /// First count of the first draw, counts per draw, counts per stripe, stripes.
    pub(in crate::kernels) places: [u32; 4],
    /// Number of draws.
    pub(in crate::kernels) draws: usize,
    /// Maximum number of quads in a round.
    pub(in crate::kernels) max_quads: u32,
}

impl<'a> CountedPrimitives<'a> {
    /// The counts of merged draws; `place` is that of the first.
    pub(in crate::kernels) const fn new(place: CountPlace, counters: &'a wgpu::Buffer, draws: usize) -> Self {
        Self { counters, places: [place.first, place.stride, CAPACITY, STRIPES], draws, max_quads: u32::MAX }
    }
}
