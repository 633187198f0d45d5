//! Counts and traces the stages of a draw in the reference: an observer that turns their events into [`Counters`] and a
//! [`TracedDraw`].

use std::cell::RefCell;

use super::draw_programs::{DrawPrograms, FragmentCode};
use super::observer::{BlockEntry, DrawObserver};
use super::quad_flow::{BlockTable, QuadFlow};
use super::raster::count_rejects::count_rejects;
use super::rop::merge_pixels::QuadOutcomes;
use super::setup::set_up_primitives::set_up_batch;
use super::trace_warps::WarpRecorder;
use super::vertex_paths::vertex_path;
use crate::counters::trace::{
    DrawTrace, FlowPlaces, QuadFiltering, TexelNotes, TraceRoom, TracedDraw, TracedPrograms, TracedQuad, TracedVec4,
    trace_address,
};
use crate::counters::{
    CountedProgram, Counter, Counters, CountingOptions, DrawCounting, ElementCounts, LookupCounts, ProgramCounts,
    StageCount, StageCounts, VertexCacheOptions, VertexEdges, VertexExecution, VertexInstructions,
};
use crate::format::DepthStorage;
use crate::memory::{GuestMemory, MemoryWindow};
use crate::pipeline::front_end::assemble_primitives::Primitive;
use crate::pipeline::front_end::fetch_indices::FetchedIndices;
use crate::pipeline::front_end::raster_parameters::RasterParameters;
use crate::pipeline::primitive_setup::{PrimitiveSetup, RECORD_CLIPPED, RECORD_CULLED};
use crate::pipeline::{Draw, EngineError, QuadInputs, ShadedQuad, ShadedVertex, StreamCounts, StreamOut, ZetaTarget};
use crate::shader::condition::ConditionTest;

/// Counts a draw while it runs.
#[derive(Debug)]
pub(super) struct CountedDraw<'draw> {
    draw: &'draw Draw,
    counting: DrawCounting,
    blocks: BlockTable,
    depth_storage: Option<DepthStorage>,
    state: RefCell<CountState>,
}

/// The mutable state of the observer.
#[derive(Debug)]
struct CountState {
    stages: StageCounts,
    /// What the stages do not count: threads of SIMT programs, emitted primitives, stream output.
    others: Counters,
    /// Primitives of the batches before the current one.
    first_primitive: u32,
    /// Primitives of the current batch.
    batch_primitives: u32,
    /// The line stipple counter for setting up primitives over the whole surface.
    stipple_counter: u32,
    /// The quad being shaded.
    flow: QuadFlow,
    /// The lookup counts of the current fetch.
    fetch: LookupCounts,
    /// Texture unit steps for the current pixel, and for the pixel of the fetch that takes most.
    pixel_steps: u32,
    max_steps: u32,
    /// The draw's trace, if one is recorded.
    tracing: Option<Tracing>,
}

/// The trace of a draw while it runs.
#[derive(Debug)]
struct Tracing {
    trace: DrawTrace,
    notes: TexelNotes,
    places: FlowPlaces,
    room: TraceRoom,
    vertex_edges: VertexEdges,
    /// The warps of SIMT programs.
    recorder: Option<WarpRecorder>,
}

impl Tracing {
    /// Starts with the fetched vertices.
    fn new(room: TraceRoom, elements: &FetchedIndices, cache: VertexCacheOptions) -> Self {
        let mut trace = DrawTrace::default();
        ElementCounts::visiting(elements.positions(), elements.unique.len(), cache, &mut |position| {
            if trace.vertices.len() < room.vertices {
                trace.vertices.push(elements.unique[position as usize]);
            } else {
                trace.is_cut_off = true;
            }
        });
        Self {
            trace,
            notes: TexelNotes::default(),
            places: FlowPlaces::default(),
            room,
            vertex_edges: VertexEdges::default(),
            recorder: None,
        }
    }
}

impl<'draw> CountedDraw<'draw> {
    /// Counts what is known before the draw.
    ///
    /// # Errors
    /// As for the run of a SIMT program.
    pub(super) fn new(
        options: CountingOptions,
        memory: &GuestMemory,
        draw: &'draw Draw,
        programs: &DrawPrograms<'draw>,
        (elements, primitives): (&FetchedIndices, &[Primitive]),
        room: Option<TraceRoom>,
    ) -> Result<Self, EngineError> {
        let cache = options.vertex_cache(draw);
        let mut misses = Vec::new();
        let counts = ElementCounts::visiting(elements.positions(), elements.unique.len(), cache, &mut |position| {
            misses.push(elements.unique[position as usize]);
        });
        let (mut edges, mut executed) = (VertexEdges::default(), VertexInstructions::default());
        if let Some((stage, program)) = programs.vertices.vec4() {
            let execution = VertexExecution::new(program, stage.instruction_limit);
            executed = execution.of_draw(&counts, room.is_some().then_some(&mut edges), &mut |position| {
                vertex_path(memory, draw, stage, program, elements.unique[position])
            });
        }
        let mut recorder =
            room.filter(|_| programs.vec4().is_none()).map(|room| WarpRecorder::new([room.steps, room.texels]));
        let mut others = Counters::default();
        // Other draws never start.
        if !primitives.is_empty() && (draw.stream_out.is_some() || !draw.raster.clip.is_empty()) {
            let assembled = (elements, primitives);
            programs.vertices.count_threads(&mut others, memory, draw, &misses, assembled, recorder.as_mut())?;
        }
        let fragment_program = match &programs.fragment {
            FragmentCode::Vec4(_, program) => Some(program),
            FragmentCode::Simt(_) => None,
        };
        // Those that a geometry program emits count where they are set up, and those that are only written not at all.
        let is_assembled = draw.geometry.is_none() && draw.rasterizes();
        let assembled = if is_assembled { primitives.len() as u64 } else { 0 };
        let counted = fragment_program.map_or(CountedProgram::Threads, CountedProgram::Vec4);
        let counting = DrawCounting::new(draw, counted, &counts, &executed, assembled);
        let blocks = fragment_program.map(BlockTable::new).unwrap_or_default();
        let state = CountState {
            stages: StageCounts::new(counting.program_words()),
            others,
            first_primitive: 0,
            batch_primitives: 0,
            stipple_counter: 0,
            flow: QuadFlow::new(program_counts(&blocks, room.is_some())),
            fetch: LookupCounts::default(),
            pixel_steps: 0,
            max_steps: 0,
            tracing: room.map(|room| Tracing { vertex_edges: edges, recorder, ..Tracing::new(room, elements, cache) }),
        };
        let depth_storage = draw.rop.used_zeta(&draw.targets).map(ZetaTarget::depth_storage);
        Ok(Self { draw, counting, blocks, depth_storage, state: RefCell::new(state) })
    }

    /// Takes the recorder of warps, if they are traced.
    pub(super) fn take_recorder(&self) -> Option<WarpRecorder> {
        self.state.borrow_mut().tracing.as_mut().and_then(|tracing| tracing.recorder.take())
    }

    /// Adds the threads of fragments, and returns the recorder of their warps.
    pub(super) fn add_threads(&self, (threads, recorder): (Counters, Option<WarpRecorder>)) {
        let state = &mut *self.state.borrow_mut();
        state.others += &threads;
        if let Some(tracing) = &mut state.tracing {
            tracing.recorder = recorder;
        }
    }

    /// Adds what stream output wrote between these counts.
    pub(super) fn add_streamed(&self, stream_out: &StreamOut, before: StreamCounts, after: StreamCounts) {
        let words: usize = stream_out.buffers.iter().map(|buffer| buffer.words.iter().flatten().count()).sum();
        let primitives = u64::from(after.written.wrapping_sub(before.written));
        let vertices = primitives * u64::from(self.draw.rasterized_primitive().corners());
        let others = &mut self.state.borrow_mut().others;
        others.add(Counter::StreamedPrimitives, primitives);
        others.add(Counter::StreamedVertices, vertices);
        others.add(Counter::StreamedBytes, vertices * 4 * words as u64);
    }

    /// Returns the counters once everything is drawn, and the draw with its trace if one is recorded.
    pub(super) fn finish(self, programs: &DrawPrograms<'_>, follows_writes: bool) -> (Counters, Option<TracedDraw>) {
        let CountState { stages, others, tracing, .. } = self.state.into_inner();
        let mut counters = self.counting.finish(&stages);
        counters += &others;
        let traced = tracing.map(|Tracing { mut trace, vertex_edges, recorder, .. }| {
            trace.sort();
            let programs = match programs.vec4() {
                Some((vertex_program, fragment_program)) => {
                    let main = std::iter::once(counters.total(Counter::ShadedQuads));
                    TracedPrograms::Vec4(Box::new(TracedVec4 {
                        vertex_program: vertex_program.clone(),
                        fragment_program: fragment_program.clone(),
                        vertex_instructions: self.counting.vertex_instructions(),
                        vertex_edges,
                        entered: main.chain((1..self.blocks.count()).map(|block| stages.block(block))).collect(),
                    }))
                }
                None => TracedPrograms::Simt(recorder.map(|recorder| recorder.finish(&mut trace)).unwrap_or_default()),
            };
            let (draw, tests_early) = (self.draw.clone(), self.counting.tests_early());
            TracedDraw { draw, programs, counters, tests_early, follows_writes, trace }
        });
        (counters, traced)
    }
}

/// Zeroed counters for the program flow of a quad.
fn program_counts(blocks: &BlockTable, traces: bool) -> ProgramCounts {
    let counts = ProgramCounts::new(blocks.count());
    if traces { counts.tracing() } else { counts }
}

impl DrawObserver for CountedDraw<'_> {
    fn set_up_batch(
        &self,
        draw: &Draw,
        vertices: &[ShadedVertex],
        primitives: &[Primitive],
        setups: &[PrimitiveSetup],
    ) {
        let state = &mut *self.state.borrow_mut();
        if draw.geometry.is_some() {
            state.others.add(Counter::Assembled, primitives.len() as u64);
        }
        state.first_primitive += state.batch_primitives;
        state.batch_primitives = u32::try_from(setups.len()).expect("a batch has few primitives");
        setups.iter().for_each(|setup| count_setup(&mut state.stages, setup));
        // Pixels are rejected if the scissor or window clips remove part of the surface.
        if let Some(all) = RasterParameters::over_surface(draw) {
            let setups = set_up_batch(&all, vertices, primitives, &mut state.stipple_counter);
            let rejects = count_rejects(&RasterParameters::new(draw), &all, vertices, &setups);
            state.stages.add(StageCount::ScissorRejects, rejects.scissor);
            state.stages.add(StageCount::WindowClipRejects, rejects.window_clip);
        }
    }

    fn counts_threads(&self, inputs: &QuadInputs, outcomes: &QuadOutcomes) -> bool {
        self.is_shaded(inputs, outcomes)
    }

    fn enter_block(&self, entry: BlockEntry, mask: u8) {
        self.state.borrow_mut().flow.enter(&self.blocks, entry, mask);
    }

    fn leave_block(&self) {
        self.state.borrow_mut().flow.leave();
    }

    fn branch(&self, position: usize, condition: ConditionTest, mask: u8, taken: u8) {
        self.state.borrow_mut().flow.branch(position, condition, mask, taken);
    }

    fn read_texel(&self, window: MemoryWindow, offset: u32) {
        let state = &mut *self.state.borrow_mut();
        state.fetch += LookupCounts::TEXEL;
        if let Some(tracing) = &mut state.tracing
            && offset < window.bytes
        {
            tracing.notes.texel(trace_address(window, offset));
        }
    }

    fn sample_texture(&self, taken: LookupCounts) {
        self.state.borrow_mut().fetch += taken;
    }

    fn filter_steps(&self, steps: u32) {
        self.state.borrow_mut().pixel_steps += steps;
    }

    fn finish_pixel(&self) {
        let state = &mut *self.state.borrow_mut();
        state.max_steps = state.max_steps.max(std::mem::take(&mut state.pixel_steps));
    }

    fn finish_fetch(&self, unit: u8) {
        let state = &mut *self.state.borrow_mut();
        let (fetch, steps) = (std::mem::take(&mut state.fetch), std::mem::take(&mut state.max_steps));
        state.flow.counts.lookups[usize::from(unit)] += fetch;
        if let Some(tracing) = &mut state.tracing {
            let byte = |number| u8::try_from(number).unwrap_or(u8::MAX);
            tracing.notes.lookup(unit, QuadFiltering { samples: byte(fetch.samples), steps: byte(steps) });
        }
    }

    fn merge_quad(&self, primitive: u32, inputs: &QuadInputs, shaded: &ShadedQuad, outcomes: &QuadOutcomes) {
        let state = &mut *self.state.borrow_mut();
        let next = QuadFlow::new(program_counts(&self.blocks, state.tracing.is_some()));
        let executed = std::mem::replace(&mut state.flow, next).counts;
        let fragments = inputs.coverage.count_ones();
        let is_shaded = self.is_shaded(inputs, outcomes);
        if let Some(tracing) = &mut state.tracing {
            let primitive = state.first_primitive + primitive;
            self.trace_quad(tracing, primitive, inputs, outcomes, is_shaded.then_some(&executed));
        }
        // Lines may fade out over all pixels of a quad that they touch.
        if fragments != 0 {
            count_quad(&mut state.stages, inputs, shaded, outcomes);
        }
        if is_shaded {
            state.stages.add_program(&executed);
        }
    }
}

impl CountedDraw<'_> {
    /// Whether the fragment program shades a quad.
    fn is_shaded(&self, inputs: &QuadInputs, outcomes: &QuadOutcomes) -> bool {
        inputs.coverage != 0 && (!self.counting.tests_early() || outcomes.passing != 0)
    }

    /// Adds a quad to the trace, with its program flow if the program ran.
    fn trace_quad(
        &self,
        Tracing { trace, notes, places, room, .. }: &mut Tracing,
        primitive: u32,
        inputs: &QuadInputs,
        outcomes: &QuadOutcomes,
        executed: Option<&ProgramCounts>,
    ) {
        let covered = inputs.coverage & 15;
        let fits = trace.quads.len() < room.quads;
        trace.is_cut_off |= !fits;
        if covered == 0 || !fits {
            return notes.add_to(trace, false, room.texels);
        }
        let depths = self.depth_storage.map_or([0; 2], |storage| {
            let depth = |pixel: usize| storage.encode(inputs.depth[pixel]);
            let covered = (0..4).filter(|pixel| covered >> pixel & 1 != 0).map(depth);
            covered.fold([u32::MAX, 0], |[least, greatest], depth| [least.min(depth), greatest.max(depth)])
        });
        trace.quads.push(TracedQuad {
            primitive,
            x: u16::try_from(inputs.x).unwrap_or(u16::MAX),
            y: u16::try_from(inputs.y).unwrap_or(u16::MAX),
            covered,
            passed: outcomes.passing,
            is_shaded: executed.is_some(),
            depths,
            instructions: executed
                .map_or(0, |counts| u32::try_from(self.counting.executed(counts)).unwrap_or(u32::MAX)),
            divergent: executed.map_or(0, |counts| counts.branches[2]),
        });
        notes.add_to(trace, executed.is_some(), room.texels);
        if let Some(steps) = executed.and_then(|executed| executed.steps.as_ref()) {
            places.add_to(trace, steps, room.steps);
        }
    }
}

/// Counts the setup of a primitive.
fn count_setup(stages: &mut StageCounts, setup: &PrimitiveSetup) {
    let [flags, ..] = setup.header;
    let count = match (setup.is_valid(), flags & RECORD_CULLED != 0) {
        (true, _) => StageCount::SetUp,
        (false, true) => StageCount::Culled,
        (false, false) => StageCount::Rejected,
    };
    stages.add(count, 1);
    stages.add(StageCount::Clipped, u64::from(setup.is_valid() && flags & RECORD_CLIPPED != 0));
}

/// Counts the outcome of a quad with a covered pixel.
fn count_quad(stages: &mut StageCounts, inputs: &QuadInputs, shaded: &ShadedQuad, outcomes: &QuadOutcomes) {
    let fragments = inputs.coverage.count_ones();
    let samples = inputs.samples.map_or(0, |samples| samples.coverage.iter().map(|mask| mask.count_ones()).sum());
    let [stencil, depth, passed] = match inputs.is_front_facing {
        true => [StageCount::StencilFront, StageCount::DepthFront, StageCount::PassedFront],
        false => [StageCount::StencilBack, StageCount::DepthBack, StageCount::PassedBack],
    };
    for (count, amount) in [
        (StageCount::Quads, 1),
        (StageCount::Fragments, fragments),
        (StageCount::Samples, samples),
        (StageCount::Killed, fragments - shaded.coverage.count_ones()),
        (StageCount::Alpha, outcomes.alpha),
        (StageCount::DepthBounds, outcomes.depth_bounds),
        (stencil, outcomes.stencil),
        (depth, outcomes.depth),
        (passed, outcomes.passed),
        (StageCount::PassingQuads, u32::from(outcomes.passing != 0)),
        (StageCount::PassingFragments, outcomes.passing.count_ones()),
    ] {
        stages.add(count, amount.into());
    }
}
