//! The engine itself: executes commands in order, the stages of a draw in pipeline order.

use std::collections::BTreeMap;

use super::blit::clear_surface::clear_surfaces;
use super::blit::scale_image::scale_image;
use super::compute::run_launch_over;
use super::compute::shade_quads::shade_simt_quads;
use super::count_threads::FragmentThreads;
use super::counted_draw::CountedDraw;
use super::draw_programs::{DrawPrograms, FragmentCode, VertexPrograms};
use super::fragment::shade_quads::shade_quad;
use super::interp::interpolate::interpolate;
use super::observer::{DrawObserver, Unobserved};
use super::pipeline_statistics::add_fetched;
use super::raster::rasterize_tiles::{CoveredQuad, rasterize_tiles};
use super::rop::merge_pixels::{QuadOutcomes, merge_quad};
use super::setup::set_up_primitives::set_up_batch;
use super::setup::stream_out::write_primitives;
use super::texture::unit::BoundTextures;
use crate::counters::trace::{TraceRoom, TracedDraw};
use crate::counters::{Counters, CountingOptions};
use crate::counting::CountingEngine;
use crate::memory::{GuestMemory, MemoryError, MemorySpace, MemoryWindow};
use crate::pipeline::front_end::assemble_primitives::{Primitive, assemble_draw, primitive_numbers};
use crate::pipeline::front_end::check_draw::check_draw;
use crate::pipeline::front_end::fetch_indices::{FetchedIndices, fetch_indices};
use crate::pipeline::front_end::raster_parameters::RasterParameters;
use crate::pipeline::front_end::vertex_batches::{BATCH_VERTICES, vertex_batches};
use crate::pipeline::host_transfer::{copy_memory, write_words, zero_memory};
use crate::pipeline::launch::LaunchOptions;
use crate::pipeline::primitive_setup::PrimitiveSetup;
use crate::pipeline::{
    CounterReport, Draw, DrawTotals, Engine, EngineError, GpuCommand, MAX_SAMPLES, PipelineCounter, QuadInputs,
    QuadSamples, SampleMode, ShadedQuad, ShadedVertex, SimtFragmentStage,
};

/// Tiles only set the order in which pixels are visited here; the result does not depend on their size.
const TILE_SIZE: u32 = 32;
/// Limit of quads listed at once, unless a single primitive has more.
const LISTED_QUADS: u32 = 1 << 22;
/// Quads that SIMT programs shade at once; the result does not depend on it.
const SHADED_QUADS: usize = 1 << 12;

/// The reference engine and its guest memory.
#[derive(Debug)]
pub struct Reference {
    memory: GuestMemory,
    totals: DrawTotals,
    vertices_run: u64,
    counting: Option<Counting>,
}

/// The counters of draws so far.
#[derive(Debug)]
struct Counting {
    options: CountingOptions,
    draws: Vec<Counters>,
    /// The traces of the same draws, if they are recorded.
    traces: Option<Vec<TracedDraw>>,
    /// Whether anything other than a draw has written memory since the last draw.
    has_written: bool,
}

impl Counting {
    /// Creates the observer of a draw with these primitives.
    fn begin<'draw>(
        &self,
        memory: &GuestMemory,
        draw: &'draw Draw,
        programs: &DrawPrograms<'draw>,
        assembled: (&FetchedIndices, &[Primitive]),
    ) -> Result<CountedDraw<'draw>, EngineError> {
        let room = self.traces.as_deref().map(TraceRoom::beside);
        CountedDraw::new(self.options, memory, draw, programs, assembled, room)
    }

    /// Adds the counters of a draw's observer.
    fn end(&mut self, counted: CountedDraw<'_>, programs: &DrawPrograms<'_>) {
        let (counters, traced) = counted.finish(programs, self.has_written);
        self.draws.push(counters);
        if let Some(traces) = &mut self.traces {
            traces.extend(traced);
            self.has_written = false;
        }
    }
}

/// What the batches of a draw have in common.
struct DrawRun<'run> {
    programs: &'run DrawPrograms<'run>,
    /// Memory as it was before a draw that samples what it writes.
    before: Option<GuestMemory>,
    observer: &'run dyn DrawObserver,
    /// The line stipple counter.
    stipple_counter: u32,
    /// The threads of fragments that the observer counts.
    threads: FragmentThreads,
}

impl Reference {
    /// Creates an engine whose memory can grow to these sizes in bytes.
    ///
    /// # Errors
    /// When a size exceeds the chip's limit.
    pub fn new(vram_bytes: u64, gart_bytes: u64) -> Result<Self, MemoryError> {
        Ok(Self {
            memory: GuestMemory::new(vram_bytes, gart_bytes)?,
            totals: DrawTotals::default(),
            vertices_run: 0,
            counting: None,
        })
    }

    /// Executes a command on the memory of another engine, whose draws have done this so far. Returns the counters of a draw if
    /// draws are counted.
    pub(crate) fn run_on(
        memory: &mut GuestMemory,
        command: &GpuCommand,
        counting: Option<CountingOptions>,
        totals: &mut DrawTotals,
    ) -> Result<Vec<Counters>, EngineError> {
        let mut engine = Self { memory: std::mem::take(memory), totals: *totals, vertices_run: 0, counting: None };
        if let Some(options) = counting {
            engine.start_counting(options)?;
        }
        let done = engine.execute(command);
        let counters = engine.take_counters();
        (*memory, *totals) = (engine.memory, engine.totals);
        done?;
        counters
    }

    /// The number of vertices on which programs have run: an index that a draw repeats counts once.
    #[must_use]
    pub const fn vertices_run(&self) -> u64 {
        self.vertices_run
    }

    /// Records the trace of every draw from the next one on, while draws are counted.
    pub fn start_tracing(&mut self) {
        if let Some(counting) = &mut self.counting {
            counting.traces = Some(Vec::new());
        }
    }

    /// The traces of the draws since they were last taken, in stream order.
    #[must_use]
    pub fn traces(&self) -> &[TracedDraw] {
        self.counting.as_ref().and_then(|counting| counting.traces.as_deref()).unwrap_or_default()
    }

    /// Takes the traces of the draws since the last call, in stream order.
    pub fn take_traces(&mut self) -> Vec<TracedDraw> {
        let traces = self.counting.as_mut().and_then(|counting| counting.traces.as_mut());
        traces.map(std::mem::take).unwrap_or_default()
    }

    /// Guest memory.
    pub(crate) const fn memory(&self) -> &GuestMemory {
        &self.memory
    }

    fn draw(&mut self, draw: &Draw) -> Result<(), EngineError> {
        check_draw(draw)?;
        if let Some(statistics) = &mut self.totals.statistics {
            add_fetched(statistics, &self.memory, draw)?;
        }
        let Some(counting) = &self.counting else {
            self.stream_out(draw)?;
            if draw.rasterizes() {
                let (programs, elements, primitives) = self.decode(draw)?;
                self.rasterize(draw, &programs, (elements, primitives), None)?;
            }
            return Ok(());
        };
        let (programs, mut elements, mut primitives) = self.decode(draw)?;
        let counted = counting.begin(&self.memory, draw, &programs, (&elements, &primitives))?;
        if let Some(stream_out) = &draw.stream_out {
            let before = self.totals.streamed;
            self.stream_out(draw)?;
            counted.add_streamed(stream_out, before, self.totals.streamed);
            // It may have written indices.
            (_, elements, primitives) = self.decode(draw)?;
        }
        if draw.rasterizes() {
            self.rasterize(draw, &programs, (elements, primitives), Some(&counted))?;
        }
        if let Some(counting) = &mut self.counting {
            counting.end(counted, &programs);
        }
        Ok(())
    }

    /// The programs, elements and primitives of a draw.
    fn decode<'draw>(
        &self,
        draw: &'draw Draw,
    ) -> Result<(DrawPrograms<'draw>, FetchedIndices, Vec<Primitive>), EngineError> {
        let programs = DrawPrograms::decode(draw, &self.memory)?;
        let elements = fetch_indices(&self.memory, draw)?;
        let primitives = assemble_draw(draw, &elements.order);
        Ok((programs, elements, primitives))
    }

    /// Rasterizes the primitives of these elements.
    fn rasterize(
        &mut self,
        draw: &Draw,
        programs: &DrawPrograms<'_>,
        (elements, primitives): (FetchedIndices, Vec<Primitive>),
        counted: Option<&CountedDraw<'_>>,
    ) -> Result<(), EngineError> {
        let observer: &dyn DrawObserver = match counted {
            Some(counted) => counted,
            None => &Unobserved,
        };
        // Fetches see memory as it was before the draw.
        let before = draw.samples_its_targets(u16::MAX).then(|| self.memory.clone());
        let threads = FragmentThreads::recorded(counted.and_then(CountedDraw::take_recorder));
        let mut run = DrawRun { programs, before, observer, stipple_counter: 0, threads };
        let numbers = match draw.reads_primitive_numbers() {
            true => primitive_numbers(draw.primitive, &elements.order, &draw.raster),
            false => Vec::new(),
        };
        self.draw_primitives(draw, elements.unique, (primitives, &numbers), &mut run)?;
        if let (Some(counted), FragmentCode::Simt(stage)) = (counted, &programs.fragment) {
            run.threads.run(stage, &draw.textures, run.before.as_ref().unwrap_or(&self.memory))?;
            counted.add_threads(run.threads.finish());
        }
        Ok(())
    }

    /// Writes the vertices of primitives to memory, batch by batch, if a draw has stream output.
    fn stream_out(&mut self, draw: &Draw) -> Result<(), EngineError> {
        let Some(stream_out) = &draw.stream_out else { return Ok(()) };
        let draw = &draw.streamed();
        if !stream_out.continues {
            self.totals.streamed.vertices = 0;
        }
        let programs = VertexPrograms::decode(draw)?;
        let elements = fetch_indices(&self.memory, draw)?;
        let primitives = assemble_draw(draw, &elements.order);
        let corners = draw.rasterized_primitive().corners();
        let mut first = 0;
        for batch in vertex_batches(elements.unique, primitives, BATCH_VERTICES) {
            self.vertices_run += batch.vertices.len() as u64;
            let (vertices, primitives) = programs.run_batch(&self.memory, draw, &batch, first)?;
            first += u32::try_from(batch.primitives.len()).unwrap_or(u32::MAX);
            let order = (corners, draw.raster.first_vertex_provokes);
            write_primitives(&mut self.memory, stream_out, order, (&vertices, &primitives), &mut self.totals.streamed);
        }
        Ok(())
    }

    /// Runs the vertices of primitives and draws them, batch by batch; in each batch run by run of primitives that select the
    /// same viewport and layer.
    fn draw_primitives(
        &mut self,
        draw: &Draw,
        unique: Vec<u32>,
        (primitives, numbers): (Vec<Primitive>, &[u32]),
        run: &mut DrawRun<'_>,
    ) -> Result<(), EngineError> {
        if primitives.is_empty() || draw.raster.clip.is_empty() {
            return Ok(());
        }
        let (mut first, mut draws) = (0, BTreeMap::new());
        for batch in vertex_batches(unique, primitives, BATCH_VERTICES) {
            self.vertices_run += batch.vertices.len() as u64;
            let (vertices, primitives) = run.programs.vertices.run_batch(&self.memory, draw, &batch, first)?;
            let mut numbers = numbers.get(first as usize..).unwrap_or_default();
            first += u32::try_from(batch.primitives.len()).unwrap_or(u32::MAX);
            let Some(selection) = &draw.selection else {
                self.draw_batch(draw, (&vertices, &primitives, numbers), run)?;
                continue;
            };
            let selected = |primitive: &Primitive| selection.of_vertex(vertices.get(primitive.provoking as usize));
            for primitives in primitives.chunk_by(|a, b| selected(a) == selected(b)) {
                let selected = selected(&primitives[0]);
                let draw = draws.entry(selected).or_insert_with(|| draw.selected(selected));
                self.draw_batch(draw, (&vertices, primitives, numbers), run)?;
                numbers = numbers.get(primitives.len()..).unwrap_or_default();
            }
        }
        Ok(())
    }

    /// Draws primitives over vertices, with their numbers if the fragment program reads them.
    fn draw_batch(
        &mut self,
        draw: &Draw,
        (vertices, primitives, numbers): (&[ShadedVertex], &[Primitive], &[u32]),
        DrawRun { programs, before, observer, stipple_counter, threads }: &mut DrawRun<'_>,
    ) -> Result<(), EngineError> {
        let observer = *observer;
        let parameters = RasterParameters::new(draw);
        let setups = set_up_batch(&parameters, vertices, primitives, stipple_counter);
        observer.set_up_batch(draw, vertices, primitives, &setups);
        if let Some(statistics) = &mut self.totals.statistics {
            let set_up = setups.iter().filter(|setup| setup.is_valid()).count();
            statistics.add(PipelineCounter::RasterizerOutputs, set_up);
        }
        let quads = covered_quads(draw, &parameters, vertices, &setups)
            .map(|quad| (quad, interpolate(&parameters, vertices, &setups[quad.record as usize], quad)));
        match &programs.fragment {
            FragmentCode::Vec4(stage, program) => {
                for (quad, inputs) in quads {
                    let texels = before.as_ref().unwrap_or(&self.memory);
                    let mut units = BoundTextures::new(texels, &draw.textures).observed(observer);
                    let shaded = shade_quad(program, stage, &inputs, &mut units, observer)?;
                    self.merge(draw, quad, &inputs, &shaded, observer);
                }
            }
            FragmentCode::Simt(stage) => {
                let mode = draw.raster.samples;
                let quads: Vec<_> = quads.flat_map(|(quad, inputs)| shaded_quads(stage, mode, quad, inputs)).collect();
                let mut is_counted = Vec::with_capacity(quads.len());
                for quads in quads.chunks(SHADED_QUADS) {
                    let texels = (&draw.textures[..], before.as_ref().unwrap_or(&self.memory));
                    let shaded = shade_simt_quads(stage, &parameters, vertices, (&setups, numbers), quads, texels)?;
                    for ((quad, inputs), shaded) in quads.iter().zip(&shaded) {
                        let outcomes = self.merge(draw, *quad, inputs, shaded, observer);
                        is_counted.push(observer.counts_threads(inputs, &outcomes));
                    }
                }
                let counted = quads.into_iter().zip(is_counted).filter_map(|(quad, counts)| counts.then_some(quad));
                let texels = before.as_ref().unwrap_or(&self.memory);
                threads.add((draw, stage), &parameters, vertices, (&setups, numbers), counted.collect(), texels)?;
            }
        }
        Ok(())
    }

    /// Merges a quad into the targets.
    fn merge(
        &mut self,
        draw: &Draw,
        quad: CoveredQuad,
        inputs: &QuadInputs,
        shaded: &ShadedQuad,
        observer: &dyn DrawObserver,
    ) -> QuadOutcomes {
        let outcomes = merge_quad(&mut self.memory, &draw.rop, &draw.targets, shaded);
        if draw.rop.counts_samples {
            self.totals.samples = self.totals.samples.wrapping_add(outcomes.passed);
        }
        if let Some(statistics) = &mut self.totals.statistics {
            statistics.add(PipelineCounter::Pixels, inputs.coverage.count_ones() as usize);
        }
        observer.merge_quad(quad.record, inputs, shaded, &outcomes);
        outcomes
    }
}

/// A quad as its fragment program runs: for pixels, or for samples one by one.
fn shaded_quads(
    stage: &SimtFragmentStage,
    mode: SampleMode,
    quad: CoveredQuad,
    inputs: QuadInputs,
) -> Vec<(CoveredQuad, QuadInputs)> {
    let Some(samples) = stage.samples.one_by_one(mode) else { return vec![(quad, inputs)] };
    let of_sample = |sample: u8| {
        let covered = inputs.samples.map_or([inputs.coverage; MAX_SAMPLES], |samples| samples.coverage);
        let coverage = inputs.coverage & covered[usize::from(sample)];
        let mut only = [0; MAX_SAMPLES];
        only[usize::from(sample)] = coverage;
        let samples = inputs.samples.map(|samples| QuadSamples { coverage: only, ..samples });
        let quad = CoveredQuad { coverage: quad.coverage & 0xf << (4 * sample), ..quad };
        (coverage != 0).then(|| (quad, QuadInputs { coverage, samples, ..inputs.clone() }))
    };
    samples.filter_map(of_sample).collect()
}

/// Finds the quads of a batch, tile by tile, a few primitives at a time to keep the lists short.
pub(super) fn covered_quads<'a>(
    draw: &Draw,
    parameters: &'a RasterParameters<'_>,
    vertices: &'a [ShadedVertex],
    setups: &'a [PrimitiveSetup],
) -> impl Iterator<Item = CoveredQuad> + 'a {
    let clip = draw.raster.clip;
    let clip_quads = (clip.width / 2 + 1) * (clip.height / 2 + 1);
    let listed = (LISTED_QUADS / clip_quads).max(1);
    (0..).step_by(listed as usize).zip(setups.chunks(listed as usize)).flat_map(move |(first, setups)| {
        let tiles = rasterize_tiles(parameters, vertices, setups, TILE_SIZE);
        let quads = tiles.into_iter().flat_map(|tile| tile.quads);
        quads.map(move |quad| CoveredQuad { record: first + quad.record, ..quad })
    })
}

impl Engine for Reference {
    fn grow_memory(&mut self, space: MemorySpace, end: u64) -> Result<(), EngineError> {
        self.memory.grow(space, end)?;
        Ok(())
    }

    fn memory_extent(&self, space: MemorySpace) -> u32 {
        self.memory.extent(space)
    }

    fn write_memory(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        self.memory.store(window, bytes);
        Ok(())
    }

    fn read_memory(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError> {
        self.memory.load(window, bytes);
        Ok(())
    }

    fn execute(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        if let Some(counting) = &mut self.counting {
            counting.has_written |= matches!(
                command,
                GpuCommand::Clear(_)
                    | GpuCommand::CopyMemory(_)
                    | GpuCommand::ScaleImage(_)
                    | GpuCommand::ZeroMemory(_)
                    | GpuCommand::Launch(_)
            );
        }
        match command {
            GpuCommand::Draw(draw) => self.draw(draw)?,
            GpuCommand::Clear(clear) => {
                if let Some(what) = clear.unsupported() {
                    return Err(EngineError::Unsupported { what });
                }
                clear_surfaces(&mut self.memory, clear);
            }
            GpuCommand::CopyMemory(copy) => {
                if let Some(what) = copy.unsupported() {
                    return Err(EngineError::Unsupported { what });
                }
                copy_memory(&mut self.memory, copy);
            }
            GpuCommand::ScaleImage(image) => {
                if let Some(what) = image.unsupported() {
                    return Err(EngineError::Unsupported { what });
                }
                scale_image(&mut self.memory, image);
            }
            GpuCommand::ZeroMemory(window) => zero_memory(&mut self.memory, *window),
            GpuCommand::Launch(launch) => launch.run_on(&mut self.memory, |launch, texels, limits, memory| {
                Ok(run_launch_over(launch, texels, limits, memory, &LaunchOptions::default(), &mut |_| ())?)
            })?,
            GpuCommand::ResetSampleCounter => self.totals.samples = 0,
            GpuCommand::WriteReport { window, report } => {
                let value = report.counter.of(&mut self.totals);
                write_words(&mut self.memory, *window, &report.with_value(value));
            }
            GpuCommand::WriteNotifier { window, timestamp_ns } => {
                write_words(&mut self.memory, *window, &CounterReport::after_time(*timestamp_ns).words);
            }
            GpuCommand::WriteFence { window, value } => write_words(&mut self.memory, *window, &[*value]),
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        Ok(())
    }
}

impl CountingEngine for Reference {
    fn start_counting(&mut self, options: CountingOptions) -> Result<(), EngineError> {
        self.counting = Some(Counting { options, draws: Vec::new(), traces: None, has_written: false });
        Ok(())
    }

    fn take_counters(&mut self) -> Result<Vec<Counters>, EngineError> {
        Ok(self.counting.as_mut().map(|counting| std::mem::take(&mut counting.draws)).unwrap_or_default())
    }
}
