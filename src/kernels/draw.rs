//! A draw as dispatches: vertices, geometry, shading, merging.

use std::sync::Arc;

use super::draw_kernels::{DrawKernels, PixelKernels};
use super::draw_tiles::{self, TileDispatches, TileKernels};
use super::engine::Kernels;
use super::geometry::{Assembled, QuadLists, TileBins};
use super::kept_draws::{DrawKey, KeptBatch};
use super::merge_pixels::{MergeParameters, TILES_PER_GROUP};
use super::run_vertex_programs;
use super::shade_quads::{self, ShadeHeader};
use super::texture_parameters::ShadeParameters;
use crate::gpu::{Bound, DeviceError, Kernel, Recording};
use crate::memory::MemoryWindow;
use crate::program::fragment::FragmentProgram;
use crate::program::vertex::VertexProgram;
use crate::reference::assemble_primitives::assemble_primitives;
use crate::reference::engine::check_draw;
use crate::reference::resolve_elements::resolve_elements;
use crate::reference::vertex_batches::{BATCH_VERTICES, vertex_batches};
use crate::work::{Draw, Elements, EngineError, IndexType, TextureState};

impl Kernels {
    pub(super) fn draw(&mut self, draw: &Draw) -> Result<(), EngineError> {
        check_draw(draw)?;
        let (vertex_program, fragment_program) = self.programs(draw)?;
        let batches = self.resolved(draw)?;
        if batches.is_empty() || draw.raster.clip.is_empty() {
            return Ok(());
        }
        self.heap.upload(&self.gpu, &mut self.recording)?;
        let kernels = self.kernels(draw, &vertex_program, &fragment_program)?;
        if matches!(kernels.pixels, PixelKernels::Split { .. }) && draw.samples_its_targets(u16::MAX) {
            self.keep_texels(draw)?;
        }
        self.mark_targets(draw);
        for batch in &*batches {
            self.draw_batch(draw, &kernels, (&vertex_program, &fragment_program), batch)?;
        }
        self.bound_recording()
    }

    /// The vertices and primitives of a draw; none where it assembles no primitive.
    fn resolved(&mut self, draw: &Draw) -> Result<Arc<[KeptBatch]>, EngineError> {
        let reached = reached_indices(&draw.elements);
        let key = DrawKey::new(draw, reached);
        if let Some(key) = &key
            && let Some(batches) = self.kept_draws.find(&self.gpu, &self.heap, key)?
        {
            return Ok(batches);
        }
        if let Some(reached) = reached {
            self.heap.download(&self.gpu, &mut self.recording, reached)?;
        }
        let writes = self.heap.writes();
        let elements = resolve_elements(self.heap.host(), draw)?;
        let primitives = assemble_primitives(draw.primitive, &elements.order, &draw.raster);
        if primitives.is_empty() {
            return Ok(Arc::new([]));
        }
        let batches = vertex_batches(elements.unique, primitives, BATCH_VERTICES);
        let batches: Arc<[KeptBatch]> = batches.into_iter().map(KeptBatch::from).collect();
        if let Some(key) = key {
            self.kept_draws.insert(key, writes, &batches);
        }
        Ok(batches)
    }

    /// Copies the memory that a draw samples, at the same places, so that its own writes are not found there.
    fn keep_texels(&mut self, draw: &Draw) -> Result<(), EngineError> {
        let heap = self.heap.buffer();
        if self.texels_before.size() < heap.size() {
            self.texels_before = self.gpu.buffer("texels before a draw", heap.size())?;
        }
        for window in draw.textures.iter().flatten().flat_map(TextureState::sampled_windows) {
            let window = self.heap.locate(window);
            let start = u64::from(window.start) & !3;
            let end = (u64::from(window.start) + u64::from(window.bytes)).next_multiple_of(4).min(heap.size());
            self.recording.copy((heap, start), (&self.texels_before, start), end - start);
        }
        Ok(())
    }

    /// Runs the vertices of a batch, then draws its primitives.
    fn draw_batch(
        &mut self,
        draw: &Draw,
        kernels: &DrawKernels,
        (vertex_program, fragment_program): (&VertexProgram, &FragmentProgram),
        batch: &KeptBatch,
    ) -> Result<(), EngineError> {
        self.run_vertices(draw, kernels, vertex_program, batch)?;
        match &kernels.pixels {
            PixelKernels::Fused { kernels, quad_rounds } => {
                self.draw_tiles(draw, (kernels, *quad_rounds), fragment_program, batch)
            }
            PixelKernels::Split { shade, merge, shaded_stride } => {
                self.draw_quads(draw, [shade, merge], *shaded_stride, fragment_program, batch)
            }
        }
    }

    /// Draws primitives by one kernel, which takes so many rounds of loops for a quad.
    fn draw_tiles(
        &mut self,
        draw: &Draw,
        (kernels, quad_rounds): (&TileKernels, u64),
        program: &FragmentProgram,
        batch: &KeptBatch,
    ) -> Result<(), EngineError> {
        let (gpu, heap, counters, vertices) = (&self.gpu, &self.heap, &self.counters, &self.vertices);
        let locate = |window| heap.locate(window);
        let textures = ShadeParameters::new(&draw.textures, &locate);
        let stage = &mut self.tile_stage;
        let mut consume = |recording: &mut Recording, tiles: &TileBins<'_>| -> Result<(), DeviceError> {
            let merge = MergeParameters::new(&draw.rop, &draw.targets, 0, tiles.tile_count, &locate);
            let textures = recording.store_changed("shade parameters", bytemuck::bytes_of(&textures))?;
            let bindings = [
                (0, heap.buffer().into()),
                (4, vertices.into()),
                (6, tiles.parameters),
                (7, tiles.records.into()),
                (8, tiles.bins.into()),
                (11, Bound::from(&textures)),
                (15, counters.into()),
                (19, heap.buffer().into()),
            ];
            let dispatches = TileDispatches {
                kernels: [&kernels.plain, &kernels.exact],
                bindings: &bindings,
                parameters: &|has_begun| draw_tiles::parameters(&merge, has_begun, program),
                tile_count: tiles.tile_count,
                most: draw_tiles::most_dispatches(tiles.primitive_count, tiles.tile_quads, quad_rounds),
            };
            stage.dispatch(gpu, recording, &dispatches)
        };
        let assembled = assembled(vertices, batch);
        self.geometry.draw_tiles(gpu, &mut self.recording, draw, &assembled, &mut consume)?;
        Ok(())
    }

    /// Draws primitives by a kernel per stage.
    fn draw_quads(
        &mut self,
        draw: &Draw,
        [shade, merge_kernel]: [&Kernel; 2],
        shaded_stride: u32,
        program: &FragmentProgram,
        batch: &KeptBatch,
    ) -> Result<(), EngineError> {
        let (gpu, heap) = (&self.gpu, &self.heap);
        let locate = |window| heap.locate(window);
        let textures = ShadeParameters::new(&draw.textures, &locate);
        let stride = u64::from(shaded_stride);
        let (shaded, counters, vertices) = (&mut self.shaded, &self.counters, &self.vertices);
        let texels = if draw.samples_its_targets(u16::MAX) { &self.texels_before } else { heap.buffer() };
        let thresholds = &self.srgb_thresholds;
        let mut consume = |recording: &mut Recording, quads: &QuadLists<'_>| -> Result<(), DeviceError> {
            let bytes = u64::from(quads.most_quads) * stride * 16;
            if shaded.size() < bytes {
                *shaded = gpu.buffer("shaded quads", bytes.next_power_of_two())?;
            }
            let header = ShadeHeader { quad_count: quads.most_quads, ..ShadeHeader::default() };
            let constants = shade_quads::constants(header, program);
            let constants = recording.store_changed("fragment constants", bytemuck::cast_slice(&constants))?;
            let textures = recording.store_changed("shade parameters", bytemuck::bytes_of(&textures))?;
            let bindings = [
                (0, texels.into()),
                (4, vertices.into()),
                (6, quads.parameters),
                (7, quads.records.into()),
                (10, quads.quads.into()),
                (11, Bound::from(&textures)),
                (12, (&constants).into()),
                (13, (&*shaded).into()),
            ];
            recording.dispatch_indirect(shade, &bindings, quads.groups, 0);
            let merge = MergeParameters::new(&draw.rop, &draw.targets, quads.first_tile, quads.tile_count, &locate);
            let merge = recording.store_changed("merge parameters", bytemuck::bytes_of(&merge))?;
            let bindings = [
                (0, Bound::from(heap.buffer())),
                (9, quads.tiles.into()),
                (11, thresholds.into()),
                (13, (&*shaded).into()),
                (14, (&merge).into()),
                (15, counters.into()),
            ];
            recording.dispatch(merge_kernel, &bindings, [quads.tile_count.div_ceil(TILES_PER_GROUP), 1, 1]);
            Ok(())
        };
        let assembled = assembled(vertices, batch);
        self.geometry.draw(gpu, &mut self.recording, draw, &assembled, &mut consume)?;
        Ok(())
    }

    /// Records the vertex program over these vertices; what came before is submitted where that may take long.
    fn run_vertices(
        &mut self,
        draw: &Draw,
        kernels: &DrawKernels,
        program: &VertexProgram,
        batch: &KeptBatch,
    ) -> Result<(), EngineError> {
        let indices = batch.vertices.as_slice();
        self.vertices_run += indices.len() as u64;
        let (gpu, heap, recording) = (&self.gpu, &self.heap, &mut self.recording);
        let bytes = indices.len() as u64 * 256;
        if self.vertices.size() < bytes {
            let limit = gpu.summary().max_binding_bytes;
            self.vertices = gpu.buffer("vertices", bytes.next_power_of_two().min(limit))?;
        }
        let constants = run_vertex_programs::constant_store(&draw.vertex.constants);
        let stream = match batch.kept_vertices() {
            Some(_) => Vec::new(),
            None => run_vertex_programs::vertex_stream(draw, indices),
        };
        let count = u32::try_from(indices.len()).expect("a batch has few vertices");
        let parameters =
            run_vertex_programs::VertexParameters::new(draw, program, count, &|window| heap.locate(window));
        for range in run_vertex_programs::dispatch_ranges(program, count) {
            if range.start != 0 {
                gpu.flush(recording)?;
            }
            let constants = recording.store_changed("vertex constants", bytemuck::cast_slice(&constants))?;
            let stored;
            let stream = if let Some(kept) = batch.kept_vertices() {
                Bound::from(kept)
            } else {
                stored = recording.store_changed("vertex stream", bytemuck::cast_slice(&stream))?;
                Bound::from(&stored)
            };
            let parameters = run_vertex_programs::VertexParameters {
                first_vertex: range.start,
                vertex_count: range.end,
                ..parameters
            };
            let parameters = recording.store_changed("vertex parameters", bytemuck::bytes_of(&parameters))?;
            let bindings = [
                (0, heap.buffer().into()),
                (1, Bound::from(&parameters)),
                (2, (&constants).into()),
                (3, stream),
                (4, (&self.vertices).into()),
                (19, heap.buffer().into()),
            ];
            let workgroups =
                run_vertex_programs::workgroups(range.end - range.start, program, gpu.summary().is_software());
            recording.dispatch(&kernels.vertex, &bindings, workgroups);
        }
        Ok(())
    }

    /// Notes which memory a draw may have changed.
    fn mark_targets(&mut self, draw: &Draw) {
        let clip = draw.raster.clip.texels(draw.targets.samples);
        let (right, bottom) = (clip.x + clip.width, clip.y + clip.height);
        let bytes = draw.targets.color_format.bytes();
        for target in draw.targets.color.iter().flatten() {
            self.mark(target.window, target.layout.span_bytes(right, bottom, bytes));
        }
        if let Some(zeta) = draw.rop.used_zeta(&draw.targets) {
            self.mark(zeta.window, zeta.layout.span_bytes(right, bottom, zeta.format.bytes()));
        }
    }

    pub(super) fn mark(&mut self, window: MemoryWindow, bytes: u64) {
        self.heap.mark_device_write(window.truncated(u32::try_from(bytes).unwrap_or(u32::MAX)));
    }
}

/// A batch as the geometry stages take it.
fn assembled<'a>(vertices: &'a wgpu::Buffer, batch: &'a KeptBatch) -> Assembled<'a> {
    let vertex_count = u32::try_from(batch.vertices.len()).expect("a batch has few vertices");
    Assembled { vertices, vertex_count, primitives: &batch.primitives, kept: batch.kept_primitives() }
}

/// The index buffer as far as a draw reaches.
fn reached_indices(elements: &Elements) -> Option<MemoryWindow> {
    let Elements::Buffer { window, index_type, ranges } = elements else { return None };
    let bytes = match index_type {
        IndexType::U16 => 2,
        IndexType::U32 => 4,
    };
    let ends = ranges.iter().map(|&(first, count)| (u64::from(first) + u64::from(count)) * bytes);
    Some(window.truncated(u32::try_from(ends.max().unwrap_or(0)).unwrap_or(u32::MAX)))
}
