//! Counts what the stages before the rasterizer do, for the chip's own counters.
//!
//! Sources: Mesa `nv50_query_hw.c` for the counters of `QUERY_GET`; OpenGL's `ARB_pipeline_statistics_query` for what they
//! count.
// Unverified: that vertices that are still in a cache count once in a draw, and that a primitive counts as an output of the
// rasterizer if it is set up. On a G92, piglit finds other numbers than the primitives there.

use super::draw_programs::VertexPrograms;
use crate::memory::GuestMemory;
use crate::pipeline::front_end::assemble_primitives::{assemble_draw, primitive_numbers};
use crate::pipeline::front_end::fetch_indices::fetch_indices;
use crate::pipeline::front_end::vertex_batches::{BATCH_VERTICES, vertex_batches};
use crate::pipeline::{Draw, EngineError, PipelineCounter, PipelineStatistics};

/// Adds the vertices and primitives of a draw that is to run. Geometry programs run once for that alone.
///
/// # Errors
/// As for the draw.
pub(super) fn add_fetched(
    statistics: &mut PipelineStatistics,
    memory: &GuestMemory,
    draw: &Draw,
) -> Result<(), EngineError> {
    let programs = VertexPrograms::decode(draw)?;
    let elements = fetch_indices(memory, draw)?;
    let primitives = assemble_draw(draw, &elements.order);
    let last = primitive_numbers(draw.primitive, &elements.order, &draw.raster).into_iter().max();
    statistics.add(PipelineCounter::FetchedVertices, elements.positions().count());
    statistics.add(PipelineCounter::FetchedPrimitives, last.map_or(0, |last| last as usize + 1));
    statistics.add(PipelineCounter::VertexThreads, elements.unique.len());
    let mut reaching = primitives.len();
    if draw.geometry.is_some() {
        statistics.add(PipelineCounter::GeometryThreads, reaching);
        reaching = 0;
        let mut first = 0;
        for batch in vertex_batches(elements.unique, primitives, BATCH_VERTICES) {
            reaching += programs.run_batch(memory, draw, &batch, first)?.1.len();
            first += u32::try_from(batch.primitives.len()).unwrap_or(u32::MAX);
        }
        statistics.add(PipelineCounter::EmittedPrimitives, reaching);
    }
    if draw.rasterizes() && !draw.raster.clip.is_empty() {
        statistics.add(PipelineCounter::RasterizerInputs, reaching);
    }
    Ok(())
}
