//! Turns runs of triangles into the blocks of vertices that they reference, so that set-up culls a run without loading
//! its triangles if all its blocks are out of view.

use crate::pipeline::front_end::assemble_primitives::Primitive;

/// Triangles of a run if an invocation is one lane of a processor: as many as a bin word holds.
pub(in crate::kernels) const PROCESSOR_RUN: u32 = 32;
/// Vertices of a block, which one invocation transforms if it is one lane of a processor. Blocks of 32 would start at
/// multiples of 4 KiB, so that the lanes' reads would map to the same few cache lines.
pub(in crate::kernels) const PROCESSOR_BLOCK: u32 = 31;
/// Maximum number of blocks that are worth a test.
const MAX_BLOCKS: u32 = 32;
/// Marks a run that references more blocks.
const NO_SPAN: u32 = u32::MAX;

/// The block span of each run of filled triangles: the first block of vertices, and the last one << 16.
pub(in crate::kernels) fn vertex_spans(primitives: &[Primitive]) -> Vec<u32> {
    primitives.chunks(PROCESSOR_RUN as usize).map(span_of).collect()
}

fn span_of(run: &[Primitive]) -> u32 {
    let vertices = || run.iter().flat_map(|primitive| primitive.vertices);
    let first = vertices().min().unwrap_or(0) / PROCESSOR_BLOCK;
    let last = vertices().max().unwrap_or(0) / PROCESSOR_BLOCK;
    if last - first < MAX_BLOCKS && last < 1 << 16 { first | last << 16 } else { NO_SPAN }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(vertices: [u32; 3]) -> Primitive {
        Primitive { vertices, provoking: 0, face: vertices, flags: 2 }
    }

    #[test]
    fn spans_reach_from_the_lowest_to_the_highest_vertex_of_a_run() {
        let mut primitives = vec![triangle([70, 62, 92]); 32];
        primitives[7] = triangle([70, 200, 92]);
        primitives.push(triangle([30, 0, 5]));
        assert_eq!(vertex_spans(&primitives), [2 | 6 << 16, 0]);
    }

    #[test]
    fn runs_that_reach_far_have_no_span() {
        assert_eq!(vertex_spans(&[triangle([0, 1, 991])]), [31 << 16]);
        assert_eq!(vertex_spans(&[triangle([0, 1, 992])]), [NO_SPAN]);
        assert_eq!(vertex_spans(&[triangle([1 << 21; 3])]), [NO_SPAN]);
    }
}
