//! Vertices and primitives of draws that come again: nothing of them is read, assembled or sent twice.
//!
//! What a draw resolves to depends on its element ranges, on the state that assembly reads, and on the bytes of the index
//! buffer. The heap counts writes by page, so that looking up a draw never reads an index.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::geometry::KeptPrimitives;
use super::heap::Heap;
use super::vertex_spans::vertex_spans;
use crate::counters::ElementCounts;
use crate::gpu::{DeviceError, Gpu};
use crate::memory::MemoryWindow;
use crate::pipeline::front_end::assemble_primitives::Primitive;
use crate::pipeline::front_end::vertex_batches::VertexBatch;
use crate::pipeline::{Draw, Elements, IndexType, PolygonMode, PrimitiveType};

/// Most bytes that are kept, on the host and on the device together.
const KEPT_BYTES: usize = 1 << 26;
/// Most draws that are kept.
const KEPT_DRAWS: usize = 1 << 12;
/// Draws of fewer elements are as quickly resolved as found.
const LEAST_ELEMENTS: u64 = 64;

/// Everything that the vertices and primitives of a draw depend on, but for the bytes of the index buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct DrawKey {
    /// The index buffer as far as the draw reaches, and its type; `None` for ranges of the arrays.
    indices: Option<(MemoryWindow, IndexType)>,
    ranges: Vec<(u32, u32)>,
    restart_index: Option<u32>,
    primitive: PrimitiveType,
    first_vertex_provokes: bool,
    polygon_mode: [PolygonMode; 2],
    edge_flag_changes: Vec<u32>,
}

impl DrawKey {
    /// The key of a draw that is worth keeping; `reached` is the index buffer as far as it reaches.
    pub(super) fn new(draw: &Draw, reached: Option<MemoryWindow>) -> Option<Self> {
        let (ranges, index_type) = match &draw.elements {
            Elements::Ranges(ranges) => (ranges, None),
            Elements::Buffer { ranges, index_type, .. } => (ranges, Some(*index_type)),
            Elements::Inline(_) | Elements::Immediate(_) => return None,
        };
        if ranges.iter().map(|(_, count)| u64::from(*count)).sum::<u64>() < LEAST_ELEMENTS {
            return None;
        }
        Some(Self {
            indices: reached.zip(index_type),
            ranges: joined(ranges),
            restart_index: draw.input.restart_index,
            primitive: draw.primitive,
            first_vertex_provokes: draw.raster.first_vertex_provokes,
            polygon_mode: draw.raster.polygon_mode,
            edge_flag_changes: draw.raster.edge_flag_changes.clone(),
        })
    }
}

/// Ranges in which those that follow each other are one.
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

/// A batch of vertices and the primitives over them.
#[derive(Debug)]
pub(super) struct KeptBatch {
    /// Vertex indices.
    pub(super) vertices: Vec<u32>,
    /// Primitives over them.
    pub(super) primitives: Vec<Primitive>,
    buffers: OnceLock<[wgpu::Buffer; 3]>,
}

impl KeptBatch {
    /// The vertex indices on the device, where they are kept there.
    pub(super) fn kept_vertices(&self) -> Option<&wgpu::Buffer> {
        self.buffers.get().map(|buffers| &buffers[0])
    }

    /// The primitives on the device, where they are kept there.
    pub(super) fn kept_primitives(&self) -> Option<KeptPrimitives<'_>> {
        self.buffers.get().map(|[_, primitives, spans]| KeptPrimitives { primitives, spans })
    }

    /// Sends them to the device, once.
    fn keep(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        if self.buffers.get().is_none() {
            let vertices = gpu.buffer_with("vertex stream", bytemuck::cast_slice(&self.vertices))?;
            let primitives = gpu.buffer_with("primitives", bytemuck::cast_slice(&self.primitives))?;
            let spans = gpu.buffer_with("vertex spans", bytemuck::cast_slice(&vertex_spans(&self.primitives)))?;
            self.buffers.get_or_init(|| [vertices, primitives, spans]);
        }
        Ok(())
    }

    const fn bytes(&self) -> usize {
        2 * (self.vertices.len() * size_of::<u32>() + self.primitives.len() * size_of::<Primitive>())
    }
}

impl From<VertexBatch> for KeptBatch {
    fn from(batch: VertexBatch) -> Self {
        Self { vertices: batch.vertices, primitives: batch.primitives, buffers: OnceLock::new() }
    }
}

/// What a draw resolves to.
#[derive(Debug, Clone)]
pub(super) struct ResolvedDraw {
    /// None where it assembles no primitive.
    pub(super) batches: Arc<[KeptBatch]>,
    /// What the post-transform cache makes of its elements, where draws are counted.
    pub(super) elements: Option<Arc<ElementCounts>>,
}

impl ResolvedDraw {
    pub(super) fn primitives(&self) -> u64 {
        self.batches.iter().map(|batch| batch.primitives.len() as u64).sum()
    }

    fn bytes(&self) -> usize {
        let transforms = self.elements.as_ref().map_or(0, |elements| elements.transforms.len() * size_of::<u32>());
        self.batches.iter().map(KeptBatch::bytes).sum::<usize>() + transforms
    }
}

#[derive(Debug)]
struct KeptDraw {
    resolved: ResolvedDraw,
    /// The heap's count of writes when the indices were read.
    writes: u64,
    last_use: u64,
    bytes: usize,
}

/// The draws that were resolved last.
#[derive(Debug, Default)]
pub(super) struct KeptDraws {
    draws: HashMap<DrawKey, KeptDraw>,
    bytes: usize,
    uses: u64,
}

impl KeptDraws {
    /// A draw that was resolved before, with its elements where they count, and whose indices were not written since.
    pub(super) fn find(
        &mut self,
        gpu: &Gpu,
        heap: &Heap,
        key: &DrawKey,
        counts: bool,
    ) -> Result<Option<ResolvedDraw>, DeviceError> {
        let Some(draw) = self.draws.get_mut(key) else { return Ok(None) };
        if counts && draw.resolved.elements.is_none() {
            return Ok(None);
        }
        if key.indices.is_some_and(|(window, _)| heap.last_write(window) > draw.writes) {
            return Ok(None);
        }
        self.uses += 1;
        draw.last_use = self.uses;
        draw.resolved.batches.iter().try_for_each(|batch| batch.keep(gpu))?;
        Ok(Some(draw.resolved.clone()))
    }

    /// Keeps a draw whose indices were read when the heap had counted so many writes.
    pub(super) fn insert(&mut self, key: DrawKey, writes: u64, resolved: ResolvedDraw) {
        let bytes = resolved.bytes();
        if bytes > KEPT_BYTES {
            return;
        }
        self.remove(&key);
        while self.bytes + bytes > KEPT_BYTES || self.draws.len() >= KEPT_DRAWS {
            let Some((oldest, _)) = self.draws.iter().min_by_key(|(_, draw)| draw.last_use) else { break };
            let oldest = oldest.clone();
            self.remove(&oldest);
        }
        self.uses += 1;
        self.bytes += bytes;
        self.draws.insert(key, KeptDraw { resolved, writes, last_use: self.uses, bytes });
    }

    fn remove(&mut self, key: &DrawKey) {
        if let Some(draw) = self.draws.remove(key) {
            self.bytes -= draw.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_follow_each_other_are_joined() {
        assert_eq!(joined(&[(0, 256), (256, 44), (300, 1), (302, 5)]), [(0, 301), (302, 5)]);
        assert_eq!(joined(&[(u32::MAX, 1), (0, 1)]), [(u32::MAX, 1), (0, 1)], "ranges end where numbers do");
    }

    fn key(first: u32) -> DrawKey {
        DrawKey {
            indices: None,
            ranges: vec![(first, 99)],
            restart_index: None,
            primitive: PrimitiveType::Points,
            first_vertex_provokes: false,
            polygon_mode: [PolygonMode::Fill; 2],
            edge_flag_changes: Vec::new(),
        }
    }

    #[test]
    fn the_oldest_draws_make_room() {
        let vertices = vec![0; KEPT_BYTES / 8 / 4];
        let draw = || ResolvedDraw {
            batches: Arc::new([VertexBatch { vertices: vertices.clone(), primitives: Vec::new() }.into()]),
            elements: None,
        };
        let mut draws = KeptDraws::default();
        (0..6).for_each(|first| draws.insert(key(first), 0, draw()));
        assert_eq!((draws.draws.len(), draws.bytes), (4, KEPT_BYTES));
        assert!(draws.draws.contains_key(&key(5)) && !draws.draws.contains_key(&key(1)));
        draws.insert(key(5), 1, draw());
        assert_eq!((draws.draws.len(), draws.bytes), (4, KEPT_BYTES), "a draw replaces itself");
    }
}
