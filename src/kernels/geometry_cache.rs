//! Caches the assembled geometry of repeated draws, on the host and on the device.
//!
//! The assembled geometry depends on the [`GeometryKey`] and on the bytes of the index buffer. The mirror of guest
//! memory counts writes by page, so a lookup never reads an index of a buffer.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::context::Context;
use super::memory_mirror::MemoryMirror;
use super::plan::geometry_key::GeometryKey;
use super::plan::merging::DrawSize;
use super::plan::vertex_blocks::vertex_spans;
use super::plan::vertex_sources::reached_indices;
use super::stages::assembled::CachedPrimitives;
use crate::counters::{CountingOptions, ElementCounts};
use crate::gpu::{DeviceError, Gpu};
use crate::pipeline::front_end::assemble_primitives::{Primitive, assemble_draw, primitive_numbers};
use crate::pipeline::front_end::fetch_indices::fetch_indices;
use crate::pipeline::front_end::vertex_batches::{BATCH_VERTICES, VertexBatch, vertex_batches};
use crate::pipeline::{Draw, EngineError};

/// Maximum size of the cached geometry in bytes, on the host and on the device together.
const CACHE_BYTES: usize = 1 << 26;
/// Maximum number of draws in the cache.
const CACHED_DRAWS: usize = 1 << 12;

/// A batch of vertices and their primitives.
#[derive(Debug)]
pub(super) struct GeometryBatch {
    /// Vertex indices.
    pub(super) vertices: Vec<u32>,
    /// Primitives over these vertices.
    pub(super) primitives: Vec<Primitive>,
    /// The number of each primitive in its draw, if the fragment program reads it; else empty.
    pub(super) numbers: Vec<u32>,
    buffers: OnceLock<[wgpu::Buffer; 3]>,
}

impl GeometryBatch {
    /// The vertex indices on the device, if the cache holds them there.
    pub(super) fn cached_vertices(&self) -> Option<&wgpu::Buffer> {
        self.buffers.get().map(|buffers| &buffers[0])
    }

    /// The primitives on the device, if the cache holds them there.
    pub(super) fn cached_primitives(&self) -> Option<CachedPrimitives<'_>> {
        self.buffers.get().map(|[_, primitives, spans]| CachedPrimitives { primitives, spans })
    }

    /// Uploads indices and primitives to the device, once.
    fn upload(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        if self.buffers.get().is_none() {
            let vertices = gpu.buffer_with("vertex stream", bytemuck::cast_slice(&self.vertices))?;
            let primitives = gpu.buffer_with("primitives", bytemuck::cast_slice(&self.primitives))?;
            let spans = gpu.buffer_with("vertex spans", bytemuck::cast_slice(&vertex_spans(&self.primitives)))?;
            self.buffers.get_or_init(|| [vertices, primitives, spans]);
        }
        Ok(())
    }

    /// The numbers of vertices and primitives.
    pub(super) const fn size(&self) -> DrawSize {
        DrawSize { vertices: self.vertices.len(), primitives: self.primitives.len() }
    }

    const fn bytes(&self) -> usize {
        let words = 2 * self.vertices.len() + self.numbers.len();
        words * size_of::<u32>() + 2 * self.primitives.len() * size_of::<Primitive>()
    }
}

impl From<VertexBatch> for GeometryBatch {
    fn from(batch: VertexBatch) -> Self {
        let VertexBatch { vertices, primitives } = batch;
        Self { vertices, primitives, numbers: Vec::new(), buffers: OnceLock::new() }
    }
}

/// The geometry that a draw assembles.
#[derive(Debug, Clone)]
pub(super) struct DrawGeometry {
    /// Empty if the draw assembles no primitive.
    pub(super) batches: Arc<[GeometryBatch]>,
    /// The post-transform cache's counts for the elements, if draws are counted.
    pub(super) elements: Option<Arc<ElementCounts>>,
}

impl DrawGeometry {
    pub(super) fn primitives(&self) -> u64 {
        self.batches.iter().map(|batch| batch.primitives.len() as u64).sum()
    }

    fn bytes(&self) -> usize {
        let transforms = self.elements.as_ref().map_or(0, |elements| elements.transforms.len() * size_of::<u32>());
        self.batches.iter().map(GeometryBatch::bytes).sum::<usize>() + transforms
    }
}

#[derive(Debug)]
struct CachedDraw {
    geometry: DrawGeometry,
    /// The number of writes to guest memory when the indices were read.
    writes: u64,
    last_use: u64,
    bytes: usize,
}

/// The geometry of recently assembled draws.
#[derive(Debug, Default)]
pub(super) struct GeometryCache {
    draws: HashMap<GeometryKey, CachedDraw>,
    bytes: usize,
    uses: u64,
}

impl GeometryCache {
    /// The geometry of a draw: cached, or assembled from indices, which are read back if kernels wrote them.
    pub(super) fn geometry(
        &mut self,
        context: &mut Context,
        draw: &Draw,
        counting: Option<CountingOptions>,
    ) -> Result<DrawGeometry, EngineError> {
        let reached = reached_indices(&draw.elements);
        let key = GeometryKey::new(draw, reached);
        if let Some(key) = &key
            && let Some(geometry) = self.find(&context.gpu, &context.memory, key, counting.is_some())?
        {
            return Ok(geometry);
        }
        if let Some(reached) = reached {
            context.download(reached)?;
        }
        let writes = context.memory.writes();
        let elements = fetch_indices(context.memory.host(), draw)?;
        let counts = counting.map(|options| Arc::new(ElementCounts::of_indices(&elements, options.vertex_cache(draw))));
        let primitives = assemble_draw(draw, &elements.order);
        if primitives.is_empty() {
            return Ok(DrawGeometry { batches: Arc::new([]), elements: counts });
        }
        let batches = vertex_batches(elements.unique, primitives, BATCH_VERTICES);
        let mut numbers = match draw.reads_primitive_numbers() {
            true => primitive_numbers(draw.primitive, &elements.order, &draw.raster),
            false => Vec::new(),
        };
        let batch = |batch: VertexBatch| {
            let others = numbers.split_off(batch.primitives.len().min(numbers.len()));
            let numbers = std::mem::replace(&mut numbers, others);
            GeometryBatch { numbers, ..batch.into() }
        };
        let geometry = DrawGeometry { batches: batches.into_iter().map(batch).collect(), elements: counts };
        if let Some(key) = key {
            self.insert(key, writes, geometry.clone());
        }
        Ok(geometry)
    }

    /// The cached geometry of a draw, with its elements if they are counted, unless its indices were written since.
    fn find(
        &mut self,
        gpu: &Gpu,
        memory: &MemoryMirror,
        key: &GeometryKey,
        counts: bool,
    ) -> Result<Option<DrawGeometry>, DeviceError> {
        let Some(draw) = self.draws.get_mut(key) else { return Ok(None) };
        if counts && draw.geometry.elements.is_none() {
            return Ok(None);
        }
        if key.indices().is_some_and(|window| memory.last_write(window) > draw.writes) {
            return Ok(None);
        }
        self.uses += 1;
        draw.last_use = self.uses;
        draw.geometry.batches.iter().try_for_each(|batch| batch.upload(gpu))?;
        Ok(Some(draw.geometry.clone()))
    }

    /// Caches the geometry of a draw, with the number of writes to guest memory at the time its indices were read.
    fn insert(&mut self, key: GeometryKey, writes: u64, geometry: DrawGeometry) {
        let bytes = key.bytes() + geometry.bytes();
        if bytes > CACHE_BYTES {
            return;
        }
        self.remove(&key);
        while self.bytes + bytes > CACHE_BYTES || self.draws.len() >= CACHED_DRAWS {
            let Some((oldest, _)) = self.draws.iter().min_by_key(|(_, draw)| draw.last_use) else { break };
            let oldest = oldest.clone();
            self.remove(&oldest);
        }
        self.uses += 1;
        self.bytes += bytes;
        self.draws.insert(key, CachedDraw { geometry, writes, last_use: self.uses, bytes });
    }

    fn remove(&mut self, key: &GeometryKey) {
        if let Some(draw) = self.draws.remove(key) {
            self.bytes -= draw.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_draws_make_room() {
        let vertices = vec![0; CACHE_BYTES / 8 / 4];
        let draw = || DrawGeometry {
            batches: Arc::new([VertexBatch { vertices: vertices.clone(), primitives: Vec::new() }.into()]),
            elements: None,
        };
        let mut draws = GeometryCache::default();
        (0..6).for_each(|first| draws.insert(GeometryKey::of_points(first), 0, draw()));
        assert_eq!((draws.draws.len(), draws.bytes), (4, CACHE_BYTES));
        assert!(
            draws.draws.contains_key(&GeometryKey::of_points(5))
                && !draws.draws.contains_key(&GeometryKey::of_points(1))
        );
        draws.insert(GeometryKey::of_points(5), 1, draw());
        assert_eq!((draws.draws.len(), draws.bytes), (4, CACHE_BYTES), "a draw replaces itself");
    }
}
