//! Splits a large draw into batches of primitives whose vertices fit one binding, on the host for both engines.
//!
//! A batch runs its vertices and draws its primitives before the next begins. Both engines split alike, so a draw that
//! writes to the memory of its own vertices has the same result on both. A vertex used by primitives of two batches is
//! shaded in both.

use super::assemble_primitives::Primitive;

/// Limit of vertices in a batch: 64 MiB of output registers, half of what every adapter can bind.
pub const BATCH_VERTICES: usize = 1 << 18;

/// Limit of distinct vertices of a primitive: those of a triangle with adjacency.
const PRIMITIVE_VERTICES: usize = 6;

/// Vertices and the primitives over them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexBatch {
    /// Vertex indices, as in [`FetchedIndices::unique`](super::fetch_indices::FetchedIndices::unique).
    pub vertices: Vec<u32>,
    /// Primitives whose vertices are positions in `vertices`.
    pub primitives: Vec<Primitive>,
}

/// Splits the primitives over `vertices` into batches of at most `limit` vertices, in order.
#[must_use]
pub fn vertex_batches(vertices: Vec<u32>, primitives: Vec<Primitive>, limit: usize) -> Vec<VertexBatch> {
    if vertices.len() <= limit {
        return vec![VertexBatch { vertices, primitives }];
    }
    let mut batches: Vec<VertexBatch> = Vec::new();
    // For each vertex, the last batch that used it, numbered from 1, and its position there.
    let mut places = vec![(0usize, 0u32); vertices.len()];
    for mut primitive in primitives {
        if batches.last().is_none_or(|batch| batch.vertices.len() + PRIMITIVE_VERTICES > limit.max(PRIMITIVE_VERTICES))
        {
            batches.push(VertexBatch { vertices: Vec::new(), primitives: Vec::new() });
        }
        let number = batches.len();
        let Some(batch) = batches.last_mut() else { break };
        let mut place = |vertex: &mut u32| {
            let known = &mut places[*vertex as usize];
            if known.0 != number {
                *known = (number, u32::try_from(batch.vertices.len()).expect("a batch has few vertices"));
                batch.vertices.push(vertices[*vertex as usize]);
            }
            *vertex = known.1;
        };
        primitive.vertices.iter_mut().chain(&mut primitive.face).for_each(&mut place);
        place(&mut primitive.provoking);
        batch.primitives.push(primitive);
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::PrimitiveType;
    use crate::pipeline::front_end::assemble_primitives::assemble_primitives;
    use crate::pipeline::front_end::raster_parameters::tests::plain_raster;

    #[test]
    fn small_draws_are_one_batch() {
        let primitives = assemble_primitives(PrimitiveType::Triangles, &[0, 1, 2], &plain_raster());
        let batches = vertex_batches(vec![7, 8, 9], primitives.clone(), 3);
        assert_eq!(batches, [VertexBatch { vertices: vec![7, 8, 9], primitives }]);
    }

    #[test]
    fn batches_name_their_own_vertices() {
        let elements: Vec<u32> = (0..50).collect();
        let vertices: Vec<u32> = (1000..1050).collect();
        for kind in [PrimitiveType::TriangleStrip, PrimitiveType::Polygon, PrimitiveType::LineLoop] {
            let primitives = assemble_primitives(kind, &elements, &plain_raster());
            let batches = vertex_batches(vertices.clone(), primitives.clone(), 9);
            assert!(batches.len() > 4 && batches.iter().all(|batch| batch.vertices.len() <= 9));
            let named: Vec<_> = batches
                .iter()
                .flat_map(|batch| {
                    let index = |position: u32| batch.vertices[position as usize];
                    batch.primitives.iter().map(move |p| (p.vertices.map(index), p.face.map(index), index(p.provoking)))
                })
                .collect();
            let expected: Vec<_> = primitives
                .iter()
                .map(|p| (p.vertices.map(|v| v + 1000), p.face.map(|v| v + 1000), p.provoking + 1000))
                .collect();
            assert_eq!(named, expected);
        }
    }
}
