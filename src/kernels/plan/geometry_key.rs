//! The cache key of a draw's geometry: all inputs that its vertices and primitives depend on.

use std::hash::{Hash, Hasher};

use crate::isa::VertexIsa;
use crate::memory::MemoryWindow;
use crate::pipeline::{Draw, Elements, IndexType, PolygonMode, PrimitiveType};

/// Assembling fewer elements than this is as fast as a lookup.
const MIN_ELEMENTS: u64 = 64;

/// How many of the indices of a stream are hashed at most.
const HASHED_INDICES: usize = 64;

/// Indices that the stream holds. They are compared whole, and some of them are hashed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct InlineIndices(Vec<u32>);

impl Hash for InlineIndices {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.len().hash(state);
        self.0.iter().step_by(self.0.len() / HASHED_INDICES + 1).for_each(|index| index.hash(state));
    }
}

/// Everything that the vertices and primitives of a draw depend on, except the bytes of the index buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::kernels) struct GeometryKey {
    /// The part of the index buffer that the draw reads, and its type; `None` for ranges of the arrays.
    indices: Option<(MemoryWindow, IndexType)>,
    ranges: Vec<(u32, u32)>,
    inline: Option<InlineIndices>,
    restart_index: Option<u32>,
    primitive: PrimitiveType,
    first_vertex_provokes: bool,
    first_vertex_of_quads_provokes: bool,
    polygon_mode: [PolygonMode; 2],
    edge_flag_changes: Vec<u32>,
    /// Whether a geometry program runs on the primitives.
    has_geometry_program: bool,
    /// Whether the fragment program reads the numbers of primitives.
    has_numbers: bool,
    /// The instruction set of the vertex program, whose chip has a post-transform cache of its own.
    vertex_isa: Option<VertexIsa>,
}

impl GeometryKey {
    /// The key of a draw that is worth caching; `reached` is the part of the index buffer that it reads.
    pub(in crate::kernels) fn new(draw: &Draw, reached: Option<MemoryWindow>) -> Option<Self> {
        let (ranges, index_type, inline) = match &draw.elements {
            Elements::Ranges(ranges) => (ranges.as_slice(), None, &[][..]),
            Elements::Buffer { ranges, index_type, .. } => (ranges.as_slice(), Some(*index_type), &[][..]),
            Elements::Inline(indices) => (&[][..], None, indices.as_slice()),
            Elements::Immediate(_) => return None,
        };
        let elements = ranges.iter().map(|(_, count)| u64::from(*count)).sum::<u64>() + inline.len() as u64;
        if elements < MIN_ELEMENTS {
            return None;
        }
        Some(Self {
            indices: reached.zip(index_type),
            ranges: joined(ranges),
            inline: (!inline.is_empty()).then(|| InlineIndices(inline.to_vec())),
            restart_index: draw.input.restart_index,
            primitive: draw.primitive,
            first_vertex_provokes: draw.raster.first_vertex_provokes,
            first_vertex_of_quads_provokes: draw.raster.first_vertex_of_quads_provokes,
            polygon_mode: draw.raster.polygon_mode,
            edge_flag_changes: draw.raster.edge_flag_changes.clone(),
            has_geometry_program: draw.geometry.is_some(),
            has_numbers: draw.reads_primitive_numbers(),
            vertex_isa: draw.vertex.isa(),
        })
    }
}

impl GeometryKey {
    /// The bytes of the indices that it holds.
    pub(in crate::kernels) fn bytes(&self) -> usize {
        self.inline.as_ref().map_or(0, |indices| size_of_val(indices.0.as_slice()))
    }

    /// The indices in memory that the geometry comes from, if any.
    pub(in crate::kernels) fn indices(&self) -> Option<MemoryWindow> {
        self.indices.map(|(window, _)| window)
    }
}

/// Joins adjacent ranges.
fn joined(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut joined: Vec<(u32, u32)> = Vec::new();
    for &(first, count) in ranges {
        if let Some((last, length)) = joined.last_mut()
            && last.checked_add(*length) == Some(first)
            && let Some(sum) = length.checked_add(count)
        {
            *length = sum;
        } else {
            joined.push((first, count));
        }
    }
    joined
}

#[cfg(test)]
impl GeometryKey {
    /// A key of points that start at an index.
    pub(in crate::kernels) fn of_points(first: u32) -> Self {
        Self {
            indices: None,
            ranges: vec![(first, 99)],
            inline: None,
            restart_index: None,
            primitive: PrimitiveType::Points,
            first_vertex_provokes: false,
            first_vertex_of_quads_provokes: false,
            polygon_mode: [PolygonMode::Fill; 2],
            edge_flag_changes: Vec::new(),
            has_geometry_program: false,
            has_numbers: false,
            vertex_isa: Some(VertexIsa::Pica200),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_of_the_stream_are_compared_whole() {
        let indices = InlineIndices((0..1000).collect());
        let mut others = indices.clone();
        others.0[1] += 1;
        assert!(indices != others && indices == indices.clone());
        let hash = |indices: &InlineIndices| {
            let mut state = std::hash::DefaultHasher::new();
            indices.hash(&mut state);
            state.finish()
        };
        assert_eq!(hash(&indices), hash(&others), "the second one is not hashed");
        assert_ne!(hash(&indices), hash(&InlineIndices((1..1001).collect())));
    }

    #[test]
    fn ranges_that_follow_each_other_are_joined() {
        assert_eq!(joined(&[(0, 256), (256, 44), (300, 1), (302, 5)]), [(0, 301), (302, 5)]);
        assert_eq!(joined(&[(u32::MAX, 1), (0, 1)]), [(u32::MAX, 1), (0, 1)], "ranges end where numbers do");
    }
}
