//! Defines the counters that the chip keeps over the stages of draws.

/// A counter of a stage. It counts modulo 2³², from the first report of one of these counters on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PipelineCounter {
    /// Elements of draws, without restarts.
    FetchedVertices,
    /// Primitives of draws, before polygons become triangles.
    FetchedPrimitives,
    /// Vertices that vertex programs run for: an element that a draw repeats counts once.
    VertexThreads,
    /// Primitives that geometry programs run for.
    GeometryThreads,
    /// Points, lines and triangles that geometry programs emit.
    EmittedPrimitives,
    /// Points, lines and triangles of draws that rasterize.
    RasterizerInputs,
    /// Of those, the ones that reach the rasterizer: neither culled nor outside.
    RasterizerOutputs,
    /// Pixels that they cover, before any test; once for each sample that a program runs for.
    Pixels,
}

/// The values of the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PipelineStatistics([u32; 8]);

impl PipelineStatistics {
    /// Adds to a counter.
    #[expect(clippy::cast_possible_truncation, reason = "counters count modulo 2³²")]
    pub const fn add(&mut self, counter: PipelineCounter, amount: usize) {
        let value = &mut self.0[counter as usize];
        *value = value.wrapping_add(amount as u32);
    }

    /// The value of a counter.
    #[must_use]
    pub const fn value(&self, counter: PipelineCounter) -> u32 {
        self.0[counter as usize]
    }
}
