//! Counts what the stages of a draw do in the reference: its records, its quads and what becomes of them.

use super::fetch_vertices::fetch_vertex;
use super::merge_pixels::QuadOutcomes;
use super::resolve_elements::{RESTART, ResolvedElements};
use super::run_vertex_program::{VertexContext, run_visited_vertex_program};
use super::sample_vertex_texture::BoundVertexTextures;
use super::set_up_primitives::{RECORD_CLIPPED, RECORD_CULLED, SetUpRecord};
use super::{QuadInputs, ShadedQuad};
use crate::counters::{
    Counters, CountingOptions, DrawCounting, ElementCounts, FlowCounts, ProgramNumbers, StageCount, StageCounts,
    VertexExecution,
};
use crate::memory::GuestMemory;
use crate::program::fragment::FragmentProgram;
use crate::program::vertex::VertexProgram;
use crate::work::{Draw, Elements};

/// What is counted of a draw while it runs.
pub(super) struct CountedDraw {
    counting: DrawCounting,
    numbers: ProgramNumbers,
    stages: StageCounts,
}

impl CountedDraw {
    /// Counts what is known before the draw; `assembled` is the number of its primitives.
    pub(super) fn new(
        options: CountingOptions,
        memory: &GuestMemory,
        draw: &Draw,
        programs: (&VertexProgram, &FragmentProgram),
        resolved: &ResolvedElements,
        assembled: u64,
    ) -> Self {
        let counting = draw_counting(options, memory, draw, programs, resolved, assembled);
        let numbers = ProgramNumbers::new(&programs.1.body, &programs.1.subroutines);
        let stages = StageCounts::new(numbers.count);
        Self { counting, numbers, stages }
    }

    /// The numbers of the fragment program's blocks.
    pub(super) const fn numbers(&self) -> &ProgramNumbers {
        &self.numbers
    }

    /// The counters, once all is drawn.
    pub(super) fn finish(&self) -> Counters {
        self.counting.finish(&self.stages)
    }

    pub(super) fn count_record(&mut self, record: &SetUpRecord) {
        let [flags, ..] = record.header;
        let count = match (record.is_valid(), flags & RECORD_CULLED != 0) {
            (true, _) => StageCount::SetUp,
            (false, true) => StageCount::Culled,
            (false, false) => StageCount::Rejected,
        };
        self.stages.add(count, 1);
        self.stages.add(StageCount::Clipped, u64::from(record.is_valid() && flags & RECORD_CLIPPED != 0));
    }

    pub(super) fn count_quad(
        &mut self,
        inputs: &QuadInputs,
        shaded: &ShadedQuad,
        outcomes: &QuadOutcomes,
        flow: &FlowCounts,
    ) {
        let fragments = inputs.coverage.count_ones();
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
            (StageCount::PassingQuads, u32::from(outcomes.passing_fragments != 0)),
            (StageCount::PassingFragments, outcomes.passing_fragments),
        ] {
            self.stages.add(count, amount.into());
        }
        if !self.counting.tests_early() || outcomes.passing_fragments != 0 {
            self.stages.add_flow(flow);
        }
    }
}

/// What is known of a draw's counters before it is drawn; `assembled` is the number of its primitives.
pub(crate) fn draw_counting(
    options: CountingOptions,
    memory: &GuestMemory,
    draw: &Draw,
    (vertex_program, fragment_program): (&VertexProgram, &FragmentProgram),
    resolved: &ResolvedElements,
    assembled: u64,
) -> DrawCounting {
    let order = resolved.order.iter().copied().filter(|position| *position != RESTART);
    let elements = ElementCounts::new(order, resolved.unique.len(), options.vertex_cache_entries);
    let context = VertexContext::new(&draw.vertex);
    let units = BoundVertexTextures::new(memory, &draw.vertex.textures);
    let execution = VertexExecution::new(vertex_program, draw.vertex.instruction_limit);
    let executed = execution.of_draw(&elements, &mut |position, visit| {
        let inputs = vertex_inputs(memory, draw, resolved.unique[position]);
        let _ = run_visited_vertex_program(vertex_program, &context, &inputs, &units, visit);
    });
    DrawCounting::new(draw, fragment_program, &elements, &executed, assembled)
}

/// The attributes of a vertex.
pub(super) fn vertex_inputs(memory: &GuestMemory, draw: &Draw, index: u32) -> [[u32; 4]; 16] {
    match &draw.elements {
        Elements::Immediate(vertices) => vertices[index as usize],
        _ => fetch_vertex(memory, &draw.input, index),
    }
}
