//! Turns the vertices of merged draws into dispatches: small draws with the same kernel share a dispatch, a multi-draw.
//!
//! Each vertex has its own output slot and reads memory that nothing writes meanwhile, so the order of dispatches is free.

use std::ops::Range;

use crate::recompiler::software::multi_draw::PART_RUN;

/// Vertices per workgroup of a multi-draw.
const GROUP_VERTICES: u32 = PART_RUN[0] * PART_RUN[1];
/// Maximum number of vectors that the workgroups of a draw load in a multi-draw. Each load takes less than 0.1 µs on
/// one core; a dispatch takes some 50 µs.
const MULTI_DRAW_LOADS: usize = 1 << 8;

/// Consecutive vertices of a batch with the same inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::kernels) struct VertexRange {
    /// The number of the first draw that they belong to; the others have the same inputs.
    pub(in crate::kernels) draw: usize,
    pub(in crate::kernels) vertices: Range<u32>,
}

/// The dispatches of a batch.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::kernels) struct VertexDispatches {
    /// Ranges with one dispatch each.
    pub(in crate::kernels) alone: Vec<VertexRange>,
    /// Multi-draws, each with one kernel; none is empty.
    pub(in crate::kernels) multi_draws: Vec<Vec<VertexRange>>,
}

impl VertexDispatches {
    /// Plans the dispatches of draws over their consecutive ranges of a batch.
    ///
    /// `has_same_inputs` tells whether two draws compute the same vertex from the same index, `shares_kernel` whether
    /// they run the same kernel, and `joins_multi_draw` whether a draw with a number of workgroups is part of a multi-draw.
    pub(in crate::kernels) fn new(
        ranges: &[Range<usize>],
        has_same_inputs: impl Fn(usize, usize) -> bool,
        shares_kernel: impl Fn(usize, usize) -> bool,
        joins_multi_draw: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let place = |vertex: usize| u32::try_from(vertex).expect("a batch has few vertices");
        let mut dispatches = Self::default();
        let mut draw = 0;
        while draw < ranges.len() {
            let same = (draw + 1..ranges.len()).take_while(|next| has_same_inputs(next - 1, *next)).count();
            let vertices = place(ranges[draw].start)..place(ranges[draw + same].end);
            let workgroups = (vertices.end - vertices.start).div_ceil(GROUP_VERTICES) as usize;
            let joins = joins_multi_draw(draw, workgroups);
            let range = VertexRange { draw, vertices };
            let sharing = |multi_draw: &&mut Vec<VertexRange>| shares_kernel(multi_draw[0].draw, draw);
            match dispatches.multi_draws.iter_mut().find(sharing) {
                _ if !joins => dispatches.alone.push(range),
                Some(multi_draw) => multi_draw.push(range),
                None => dispatches.multi_draws.push(vec![range]),
            }
            draw += same + 1;
        }
        dispatches
    }
}

/// Whether the workgroups of a draw load its vectors in less time than a dispatch takes.
pub(in crate::kernels) const fn is_small(vectors: usize, workgroups: usize) -> bool {
    vectors * workgroups <= MULTI_DRAW_LOADS
}

/// The zeros, then for each workgroup the offset of its draw's vectors, its first vertex and its vertex end; and the
/// number of workgroups.
pub(in crate::kernels) fn multi_draw_spans(ranges: &[Range<u32>], part_vectors: usize) -> (Vec<[u32; 4]>, u32) {
    let place = |vectors: usize| u32::try_from(vectors).expect("few draws are merged, of few vectors each");
    let workgroups = ranges.iter().map(|range| (range.end - range.start).div_ceil(GROUP_VERTICES)).sum();
    let mut vectors = Vec::with_capacity(1 + workgroups as usize + ranges.len() * part_vectors);
    vectors.push([0; 4]);
    for (number, range) in ranges.iter().enumerate() {
        let part = 1 + workgroups + place(number * part_vectors);
        let firsts = range.clone().step_by(GROUP_VERTICES as usize);
        vectors.extend(firsts.map(|first| [part, first, range.end.min(first + GROUP_VERTICES), 0]));
    }
    (vectors, workgroups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workgroup_belongs_to_one_draw() {
        let (vectors, workgroups) = multi_draw_spans(&[7..8, 8..300, 300..556], 5);
        assert_eq!(workgroups, 4);
        assert_eq!(vectors, [[0, 0, 0, 0], [5, 7, 8, 0], [10, 8, 264, 0], [10, 264, 300, 0], [15, 300, 556, 0]]);
    }

    #[test]
    fn small_draws_of_one_kernel_share_a_dispatch() {
        let ranges = [0..10, 10..20, 20..30, 30..40, 40..100_000];
        // Draws 0 and 1 have the same inputs; 0, 1, 3 and 4 have one kernel, which loads 5 vectors for a draw.
        let plan = |joins: &dyn Fn(usize, usize) -> bool| {
            VertexDispatches::new(&ranges, |a, b| (a, b) == (0, 1), |a, b| (a == 2) == (b == 2), joins)
        };
        let range = |draw, vertices| VertexRange { draw, vertices };
        assert_eq!(
            plan(&|_, workgroups| is_small(5, workgroups)),
            VertexDispatches {
                alone: vec![range(4, 40..100_000)],
                multi_draws: vec![vec![range(0, 0..20), range(3, 30..40)], vec![range(2, 20..30)]],
            }
        );
        let alone = plan(&|_, _| false);
        assert_eq!(alone.alone.iter().map(|range| range.draw).collect::<Vec<_>>(), [0, 2, 3, 4]);
        assert!(alone.multi_draws.is_empty());
    }
}
