//! Counts what the stages of a draw do in the reference: its records, its quads and what becomes of them.

use super::raster::count_rejects::RasterRejects;
use super::rop::merge_pixels::QuadOutcomes;
use super::vertex::fetch_vertices::fetch_vertex;
use super::vertex::run_vertex_program::run_visited_vertex_program;
use super::vertex::sample_vertex_texture::BoundVertexTextures;
use crate::counters::trace::{DrawTrace, FlowPlaces, TexelNotes, TraceRoom, TracedDraw, TracedQuad};
use crate::counters::{
    Counter, Counters, CountingOptions, DrawCounting, ElementCounts, ProgramCounts, ProgramNumbers, StageCount,
    StageCounts, VertexExecution,
};
use crate::format::DepthStorage;
use crate::memory::GuestMemory;
use crate::pipeline::front_end::fetch_indices::FetchedIndices;
use crate::pipeline::primitive_setup::{PrimitiveSetup, RECORD_CLIPPED, RECORD_CULLED};
use crate::pipeline::{Draw, Elements, QuadInputs, ShadedQuad, VertexContext, ZetaTarget};
use crate::shader::fragment::FragmentProgram;
use crate::shader::vertex::VertexProgram;

/// What is counted of a draw while it runs.
pub(super) struct CountedDraw {
    /// Its trace, where one is recorded.
    tracing: Option<Tracing>,
    /// The primitive of the first record of those that are drawn now.
    pub(super) first_primitive: u32,
    depth_storage: Option<DepthStorage>,
    counting: DrawCounting,
    numbers: ProgramNumbers,
    stages: StageCounts,
}

/// The trace of a draw while it runs.
struct Tracing {
    trace: DrawTrace,
    notes: TexelNotes,
    places: FlowPlaces,
    room: TraceRoom,
}

impl Tracing {
    /// Begins with the vertices that are fetched.
    fn new(room: TraceRoom, resolved: &FetchedIndices, options: CountingOptions) -> Self {
        let mut trace = DrawTrace::default();
        ElementCounts::visiting(resolved.positions(), resolved.unique.len(), options, &mut |position| {
            if trace.vertices.len() < room.vertices {
                trace.vertices.push(resolved.unique[position as usize]);
            } else {
                trace.is_cut_off = true;
            }
        });
        Self { trace, notes: TexelNotes::default(), places: FlowPlaces::default(), room }
    }
}

impl CountedDraw {
    /// Counts what is known before the draw; `assembled` is the number of its primitives.
    pub(super) fn new(
        options: CountingOptions,
        memory: &GuestMemory,
        draw: &Draw,
        programs: (&VertexProgram, &FragmentProgram),
        resolved: &FetchedIndices,
        assembled: u64,
        room: Option<TraceRoom>,
    ) -> Self {
        let execution = VertexExecution::new(programs.0, draw.vertex.instruction_limit);
        let elements = ElementCounts::of_indices(resolved, options);
        let counting = draw_counting(memory, draw, programs, &execution, (&elements, &resolved.unique), assembled);
        let numbers = ProgramNumbers::new(&programs.1.body, &programs.1.subroutines);
        let stages = StageCounts::new(counting.program_words());
        let tracing = room.map(|room| Tracing::new(room, resolved, options));
        let depth_storage = draw.rop.used_zeta(&draw.targets).map(ZetaTarget::depth_storage);
        Self { tracing, first_primitive: 0, depth_storage, counting, numbers, stages }
    }

    /// The numbers of the fragment program's blocks.
    pub(super) const fn numbers(&self) -> &ProgramNumbers {
        &self.numbers
    }

    /// Zeros for what a quad does at the flow of the fragment program.
    pub(super) fn program_counts(&self) -> ProgramCounts {
        let counts = ProgramCounts::new(self.numbers.count);
        if self.tracing.is_some() { counts.tracing() } else { counts }
    }

    /// The counters, once all is drawn.
    pub(super) fn finish(&self) -> Counters {
        self.counting.finish(&self.stages)
    }

    /// How often quads entered each block.
    fn entered(&self, counters: &Counters) -> Vec<u64> {
        let main = std::iter::once(counters.total(Counter::ShadedQuads));
        main.chain((1..self.numbers.count).map(|block| self.stages.block(block))).collect()
    }

    /// The draw with its trace, where one is recorded.
    pub(super) fn traced(
        self,
        draw: &Draw,
        (vertex_program, fragment_program): (VertexProgram, FragmentProgram),
        counters: Counters,
        follows_writes: bool,
    ) -> Option<TracedDraw> {
        let entered = self.entered(&counters);
        let vertex_instructions = self.counting.vertex_instructions();
        let mut trace = self.tracing?.trace;
        trace.sort();
        Some(TracedDraw {
            draw: draw.clone(),
            vertex_program,
            fragment_program,
            counters,
            vertex_instructions,
            entered,
            follows_writes,
            trace,
        })
    }

    pub(super) fn count_record(&mut self, record: &PrimitiveSetup) {
        let [flags, ..] = record.header;
        let count = match (record.is_valid(), flags & RECORD_CULLED != 0) {
            (true, _) => StageCount::SetUp,
            (false, true) => StageCount::Culled,
            (false, false) => StageCount::Rejected,
        };
        self.stages.add(count, 1);
        self.stages.add(StageCount::Clipped, u64::from(record.is_valid() && flags & RECORD_CLIPPED != 0));
    }

    pub(super) fn count_rejects(&mut self, rejects: RasterRejects) {
        self.stages.add(StageCount::ScissorRejects, rejects.scissor);
        self.stages.add(StageCount::WindowClipRejects, rejects.window_clip);
    }

    pub(super) fn count_quad(
        &mut self,
        record: u32,
        inputs: &QuadInputs,
        shaded: &ShadedQuad,
        outcomes: &QuadOutcomes,
        executed: &ProgramCounts,
    ) {
        let fragments = inputs.coverage.count_ones();
        let is_shaded = fragments != 0 && (!self.counting.tests_early() || outcomes.passing != 0);
        self.trace_quad(record, inputs, outcomes, is_shaded.then_some(executed));
        // Lines may fade out over all of a quad that they touch.
        if fragments == 0 {
            return;
        }
        let samples = inputs.samples.map_or(0, |samples| samples.coverage.iter().map(|mask| mask.count_ones()).sum());
        let is_front = inputs.is_front_facing;
        let [stencil, depth, passed] = match is_front {
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
            self.stages.add(count, amount.into());
        }
        if is_shaded {
            self.stages.add_program(executed);
        }
    }

    /// Where texture units note what they read.
    pub(super) fn notes(&self) -> Option<&TexelNotes> {
        self.tracing.as_ref().map(|tracing| &tracing.notes)
    }

    /// Adds a quad to the trace, with what its program did if that ran.
    fn trace_quad(
        &mut self,
        record: u32,
        inputs: &QuadInputs,
        outcomes: &QuadOutcomes,
        executed: Option<&ProgramCounts>,
    ) {
        let Some(Tracing { trace, notes, places, room }) = &mut self.tracing else { return };
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
            primitive: self.first_primitive + record,
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

/// What is known of a draw's counters before it is drawn; `assembled` is the number of its primitives. The vertices that
/// elements count are needed where not all execute the same.
pub(crate) fn draw_counting(
    memory: &GuestMemory,
    draw: &Draw,
    (vertex_program, fragment_program): (&VertexProgram, &FragmentProgram),
    execution: &VertexExecution,
    (elements, vertices): (&ElementCounts, &[u32]),
    assembled: u64,
) -> DrawCounting {
    let context = VertexContext::new(&draw.vertex);
    let units = BoundVertexTextures::new(memory, &draw.vertex.textures);
    let executed = execution.of_draw(elements, &mut |position, visit| {
        let inputs = vertex_inputs(memory, draw, vertices[position]);
        let _ = run_visited_vertex_program(vertex_program, &context, &inputs, &units, visit);
    });
    DrawCounting::new(draw, fragment_program, elements, &executed, assembled)
}

/// The attributes of a vertex.
pub(super) fn vertex_inputs(memory: &GuestMemory, draw: &Draw, index: u32) -> [[u32; 4]; 16] {
    match &draw.elements {
        Elements::Immediate(vertices) => vertices[index as usize],
        _ => fetch_vertex(memory, &draw.input, index),
    }
}
