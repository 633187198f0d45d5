//! A draw as dispatches: vertices, geometry, shading, merging.

use std::sync::Arc;

use super::counted_draws::{CountPlace, CountedQuads, CountedRecords};
use super::draw_kernels::PixelKernels;
use super::draw_tiles::{self, TileDispatches, TileKernels};
use super::engine::Kernels;
use super::geometry::{Assembled, QuadLists, TileBins};
use super::joined_draws::{JoinedDraws, VertexRun, reached_indices};
use super::kept_draws::{DrawKey, KeptBatch, ResolvedDraw};
use super::merge_pixels::{MergeParameters, TILES_PER_GROUP};
use super::shade_quads::{self, ShadeHeader};
use super::texel_image::TexelImage;
use super::texture_parameters::ShadeParameters;
use crate::counters::ElementCounts;
use crate::gpu::{Bound, DeviceError, Kernel, Recording};
use crate::memory::MemoryWindow;
use crate::pipeline::front_end::assemble_primitives::assemble_primitives;
use crate::pipeline::front_end::check_draw::check_draw;
use crate::pipeline::front_end::fetch_indices::fetch_indices;
use crate::pipeline::front_end::vertex_batches::{BATCH_VERTICES, vertex_batches};
use crate::pipeline::{Draw, EngineError, TextureState};
use crate::recompiler::software::continuations::Turns;
use crate::recompiler::software::iteration_budget::QuadRounds;

/// The kernels of separate stages, and where fetches find texels.
struct SplitKernels<'a> {
    shade: &'a Kernel,
    merge: &'a Kernel,
    shaded_stride: u32,
    /// Words of a quad that count what its program does.
    flow_counts: u32,
    texels: &'a wgpu::Buffer,
}

impl Kernels {
    /// Takes a draw, which may wait for others to join it.
    pub(super) fn draw(&mut self, draw: &Draw) -> Result<(), EngineError> {
        check_draw(draw)?;
        if self.join(draw)? {
            return Ok(());
        }
        self.draw_waiting()?;
        let (vertex_program, fragment_program) = self.programs(draw)?;
        let resolved = self.resolved(draw)?;
        if resolved.batches.is_empty() || draw.raster.clip.is_empty() {
            self.begin_count(draw, (&vertex_program, &fragment_program), &resolved, false)?;
            return Ok(());
        }
        self.heap.upload(&self.gpu, &mut self.recording)?;
        let kernel = self.vertex_kernel(draw, &vertex_program)?;
        let pixels = self.pixel_kernels(draw, &fragment_program)?;
        // What is refused before is not counted.
        let in_tiles = matches!(pixels, PixelKernels::Fused { .. });
        let counted = self.begin_count(draw, (&vertex_program, &fragment_program), &resolved, in_tiles)?;
        let (program, batches) = (Arc::new(vertex_program), resolved.batches);
        let run = VertexRun { draw: draw.clone(), program, kernel, batches, number: 0 };
        let draws = JoinedDraws::new(run, pixels, fragment_program, counted);
        if draws.is_open() {
            self.waiting = Some(draws);
            return Ok(());
        }
        self.draw_joined(&draws)
    }

    /// Records the draws that wait.
    pub(super) fn draw_waiting(&mut self) -> Result<(), EngineError> {
        match self.waiting.take() {
            Some(draws) => self.draw_joined(&draws),
            None => Ok(()),
        }
    }

    fn draw_joined(&mut self, draws: &JoinedDraws) -> Result<(), EngineError> {
        // Before the draw's own writes count: a page may hold texels and pixels.
        match draws.pixels {
            PixelKernels::Split { copied_units, .. } => self.keep_texels(draws.first(), copied_units)?,
            PixelKernels::Fused { imaged_units, .. } => self.refresh_texel_image(draws.first(), imaged_units)?,
        }
        draws.written.iter().for_each(|window| self.heap.mark_device_write(*window));
        if let [run] = draws.runs.as_slice() {
            for batch in &*run.batches {
                self.run_vertices(draws, batch, std::slice::from_ref(&(0..batch.vertices.len())))?;
                self.draw_primitives(draws, batch)?;
            }
        } else {
            let (batch, ranges) = draws.joined_batch();
            self.run_vertices(draws, &batch, &ranges)?;
            self.draw_primitives(draws, &batch)?;
        }
        self.bound_recording()
    }

    /// The vertices and primitives of a draw.
    pub(super) fn resolved(&mut self, draw: &Draw) -> Result<ResolvedDraw, EngineError> {
        let reached = reached_indices(&draw.elements);
        let key = DrawKey::new(draw, reached);
        let options = self.counting_options();
        if let Some(key) = &key
            && let Some(resolved) = self.kept_draws.find(&self.gpu, &self.heap, key, options.is_some())?
        {
            return Ok(resolved);
        }
        if let Some(reached) = reached {
            self.heap.download(&self.gpu, &mut self.recording, reached)?;
        }
        let writes = self.heap.writes();
        let elements = fetch_indices(self.heap.host(), draw)?;
        let counts = options.map(|options| Arc::new(ElementCounts::of_indices(&elements, options)));
        let primitives = assemble_primitives(draw.primitive, &elements.order, &draw.raster);
        if primitives.is_empty() {
            return Ok(ResolvedDraw { batches: Arc::new([]), elements: counts });
        }
        let batches = vertex_batches(elements.unique, primitives, BATCH_VERTICES);
        let resolved = ResolvedDraw { batches: batches.into_iter().map(KeptBatch::from).collect(), elements: counts };
        if let Some(key) = key {
            self.kept_draws.insert(key, writes, resolved.clone());
        }
        Ok(resolved)
    }

    /// Copies the memory that units sample, at the same places, so that a draw does not find its own writes there.
    fn keep_texels(&mut self, draw: &Draw, units: u16) -> Result<(), EngineError> {
        let textures = (0..16).filter(|unit| units >> unit & 1 != 0).filter_map(|unit| draw.textures[unit].as_ref());
        let heap = self.heap.buffer();
        if units != 0 && self.texels_before.size() < heap.size() {
            self.texels_before = self.gpu.buffer("texels before a draw", heap.size())?;
        }
        for window in textures.flat_map(TextureState::sampled_windows) {
            let window = self.heap.locate(window);
            let start = u64::from(window.start) & !3;
            let end = (u64::from(window.start) + u64::from(window.bytes)).next_multiple_of(4).min(heap.size());
            self.recording.copy((heap, start), (&self.texels_before, start), end - start);
        }
        Ok(())
    }

    /// Brings the copy of what units sample up to date.
    fn refresh_texel_image(&mut self, draw: &Draw, units: u16) -> Result<(), EngineError> {
        let textures = (0..16).filter(|unit| units >> unit & 1 != 0).filter_map(|unit| draw.textures[unit].as_ref());
        if let Some(image) = &mut self.texel_image {
            let windows = textures.flat_map(TextureState::sampled_windows);
            image.refresh(&self.gpu, &mut self.recording, &self.heap, windows)?;
        }
        Ok(())
    }

    /// Draws the primitives of vertices that have been run.
    fn draw_primitives(&mut self, draws: &JoinedDraws, batch: &KeptBatch) -> Result<(), EngineError> {
        self.geometry_passes += 1;
        if let Some(place) = draws.counted {
            let (geometry, counted) = (&self.geometry, (&self.counters, place.first, place.stride));
            let assembled = assembled(&self.vertices, batch, None);
            self.reject_stage.count(&self.gpu, &mut self.recording, geometry, draws.first(), &assembled, counted)?;
        }
        match &draws.pixels {
            PixelKernels::Fused { kernels, rounds, .. } => self.draw_tiles(draws, (kernels, *rounds), batch),
            PixelKernels::Split { shade, merge, shaded_stride, flow_counts, copied_units } => {
                let texels = if *copied_units != 0 { &self.texels_before } else { self.heap.buffer() }.clone();
                let (shaded_stride, flow_counts) = (*shaded_stride, *flow_counts);
                let kernels = SplitKernels { shade, merge, shaded_stride, flow_counts, texels: &texels };
                self.draw_quads(draws, &kernels, batch)
            }
        }
    }

    /// Draws primitives by one kernel, which takes so many rounds of loops for a quad.
    fn draw_tiles(
        &mut self,
        draws: &JoinedDraws,
        (kernels, rounds): (&TileKernels, QuadRounds),
        batch: &KeptBatch,
    ) -> Result<(), EngineError> {
        let (draw, program) = (draws.first(), &draws.fragment_program);
        let (gpu, heap, counters, vertices) = (&self.gpu, &self.heap, &self.counters, &self.vertices);
        let locate = |window| heap.locate(window);
        let textures = ShadeParameters::new(&draw.textures, &locate);
        let stage = &mut self.tile_stage;
        let image = self.texel_image.as_ref().and_then(TexelImage::view);
        let mut consume = |recording: &mut Recording, tiles: &TileBins<'_>| -> Result<(), DeviceError> {
            let merge = MergeParameters::new(&draw.rop, &draw.targets, 0, 0, &locate);
            let textures = recording.store_changed("shade parameters", bytemuck::bytes_of(&textures))?;
            let mut bindings = vec![
                (0, heap.buffer().into()),
                (4, vertices.into()),
                (6, tiles.parameters),
                (7, tiles.records.into()),
                (8, tiles.bins.into()),
                (11, Bound::from(&textures)),
                (15, counters.into()),
                (19, heap.buffer().into()),
            ];
            bindings.extend(image.map(|view| (20, view.into())));
            let dispatches = TileDispatches {
                kernels: [kernels.plain.as_ref().unwrap_or(&kernels.exact), &kernels.exact],
                bindings: &bindings,
                parameters: &|walk| draw_tiles::parameters(&merge, walk, program),
                groups: tiles.groups,
                cell_count: tiles.cell_count,
                turns: Turns::new(tiles.primitive_count, tiles.cell_quads, rounds),
            };
            stage.dispatch(gpu, recording, &dispatches)
        };
        let counted = draws.counted.map(|place| place.records(counters, draws.runs.len()));
        let assembled = assembled(vertices, batch, counted);
        self.geometry.draw_tiles(gpu, &mut self.recording, draw, &assembled, rounds, &mut consume)?;
        Ok(())
    }

    /// Draws primitives by a kernel per stage.
    fn draw_quads(
        &mut self,
        draws: &JoinedDraws,
        kernels: &SplitKernels<'_>,
        batch: &KeptBatch,
    ) -> Result<(), EngineError> {
        let (draw, program, counted) = (draws.first(), &draws.fragment_program, draws.counted);
        let (gpu, heap) = (&self.gpu, &self.heap);
        let locate = |window| heap.locate(window);
        let textures = ShadeParameters::new(&draw.textures, &locate);
        let stride = u64::from(kernels.shaded_stride);
        let (shaded, counters, vertices) = (&mut self.shaded, &self.counters, &self.vertices);
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
                (0, kernels.texels.into()),
                (4, vertices.into()),
                (6, quads.parameters),
                (7, quads.records.into()),
                (10, quads.quads.into()),
                (11, Bound::from(&textures)),
                (12, (&constants).into()),
                (13, (&*shaded).into()),
            ];
            recording.dispatch_indirect(kernels.shade, &bindings, quads.groups, 0);
            let mut merge = MergeParameters::new(&draw.rop, &draw.targets, quads.first_tile, quads.tile_count, &locate);
            merge.first_count = counted.map_or(0, |place| place.first);
            let merge = recording.store_changed("merge parameters", bytemuck::bytes_of(&merge))?;
            let bindings = [
                (0, Bound::from(heap.buffer())),
                (9, quads.tiles.into()),
                (11, thresholds.into()),
                (13, (&*shaded).into()),
                (14, (&merge).into()),
                (15, counters.into()),
            ];
            recording.dispatch(kernels.merge, &bindings, [quads.tile_count.div_ceil(TILES_PER_GROUP), 1, 1]);
            let Some(place) = counted else { return Ok(()) };
            let merged = CountedQuads {
                counters,
                shaded: &*shaded,
                groups: quads.groups,
                most_quads: quads.most_quads,
                stride: kernels.shaded_stride,
                flow_counts: kernels.flow_counts,
            };
            place.count_quads(gpu, recording, &merged)
        };
        let vectors = [kernels.shaded_stride, kernels.flow_counts.div_ceil(4)];
        let counted = counted.map(|place| CountedRecords {
            most_quads: CountPlace::most_quads(gpu, vectors),
            ..place.records(counters, draws.runs.len())
        });
        let assembled = assembled(vertices, batch, counted);
        self.geometry.draw(gpu, &mut self.recording, draw, &assembled, &mut consume)?;
        Ok(())
    }

    pub(super) fn mark(&mut self, window: MemoryWindow, bytes: u64) {
        self.heap.mark_device_write(window.truncated(u32::try_from(bytes).unwrap_or(u32::MAX)));
    }
}

/// A batch as the geometry stages take it.
fn assembled<'a>(
    vertices: &'a wgpu::Buffer,
    batch: &'a KeptBatch,
    counted: Option<CountedRecords<'a>>,
) -> Assembled<'a> {
    let vertex_count = u32::try_from(batch.vertices.len()).expect("a batch has few vertices");
    Assembled { vertices, vertex_count, primitives: &batch.primitives, kept: batch.kept_primitives(), counted }
}
