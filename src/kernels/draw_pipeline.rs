//! The stages of draws in order, and the caches in front of them: turns merged draws into dispatches.

use std::ops::Range;
use std::sync::Arc;

use super::context::Context;
use super::draw_counting::DrawCounting;
use super::geometry_cache::{DrawGeometry, GeometryBatch, GeometryCache};
use super::merged_draws::{MergedDraws, VertexRun};
use super::pipeline_cache::{PipelineCache, PixelKernels, SplitKernels, TileLimits, VertexKernel};
use super::plan::draw_path::PathOptions;
use super::plan::draw_programs::{FragmentCode, StraightPrograms, VertexCode, counted};
use super::plan::merge_pixels::MergeParameters;
use super::plan::path_taken::DrawPath;
use super::plan::reached_memory::ReachedMemory;
use super::plan::run_vertex_programs::{draw_fetch, vertex_stream};
use super::plan::texture_parameters::ShadeParameters;
use super::plan::vec4_stages::has_vec4_programs;
use super::plan::vertex_dispatches::{VertexDispatches, VertexRange};
use super::run_on_host::{HostReason, run_on_host};
use super::software::texel_image::TexelImage;
use super::software::tile_progress::TileProgress;
use super::stages::assembled::{Assembled, PrimitiveList};
use super::stages::geometry::{GeometryOptions, GeometryStage, QuadLists, TileBins};
use super::stages::merge_pixels::{MergeBuffers, MergeStage};
use super::stages::run_geometry_programs::{GeometryProgramStage, ProgramPrimitives};
use super::stages::run_vertex_programs::{DrawnVertices, VertexStage};
use super::stages::shade_quads::{ShadeInputs, ShadeStage};
use super::stages::stream_out::StreamOutStage;
use super::tiles::draw_tiles::{TileDispatches, TileInputs, TileKernels};
use crate::counters::CountingOptions;
use crate::gpu::{Bound, DeviceError, Gpu, Kernel, Recording};
use crate::pipeline::front_end::decode_programs::{decode_fragment_program, decode_vertex_program};
use crate::pipeline::{self, Draw, EngineError, FragmentStage, GpuCommand, StreamOut, Vec4FragmentStage};
use crate::recompiler::compute::SimtGeometryKey;
use crate::recompiler::software::continuations::max_dispatches;
use crate::shader::fragment::FragmentProgram;

/// The number of recent merged draws that are searched for the program of a draw.
const LATEST_RUNS: usize = 8;

/// The options of the pipeline.
#[derive(Debug, Clone, Copy)]
pub(super) struct PipelineOptions {
    pub(super) geometry: GeometryOptions,
    /// Whether draws take the fused path if they can.
    pub(super) fuses: bool,
    /// Whether fused kernels may load and store pixels in pairs.
    pub(super) pairs_pixels: bool,
    /// Whether fused kernels sample a copy of memory, on adapters that read it faster.
    pub(super) copies_texels: bool,
    /// How many uses of a fused kernel precede the compilation of its fast path.
    pub(super) exact_uses: u32,
}

/// Caches and stages of draws.
#[derive(Debug)]
pub(super) struct DrawPipeline {
    options: PipelineOptions,
    pipelines: PipelineCache,
    geometry_cache: GeometryCache,
    /// Counts passing samples and the work of the stages of draws.
    pub(super) counting: DrawCounting,
    vertex: VertexStage,
    programs: GeometryProgramStage,
    /// Writes vertices to memory.
    pub(super) stream_out: StreamOutStage,
    geometry: GeometryStage,
    shade: ShadeStage,
    merge: MergeStage,
    tile_progress: TileProgress,
    texel_image: Option<TexelImage>,
    geometry_passes: u64,
}

impl DrawPipeline {
    /// Creates a pipeline with empty caches.
    pub(super) fn new(gpu: &Gpu, options: PipelineOptions) -> Result<Self, EngineError> {
        Ok(Self {
            pipelines: PipelineCache::new(options.exact_uses),
            geometry_cache: GeometryCache::default(),
            counting: DrawCounting::new(gpu)?,
            vertex: VertexStage::new(gpu)?,
            programs: GeometryProgramStage::default(),
            stream_out: StreamOutStage::default(),
            geometry: GeometryStage::new(options.geometry),
            shade: ShadeStage::new(gpu)?,
            merge: MergeStage::new(gpu)?,
            tile_progress: TileProgress::default(),
            texel_image: TexelImage::new(gpu).filter(|_| options.copies_texels),
            geometry_passes: 0,
            options,
        })
    }

    /// The number of vertices that programs ran on.
    pub(super) const fn vertices_run(&self) -> u64 {
        self.vertex.vertices_run()
    }

    /// The number of primitive setup passes.
    pub(super) const fn geometry_passes(&self) -> u64 {
        self.geometry_passes
    }

    /// Starts counting what draws do.
    pub(super) fn start_counting(
        &mut self,
        context: &mut Context,
        options: CountingOptions,
    ) -> Result<(), EngineError> {
        self.counting.start(context, options)?;
        // The post-transform cache's element counts depend on the options.
        self.geometry_cache = GeometryCache::default();
        Ok(())
    }

    /// Prepares a draw that follows no other. One that draws nothing is done, and so is one that only the host can run; its
    /// path is then the error.
    pub(super) fn prepare(
        &mut self,
        context: &mut Context,
        draw: &Draw,
    ) -> Result<Result<MergedDraws, DrawPath>, EngineError> {
        let counts = self.counting.is_counting() && !has_vec4_programs(draw) && StraightPrograms::new(draw).is_none();
        let counts_stages = self.counting.statistics.map(|_| HostReason::Statistics);
        if let Some(reason) = counts_stages.or_else(|| counts.then_some(HostReason::Counting)) {
            self.run_on_host(context, draw, reason)?;
            return Ok(Err(DrawPath::Host));
        }
        if let Some(stream_out) = &draw.stream_out {
            self.stream_out(context, draw, stream_out)?;
            return match stream_out.rasterizes {
                true => self.prepare(context, &Draw { stream_out: None, ..draw.clone() }),
                false => Ok(Err(DrawPath::Nothing)),
            };
        }
        if let Some(reason) = HostReason::of_state(draw) {
            self.run_on_host(context, draw, reason)?;
            return Ok(Err(DrawPath::Host));
        }
        let Some(Programs { vertex, geometry, fragment }) = self.programs(context, draw)? else {
            self.run_on_host(context, draw, HostReason::Programs)?;
            return Ok(Err(DrawPath::Host));
        };
        let assembled = self.assemble(context, draw)?;
        if assembled.batches.is_empty() || draw.raster.clip.is_empty() {
            self.counting.begin(context, draw, counted(draw, &vertex, &fragment), &assembled, false)?;
            return Ok(Err(DrawPath::Nothing));
        }
        let reached = || ReachedMemory::of_draw(draw, assembled.batches.iter().map(|batch| batch.vertices.as_slice()));
        if !context.memory.can_hold(&|| reached().windows()) {
            let command = GpuCommand::Draw(Box::new(draw.clone()));
            let stages = (&mut self.counting, &mut self.stream_out);
            run_on_host(context, stages, &command, &reached(), HostReason::Memory)?;
            return Ok(Err(DrawPath::Host));
        }
        context.upload(&|| reached().windows())?;
        let vertex_outputs = geometry.as_ref().map_or_else(|| fragment.outputs_read(draw), SimtGeometryKey::slots_read);
        let kernel = self.pipelines.vertex_kernel(context, draw, &vertex, vertex_outputs)?;
        let geometry = geometry.map(|key| self.pipelines.geometry_kernel(context, key)).transpose()?;
        let path = PathOptions {
            fused: self.options.fuses.then_some(self.options.geometry.tile_work),
            max_loop_iterations: self.options.geometry.max_loop_iterations,
            max_bindings: context.gpu.summary().max_bindings,
            pairs_pixels: self.options.pairs_pixels,
            has_texel_image: self.texel_image.as_ref().is_some_and(|image| image.fits(&context.memory)),
            counts: self.counting.is_counting(),
        };
        let pixels = self.pipelines.pixel_kernels(context, draw, &fragment, path)?;
        // Draws that were refused above are not counted.
        let counts_partly = matches!(pixels, PixelKernels::Fused { counts_partly: true, .. });
        let count_place =
            self.counting.begin(context, draw, counted(draw, &vertex, &fragment), &assembled, counts_partly)?;
        let run = VertexRun { draw: draw.clone(), program: vertex, kernel, batches: assembled.batches, number: 0 };
        Ok(Ok(MergedDraws::new(run, geometry, pixels, fragment, count_place)))
    }

    /// Writes the vertices of a draw's primitives to memory.
    fn stream_out(&mut self, context: &mut Context, draw: &Draw, stream_out: &StreamOut) -> Result<(), EngineError> {
        let streamed = draw.streamed();
        let assembled = self.assemble(context, &streamed)?;
        let reached = || ReachedMemory::of_draw(draw, assembled.batches.iter().map(|batch| batch.vertices.as_slice()));
        let slots = stream_out.slots_read();
        let code = match self.vertex_code(&streamed)? {
            Some(vertex) => self.geometry_key(&streamed, slots).map(|geometry| (vertex, geometry)),
            None => None,
        };
        let holds = context.memory.can_hold(&|| reached().windows());
        let Some((vertex, geometry)) = code.filter(|_| holds) else {
            let only = Some(StreamOut { rasterizes: false, ..stream_out.clone() });
            let command = GpuCommand::Draw(Box::new(Draw { stream_out: only, ..draw.clone() }));
            let reason = if holds { HostReason::Programs } else { HostReason::Memory };
            let stages = (&mut self.counting, &mut self.stream_out);
            return run_on_host(context, stages, &command, &reached(), reason);
        };
        context.upload(&|| reached().windows())?;
        let outputs = geometry.as_ref().map_or(slots, SimtGeometryKey::slots_read);
        let kernel = self.pipelines.vertex_kernel(context, &streamed, &vertex, outputs)?;
        let geometry = geometry.map(|key| self.pipelines.geometry_kernel(context, key)).transpose()?;
        stream_out.buffers.iter().for_each(|buffer| context.memory.mark_device_write(buffer.window));
        let corners = streamed.rasterized_primitive().corners();
        let first_provokes = streamed.raster.first_vertex_provokes;
        let run = VertexRun { draw: streamed, program: vertex, kernel, batches: assembled.batches, number: 0 };
        if !stream_out.continues {
            self.stream_out.begin(context)?;
        }
        self.run_batches(context, &run, geometry.as_deref(), &mut |pipeline, context, assembled| {
            Ok(pipeline.stream_out.write(context, stream_out, (assembled, corners), first_provokes)?)
        })?;
        Ok(context.submit_if_full()?)
    }

    /// Runs a draw that has no kernels.
    fn run_on_host(&mut self, context: &mut Context, draw: &Draw, reason: HostReason) -> Result<(), EngineError> {
        if let Some(stage) = draw.fragment.vec4() {
            // Reads its microcode back.
            fragment_program(context, stage)?;
        }
        let geometry = self.assemble(context, draw)?;
        let batches = geometry.batches.iter().map(|batch| batch.vertices.as_slice());
        let (command, reached) = (GpuCommand::Draw(Box::new(draw.clone())), ReachedMemory::of_draw(draw, batches));
        let stages = (&mut self.counting, &mut self.stream_out);
        run_on_host(context, stages, &command, &reached, reason)
    }

    /// The programs of a draw; `None` if kernels do not run one of them.
    fn programs(&mut self, context: &mut Context, draw: &Draw) -> Result<Option<Programs>, EngineError> {
        let vertex = self.vertex_code(draw)?;
        let max_loop_iterations = self.options.geometry.max_loop_iterations;
        let fragment = match &draw.fragment {
            FragmentStage::Vec4(stage) => Some(FragmentCode::Vec4(fragment_program(context, stage)?)),
            FragmentStage::Simt(stage) => {
                FragmentCode::simt(&mut self.pipelines.programs, draw, stage, max_loop_iterations)
            }
        };
        let Some((vertex, fragment)) = vertex.zip(fragment) else { return Ok(None) };
        let geometry = self.geometry_key(draw, fragment.outputs_read(draw));
        Ok(geometry.map(|geometry| Programs { vertex, geometry, fragment }))
    }

    /// The vertex program of a draw; `None` if kernels do not run it.
    fn vertex_code(&mut self, draw: &Draw) -> Result<Option<VertexCode>, EngineError> {
        Ok(match &draw.vertex {
            pipeline::VertexStage::Vec4(stage) => Some(VertexCode::Vec4(Arc::new(decode_vertex_program(stage)?))),
            pipeline::VertexStage::Simt(stage) => VertexCode::simt(&mut self.pipelines.programs, draw, stage),
        })
    }

    /// The geometry program of a draw, if it has one; bit i of `outputs`: later stages read output slot i. `None` if kernels do
    /// not run it.
    fn geometry_key(&mut self, draw: &Draw, outputs: u16) -> Option<Option<SimtGeometryKey>> {
        match &draw.geometry {
            Some(stage) => SimtGeometryKey::new(&mut self.pipelines.programs, stage, draw.primitive, outputs).map(Some),
            None => Some(None),
        }
    }

    /// Assembles the vertices and primitives of a draw.
    pub(super) fn assemble(&mut self, context: &mut Context, draw: &Draw) -> Result<DrawGeometry, EngineError> {
        self.geometry_cache.geometry(context, draw, self.counting.options())
    }

    /// The program and kernel of a draw that follows others: those of a recent draw, if they are the same. `None` if kernels do not
    /// run its program.
    pub(super) fn following_program(
        &mut self,
        context: &Context,
        draws: &MergedDraws,
        draw: &Draw,
    ) -> Result<Option<(VertexCode, Arc<VertexKernel>)>, EngineError> {
        // Merged draws share the state of the later stages.
        let outputs = draws.runs[0].kernel.outputs;
        let mut latest = draws.runs.iter().rev().take(LATEST_RUNS).filter(|run| run.shares_program(draw));
        let Some(last) = latest.next() else {
            let Some(program) = self.vertex_code(draw)? else { return Ok(None) };
            let kernel = self.pipelines.vertex_kernel(context, draw, &program, outputs)?;
            return Ok(Some((program, kernel)));
        };
        let locate = |window| context.locate(window);
        let fetch = draw_fetch(draw, last.kernel.traits.attributes, &locate);
        let kernel = match std::iter::once(last).chain(latest).find(|run| run.kernel.fetch == fetch) {
            Some(run) => Arc::clone(&run.kernel),
            None => self.pipelines.vertex_kernel(context, draw, &last.program, outputs)?,
        };
        Ok(Some((last.program.clone(), kernel)))
    }

    /// Records merged draws.
    pub(super) fn record(&mut self, context: &mut Context, draws: &MergedDraws) -> Result<(), EngineError> {
        if draws.is_stale {
            // A page of theirs may hold what the host wrote beside it.
            context.upload(&|| draws.reached().windows())?;
        }
        // This precedes the marks of the draw's own writes: a page may hold both texels and pixels.
        match &draws.pixels {
            PixelKernels::Split(kernels) => self.shade.copy_texels(context, draws.first(), kernels.copied_units)?,
            PixelKernels::Fused { imaged_units, .. } => {
                self.refresh_texel_image(context, draws.first(), *imaged_units)?;
            }
        }
        draws.written.iter().for_each(|window| context.memory.mark_device_write(*window));
        if let [run] = draws.runs.as_slice() {
            self.run_batches(context, run, draws.geometry.as_deref(), &mut |pipeline, context, assembled| {
                pipeline.draw_primitives(context, draws, assembled)
            })?;
        } else {
            let (batch, ranges) = draws.merged_batch();
            self.run_vertices(context, &draws.runs, &batch, &ranges)?;
            let vertices = self.vertex.vertices().clone();
            self.draw_primitives(context, draws, assembled(&vertices, &batch))?;
        }
        Ok(context.submit_if_full()?)
    }

    /// Brings the copy of the sampled memory up to date.
    fn refresh_texel_image(&mut self, context: &mut Context, draw: &Draw, units: u16) -> Result<(), EngineError> {
        if let Some(image) = self.texel_image.as_mut().filter(|_| units != 0) {
            image.refresh(&context.gpu, &mut context.recording, &context.memory, draw.fetched_windows(units))?;
        }
        Ok(())
    }

    /// Records the vertex programs of draws over their ranges of a batch.
    fn run_vertices(
        &mut self,
        context: &mut Context,
        runs: &[VertexRun],
        batch: &GeometryBatch,
        ranges: &[Range<usize>],
    ) -> Result<(), EngineError> {
        self.vertex.begin(&context.gpu, batch.vertices.len())?;
        let stored;
        let stream = if let Some(cached) = batch.cached_vertices() {
            Bound::from(cached)
        } else {
            let stream: Vec<u32> = (runs.iter().zip(ranges))
                .flat_map(|(run, range)| vertex_stream(&run.draw, &batch.vertices[range.clone()]))
                .collect();
            stored = context.recording.store_changed("vertex stream", bytemuck::cast_slice(&stream))?;
            Bound::from(&stored)
        };
        let VertexDispatches { alone, multi_draws } = VertexDispatches::new(
            ranges,
            |first, second| runs[first].has_inputs_of(&runs[second]),
            |first, second| Arc::ptr_eq(&runs[first].kernel, &runs[second].kernel),
            |draw, workgroups| runs[draw].kernel.joins_multi_draw(workgroups),
        );
        let drawn = |VertexRange { draw, vertices }: &VertexRange| {
            let VertexRun { draw, kernel, .. } = &runs[*draw];
            DrawnVertices { draw, traits: &kernel.traits, vertices: vertices.clone() }
        };
        for range in &alone {
            let VertexRun { draw, program, kernel, .. } = &runs[range.draw];
            let kernel = kernel.compiled_alone(context, draw, program)?;
            self.vertex.run(context, &kernel, &drawn(range), stream)?;
        }
        for multi_draw in &multi_draws {
            let VertexRun { draw, program, kernel, .. } = &runs[multi_draw[0].draw];
            let part = kernel.part.as_deref().expect("its kernel allows multi-draws");
            let kernel = kernel.compiled_multi_draw(context, draw, program, part)?;
            self.vertex.run_multi_draw(context, &kernel, part, multi_draw.iter().map(drawn), stream)?;
        }
        Ok(())
    }

    /// Runs the vertices of a draw, and the geometry program on its primitives if there is one; passes each part to `consume`.
    fn run_batches(
        &mut self,
        context: &mut Context,
        run: &VertexRun,
        geometry: Option<&Kernel>,
        consume: &mut BatchConsumer<'_>,
    ) -> Result<(), EngineError> {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let mut first = 0;
        for batch in &*run.batches {
            self.run_vertices(
                context,
                std::slice::from_ref(run),
                batch,
                std::slice::from_ref(&(0..batch.vertices.len())),
            )?;
            let vertices = self.vertex.vertices().clone();
            let Some((kernel, stage)) = geometry.zip(run.draw.geometry.as_ref()) else {
                consume(self, context, assembled(&vertices, batch))?;
                continue;
            };
            for range in GeometryProgramStage::ranges(stage, number(batch.primitives.len())) {
                let stored;
                let primitives = if let Some(cached) = batch.cached_primitives() {
                    Bound::from(cached.primitives)
                } else {
                    stored = context.recording.store_changed("primitives", bytemuck::cast_slice(&batch.primitives))?;
                    Bound::from(&stored)
                };
                let from = ProgramPrimitives { vertices: &vertices, primitives, range, first_number: first };
                let emitted = self.programs.run(context, (&run.draw, stage), kernel, &from)?;
                consume(self, context, emitted.assembled())?;
            }
            first += number(batch.primitives.len());
        }
        Ok(())
    }

    /// Draws primitives over vertices.
    fn draw_primitives(
        &mut self,
        context: &mut Context,
        draws: &MergedDraws,
        assembled: Assembled<'_>,
    ) -> Result<(), EngineError> {
        if assembled.primitives.is_empty() {
            return Ok(());
        }
        self.geometry_passes += 1;
        self.counting.count_rejects(context, &self.geometry, draws.first(), &assembled, draws.counted)?;
        match &draws.pixels {
            PixelKernels::Fused { kernels, limits, .. } => {
                self.draw_tiles(context, draws, (kernels, *limits), assembled)?;
            }
            PixelKernels::Split(kernels) => self.draw_quads(context, draws, kernels, assembled)?,
        }
        Ok(())
    }

    /// Draws primitives on the fused path.
    fn draw_tiles(
        &mut self,
        context: &mut Context,
        draws: &MergedDraws,
        (kernels, limits): (&TileKernels, TileLimits),
        assembled: Assembled<'_>,
    ) -> Result<(), EngineError> {
        let draw = draws.first();
        let Context { gpu, recording, memory, .. } = context;
        let (counts, vertices) = (self.counting.of_draws(draws.counted, draws.runs.len()), assembled.vertices);
        let locate = |window| memory.locate(window);
        let textures = ShadeParameters::new(&draw.textures, &locate);
        let progress = &mut self.tile_progress;
        let texel_image = self.texel_image.as_ref().and_then(TexelImage::view);
        let mut consume = |recording: &mut Recording, tiles: &TileBins<'_>| -> Result<(), EngineError> {
            let merge = MergeParameters::new(&draw.rop, &draw.targets_of(tiles.layer), 0, 0, &locate);
            let textures = recording.store_changed("shade parameters", bytemuck::bytes_of(&textures))?;
            let inputs = TileInputs {
                memory: memory.buffer(),
                vertices,
                raster: tiles.parameters,
                setups: tiles.setups,
                bins: tiles.bins,
                textures: (&textures).into(),
                counters: counts.counters,
                texel_image,
                srgb_table: self.merge.srgb_table(),
            };
            let dispatches = TileDispatches {
                kernels,
                inputs,
                merge: &merge,
                constants: draws.fragment_program.constants(),
                groups: tiles.groups,
                tile_count: tiles.tile_count,
            };
            match limits {
                TileLimits::Dispatches(rounds) => {
                    let most = max_dispatches(tiles.primitive_count, tiles.tile_quads, rounds);
                    progress.dispatch(gpu, recording, &dispatches, most)
                }
                TileLimits::Primitives(_) => dispatches.dispatch_once(gpu, recording),
            }
        };
        let assembled = Assembled { counted: counts.primitives(), ..assembled };
        let max_primitives = match limits {
            TileLimits::Dispatches(_) => usize::MAX,
            TileLimits::Primitives(count) => count,
        };
        self.geometry.draw_tiles(gpu, recording, draw, (&assembled, max_primitives), &mut consume)
    }

    /// Draws primitives on the split path.
    fn draw_quads(
        &mut self,
        context: &mut Context,
        draws: &MergedDraws,
        kernels: &SplitKernels,
        assembled: Assembled<'_>,
    ) -> Result<(), DeviceError> {
        let draw = draws.first();
        let Context { gpu, recording, memory, .. } = context;
        let (gpu, vertices) = (&*gpu, assembled.vertices);
        let counts = self.counting.of_draws(draws.counted, draws.runs.len());
        let locate = |window| memory.locate(window);
        let inputs = ShadeInputs {
            kernel: &kernels.shade,
            stride: kernels.shaded_stride,
            constants: draws.fragment_program.constants(),
            textures: &ShadeParameters::new(&draw.textures, &locate),
            vertices,
            memory: (kernels.copied_units == 0).then_some(memory.buffer()),
        };
        let (shade, merge) = (&mut self.shade, &self.merge);
        let mut consume = |recording: &mut Recording, quads: &QuadLists<'_>| -> Result<(), DeviceError> {
            shade.shade(gpu, recording, &inputs, quads)?;
            let targets = draw.targets_of(quads.layer);
            let mut parameters = MergeParameters::new(&draw.rop, &targets, quads.first_tile, quads.tile_count, &locate);
            parameters.first_count = counts.first();
            let buffers = MergeBuffers { memory: memory.buffer(), shaded: shade.shaded(), counters: counts.counters };
            merge.merge(recording, &kernels.merge, &parameters, buffers, quads)?;
            counts.count_quads(gpu, recording, kernels, shade.shaded(), quads)
        };
        let assembled = Assembled { counted: counts.primitives_in_rounds(gpu, kernels), ..assembled };
        self.geometry.draw(gpu, recording, draw, &assembled, &mut consume)
    }
}

/// Called with the primitives of each part of a draw, in order.
type BatchConsumer<'c> = dyn FnMut(&mut DrawPipeline, &mut Context, Assembled<'_>) -> Result<(), EngineError> + 'c;

/// The primitives that the host assembled, over vertices that programs ran on.
fn assembled<'a>(vertices: &'a wgpu::Buffer, batch: &'a GeometryBatch) -> Assembled<'a> {
    let vertex_count = u32::try_from(batch.vertices.len()).expect("a batch has few vertices");
    let GeometryBatch { primitives: list, numbers, .. } = batch;
    let primitives = PrimitiveList::Host { list, numbers, cached: batch.cached_primitives() };
    Assembled { vertices, vertex_count, primitives, counted: None }
}

/// The programs of a draw.
struct Programs {
    vertex: VertexCode,
    geometry: Option<SimtGeometryKey>,
    fragment: FragmentCode,
}

/// Decodes a fragment program; reads back the pages of microcode that kernels wrote, up to the end of the program.
fn fragment_program(context: &mut Context, stage: &Vec4FragmentStage) -> Result<FragmentProgram, EngineError> {
    let mut failure = None;
    let mut read = |offset: u32| {
        let word = stage.program.from_offset(offset.checked_mul(4)?).truncated(4);
        if let Err(error) = context.download(word) {
            failure = Some(error);
            return None;
        }
        context.memory.host().slice(word).first_chunk().map(|word| u32::from_le_bytes(*word))
    };
    let program = decode_fragment_program(&mut read);
    match failure {
        Some(error) => Err(error),
        None => program,
    }
}
