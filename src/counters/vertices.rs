//! Determines which elements of a draw are fetched and transformed, and what the vertex processor executes for
//! them.

use super::VertexCacheOptions;
use super::vertex_cache::VertexCache;
use crate::pipeline::front_end::fetch_indices::FetchedIndices;
use crate::pipeline::{Elements, VertexAttribute, VertexInput};
use crate::shader::vertex::{OperationKind, VertexBundle, VertexProgram};
use crate::shader::vertex_blocks::{BasicBlock, BlockExit, VertexEdges};

/// Results of the post-transform cache for the elements of a draw.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ElementCounts {
    /// Elements without restarts.
    pub indices: u64,
    /// Of these, elements whose vertex was not in the cache.
    pub misses: u64,
    /// How often each vertex was transformed.
    pub transforms: Vec<u32>,
}

impl ElementCounts {
    /// Counts elements, given as positions among `vertices` distinct vertices, for an initially empty cache.
    #[must_use]
    pub fn new(elements: impl Iterator<Item = u32>, vertices: usize, cache: VertexCacheOptions) -> Self {
        Self::visiting(elements, vertices, cache, &mut |_| {})
    }

    /// Counts the elements of a draw.
    #[must_use]
    pub fn of_indices(indices: &FetchedIndices, cache: VertexCacheOptions) -> Self {
        Self::new(indices.positions(), indices.unique.len(), cache)
    }

    /// Counts as [`ElementCounts::new`] does; calls `miss` with the position of each fetched vertex, in order.
    pub fn visiting(
        elements: impl Iterator<Item = u32>,
        vertices: usize,
        cache: VertexCacheOptions,
        miss: &mut impl FnMut(u32),
    ) -> Self {
        let mut counts = Self { indices: 0, misses: 0, transforms: vec![0; vertices] };
        let mut cache = VertexCache::new(cache.entries, cache.hits_renew);
        for position in elements.filter(|position| (*position as usize) < vertices) {
            counts.indices += 1;
            let is_held = cache.use_vertex(position);
            if !is_held {
                counts.misses += 1;
                counts.transforms[position as usize] += 1;
                miss(position);
            }
        }
        counts
    }
}

/// Instructions that the vertex processor executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VertexInstructions {
    /// All instructions.
    pub instructions: u64,
    /// Instructions with a vector unit operation.
    pub vector: u64,
    /// Instructions with a scalar unit operation other than flow.
    pub scalar: u64,
    /// Fetches from textures.
    pub lookups: u64,
    /// Flow instructions.
    pub flow: u64,
    /// Branches, calls and returns that did not continue at the next instruction.
    pub taken: u64,
}

impl VertexInstructions {
    fn of(bundles: &[VertexBundle]) -> Self {
        let mut counts = Self::default();
        for bundle in bundles {
            counts.instructions += 1;
            match bundle.vector.kind {
                OperationKind::Idle => {}
                OperationKind::FetchTexture { .. } => counts.lookups += 1,
                _ => counts.vector += 1,
            }
            counts.scalar += u64::from(bundle.scalar.kind != OperationKind::Idle);
            counts.flow += u64::from(bundle.flow.is_some());
        }
        counts
    }

    /// Adds instructions that were executed `times` times.
    pub const fn add(&mut self, other: &Self, times: u64) {
        self.instructions += other.instructions * times;
        self.vector += other.vector * times;
        self.scalar += other.scalar * times;
        self.lookups += other.lookups * times;
        self.flow += other.flow * times;
        self.taken += other.taken * times;
    }
}

/// Follows the vertex of a position: the numbers of the blocks that it enters, in order.
pub type VertexFollower<'r> = dyn FnMut(usize) -> Vec<usize> + 'r;

/// What a vertex program executes, block by block.
#[derive(Debug, Clone)]
pub struct VertexExecution {
    blocks: Vec<VertexInstructions>,
    exits: Vec<BlockExit>,
    /// The blocks and instructions of every vertex, if they do not depend on the vertex.
    each: Option<(Vec<usize>, VertexInstructions)>,
}

impl VertexExecution {
    /// Analyzes a program that may execute `instruction_limit` instructions per vertex.
    #[must_use]
    pub fn new(program: &VertexProgram, instruction_limit: u32) -> Self {
        let blocks = program.blocks();
        let counts = |block: &BasicBlock| VertexInstructions::of(&program.bundles[block.bundles.clone()]);
        let counts: Vec<_> = blocks.iter().map(counts).collect();
        let is_straight = blocks.iter().all(|block| matches!(block.exit, BlockExit::Continue { .. }));
        let each = is_straight.then(|| {
            let (mut path, mut sum) = (Vec::new(), VertexInstructions::default());
            let mut next = Some(program.start_block());
            while let Some(index) = next.filter(|index| *index < blocks.len())
                && sum.instructions < u64::from(instruction_limit)
            {
                path.push(index);
                sum.add(&counts[index], 1);
                next = match blocks[index].exit {
                    BlockExit::Continue { next } => next,
                    _ => None,
                };
            }
            (path, sum)
        });
        Self { blocks: counts, exits: blocks.iter().map(|block| block.exit).collect(), each }
    }

    /// Whether all vertices execute the same instructions, so that none need to be run.
    #[must_use]
    pub const fn is_same_for_all(&self) -> bool {
        self.each.is_some()
    }

    /// Sums up over all vertices of a draw, which are followed where they differ; adds their ways to `edges`.
    pub fn of_draw(
        &self,
        elements: &ElementCounts,
        mut edges: Option<&mut VertexEdges>,
        follow: &mut VertexFollower<'_>,
    ) -> VertexInstructions {
        let mut sum = VertexInstructions::default();
        if let Some((path, each)) = &self.each {
            sum.add(each, elements.misses);
            if let Some(edges) = edges {
                edges.add_path(path, elements.misses);
            }
            return sum;
        }
        for (position, transforms) in elements.transforms.iter().enumerate().filter(|(_, transforms)| **transforms != 0)
        {
            let mut vertex = VertexInstructions::default();
            let mut last = None;
            let path = follow(position);
            if let Some(edges) = &mut edges {
                edges.add_path(&path, u64::from(*transforms));
            }
            for block in path {
                if let Some(counts) = self.blocks.get(block) {
                    vertex.add(counts, 1);
                }
                vertex.taken += u64::from(self.is_taken(last, Some(block)));
                last = Some(block);
            }
            vertex.taken += u64::from(self.is_taken(last, None));
            sum.add(&vertex, u64::from(*transforms));
        }
        sum
    }

    /// Whether a vertex that left a block for another, or for the program's end, branched.
    fn is_taken(&self, last: Option<usize>, to: Option<usize>) -> bool {
        match last.and_then(|last| self.exits.get(last)) {
            Some(
                BlockExit::Branch { next, .. }
                | BlockExit::BranchToAddress { next, .. }
                | BlockExit::Call { next, .. }
                | BlockExit::Return { next }
                | BlockExit::If { next, .. }
                | BlockExit::CallUntil { next, .. }
                | BlockExit::Loop { next, .. }
                | BlockExit::Break { next },
            ) => *next != to,
            Some(BlockExit::Continue { .. } | BlockExit::PushAddress { .. } | BlockExit::PopAddress { .. }) | None => {
                false
            }
        }
    }
}

/// Bytes of the attributes of a vertex in memory.
pub(super) fn attribute_bytes(input: &VertexInput, elements: &Elements) -> u64 {
    if matches!(elements, Elements::Immediate(_)) {
        return 0;
    }
    let bytes = |attribute: &VertexAttribute| match *attribute {
        VertexAttribute::Constant(_) => 0,
        VertexAttribute::Array { format, .. } => u64::from(format.bytes()),
    };
    input.attributes.iter().map(bytes).sum()
}

/// Bytes of the indices of a draw in memory.
pub(super) fn index_bytes(elements: &Elements) -> u64 {
    let Elements::Buffer { index_type, ranges, .. } = elements else { return 0 };
    let bytes = u64::from(index_type.bytes());
    ranges.iter().map(|(_, count)| u64::from(*count) * bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(entries: u32) -> VertexCacheOptions {
        VertexCacheOptions { entries, hits_renew: false, needs_indices: false }
    }

    fn misses(order: &[u32], entries: u32) -> u64 {
        ElementCounts::new(order.iter().copied(), 64, cache(entries)).misses
    }

    #[test]
    fn a_strip_misses_its_vertices_and_a_list_all() {
        // The triangles of a strip share vertices: n + 2 for n triangles. Separate triangles name three each.
        let strip: Vec<u32> = (0..20).flat_map(|triangle| [triangle, triangle + 1, triangle + 2]).collect();
        assert_eq!(misses(&strip, 24), 22);
        let list: Vec<u32> = (0..60).collect();
        assert_eq!(misses(&list, 24), 60);
        assert_eq!(
            ElementCounts::new([0, 0].into_iter(), 1, cache(24)),
            ElementCounts { indices: 2, misses: 1, transforms: vec![1] }
        );
    }

    #[test]
    fn the_oldest_entry_makes_room_and_hits_do_not_renew_it() {
        // Three entries: 0 1 2 are cached; the hit of 0 does not keep 3 from replacing it first.
        assert_eq!(misses(&[0, 1, 2, 0, 3, 0], 3), 5);
        assert_eq!(misses(&[0, 1, 2, 0, 3, 1, 2, 3], 3), 4);
        assert_eq!(ElementCounts::new([0, 1, 2, 0, 3, 0].into_iter(), 4, cache(3)).transforms, [2, 1, 1, 1]);
        // If the hit of 0 renews it, 3 replaces 1.
        let renewing = VertexCacheOptions { hits_renew: true, ..cache(3) };
        assert_eq!(ElementCounts::new([0, 1, 2, 0, 3, 0, 1].into_iter(), 4, renewing).transforms, [1, 2, 1, 1]);
    }

    #[test]
    fn a_vertex_used_again_after_a_cache_full_of_others_stays_only_if_hits_renew_it() {
        // 32 entries; indices 0 to 31, 0, 32, 0. By last use, 32 replaces 1; by age, it replaces 0.
        let order = || (0..32).chain([0, 32, 0]);
        let misses =
            |hits_renew| ElementCounts::new(order(), 33, VertexCacheOptions { hits_renew, ..cache(32) }).misses;
        assert_eq!((misses(true), misses(false)), (33, 34));
    }

    #[test]
    fn a_cache_by_index_holds_nothing_without_indices() {
        let by_index = VertexCacheOptions { needs_indices: true, ..cache(32) };
        let (ranges, inline) = (Elements::Ranges(vec![(0, 3), (0, 3)]), Elements::Inline(vec![0, 1, 2, 0, 1, 2]));
        let misses = |cache: VertexCacheOptions, elements| {
            ElementCounts::new([0, 1, 2, 0, 1, 2].into_iter(), 3, cache.for_elements(elements)).misses
        };
        assert_eq!([misses(by_index, &ranges), misses(by_index, &inline), misses(cache(32), &ranges)], [6, 3, 3]);
    }

    #[test]
    fn branches_count_where_they_lead_elsewhere() {
        let execution = VertexExecution {
            blocks: vec![VertexInstructions { instructions: 2, flow: 1, ..VertexInstructions::default() }; 4],
            exits: vec![
                BlockExit::Branch { target: 2, next: Some(1) },
                BlockExit::PushAddress { register: 0, next: Some(2) },
                BlockExit::Call { target: 3, next: None },
                BlockExit::Return { next: None },
            ],
            each: None,
        };
        let elements = ElementCounts { indices: 0, misses: 5, transforms: vec![2, 3] };
        // The first goes on at 0 and 1, does not call and ends; the second branches, calls and returns to the end.
        let paths = [[0, 1, 2], [0, 2, 3]];
        let mut edges = VertexEdges::default();
        let executed = execution.of_draw(&elements, Some(&mut edges), &mut |position| paths[position].to_vec());
        assert_eq!((executed.instructions, executed.flow, executed.taken), (6 * 5, 3 * 5, 2 * 3));
        let expected = [
            ([None, Some(0)], 5),
            ([Some(0), Some(1)], 2),
            ([Some(0), Some(2)], 3),
            ([Some(1), Some(2)], 2),
            ([Some(2), None], 2),
            ([Some(2), Some(3)], 3),
            ([Some(3), None], 3),
        ];
        assert_eq!(edges.iter().collect::<Vec<_>>(), expected);
        assert_eq!([0, 1, 2, 3, 4].map(|block| edges.entered(block)), [5, 2, 5, 3, 0]);
        // A branch out of the program, and a return that is not the last instruction.
        assert!(execution.is_taken(Some(0), None));
        assert!(!execution.is_taken(Some(3), None) && !execution.is_taken(None, Some(0)));
    }

    #[test]
    fn the_vertices_that_miss_are_told_in_order() {
        let mut told = Vec::new();
        let order = [0, 1, 2, 0, 3, 0];
        let counts = ElementCounts::visiting(order.into_iter(), 4, cache(3), &mut |position| told.push(position));
        assert_eq!(told, [0, 1, 2, 3, 0]);
        assert_eq!(counts, ElementCounts::new(order.into_iter(), 4, cache(3)));
    }

    #[test]
    fn random_orders_miss_as_often_as_in_a_plain_list() {
        let mut state = 7u32;
        for entries in [1, 2, 5, 24] {
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 16) % 40
            };
            let order: Vec<u32> = (0..2000).map(|_| next()).collect();
            let mut cache = std::collections::VecDeque::new();
            let mut expected = 0;
            for vertex in &order {
                if !cache.contains(vertex) {
                    expected += 1;
                    cache.push_back(*vertex);
                    if cache.len() > entries {
                        cache.pop_front();
                    }
                }
            }
            assert_eq!(misses(&order, u32::try_from(entries).unwrap()), expected, "{entries}");
        }
    }
}
