//! Computes a draw's counters from its state and the counts of its stages.

use super::blocks::ProgramCounts;
use super::instructions::Instructions;
use super::lookups::{CountedLookups, counted_lookups};
use super::stages::{ProgramWords, StageCount, StageCounts};
use super::vertices::{ElementCounts, VertexInstructions, attribute_bytes, index_bytes};
use super::{Counter, Counters};
use crate::pipeline::{
    ColorTarget, Draw, FragmentStage, RopState, SampleMode, StencilFace, StencilOp, Targets, TextureState,
};
use crate::shader::fragment::{FragmentOperation, FragmentOperationKind, FragmentProgram};
use crate::shader::fragment_blocks::operations;
use crate::shader::simt::Operation;

/// The facts about a draw that are known before its stages run.
#[derive(Debug, Clone)]
pub struct DrawCounting {
    counters: Counters,
    vertex_instructions: VertexInstructions,
    blocks: Vec<Instructions>,
    /// Which of each unit's fetches the stages count.
    counted_lookups: [Option<CountedLookups>; 16],
    /// Texels of each sample of a level, if they follow from the state of the unit.
    sample_texels: [Option<u32>; 16],
    tests_early: bool,
    /// Samples of a pixel, if they are not covered one by one.
    samples: Option<u64>,
    rop: RopState,
    targets: Targets,
}

/// The fragment program of a counted draw.
#[derive(Debug, Clone, Copy)]
pub enum CountedProgram<'program> {
    /// Over registers of four components.
    Vec4(&'program FragmentProgram),
    /// Over threads, whose work [`count_threads`](super::count_threads) counts.
    Threads,
    /// Over threads that all sample each unit as often as these numbers say; the rest of their work is counted elsewhere.
    StraightThreads([u64; 16]),
}

impl CountedProgram<'_> {
    /// The instructions of each block whose entries are counted.
    #[must_use]
    pub fn blocks(&self) -> Vec<Instructions> {
        match self {
            Self::Vec4(program) => Instructions::of_blocks(program),
            Self::Threads => Vec::new(),
            Self::StraightThreads(lookups) => vec![Instructions { lookups: *lookups, ..Instructions::default() }],
        }
    }
}

/// Whether a draw's depth and stencil tests run before shading: if the program exports no depth, and nothing
/// discards fragments afterwards.
// Unverified: the chip may also test early with discards if nothing is written before them.
#[must_use]
pub fn tests_early(draw: &Draw, program: CountedProgram<'_>) -> bool {
    let CountedProgram::Vec4(program) = program else { return keeps_fragments(draw) && !discards(&draw.fragment) };
    let can_discard = |operation: &FragmentOperation| {
        let unit = draw.textures[usize::from(operation.texture_unit & 15)].as_ref();
        operation.kind == FragmentOperationKind::Kill
            || operation.kind.samples() && unit.is_some_and(TextureState::can_discard)
    };
    keeps_fragments(draw) && !operations(program.blocks()).any(can_discard)
}

/// Whether a draw tests depth or stencil, and only its program may discard fragments or change their depth.
fn keeps_fragments(draw: &Draw) -> bool {
    let covers_by_alpha = draw.rop.multisampling(&draw.targets).is_some_and(|samples| samples.alpha_to_coverage);
    draw.rop.used_zeta(&draw.targets).is_some()
        && !draw.fragment.exports_depth()
        && draw.rop.alpha_test.is_none()
        && !covers_by_alpha
}

/// Whether a SIMT fragment program has an instruction that discards.
fn discards(stage: &FragmentStage) -> bool {
    let FragmentStage::Simt(stage) = stage else { return false };
    let mut instructions = stage.stage.program.instructions().iter();
    instructions.any(|found| matches!(found.instruction.operation, Operation::Discard))
}

impl DrawCounting {
    /// Computes what does not depend on the stages; `vertices` is what the vertex processor executed for the
    /// elements.
    #[must_use]
    pub fn new(
        draw: &Draw,
        program: CountedProgram<'_>,
        elements: &ElementCounts,
        vertices: &VertexInstructions,
        assembled: u64,
    ) -> Self {
        let mut counters = Counters::default();
        for (counter, amount) in [
            (Counter::Draws, 1),
            (Counter::Indices, elements.indices),
            (Counter::CacheHits, elements.indices - elements.misses),
            (Counter::CacheMisses, elements.misses),
            (Counter::VertexInstructions, vertices.instructions),
            (Counter::VectorOperations, vertices.vector),
            (Counter::ScalarOperations, vertices.scalar),
            (Counter::VertexTextureLookups, vertices.lookups),
            (Counter::VertexFlow, vertices.flow),
            (Counter::Assembled, assembled),
            (Counter::IndexBytes, index_bytes(&draw.elements)),
            (Counter::AttributeBytes, elements.misses * attribute_bytes(&draw.input, &draw.elements)),
        ] {
            counters.add(counter, amount);
        }
        let samples = u64::from(draw.targets.samples.count());
        let (blocks, tests_early) = (program.blocks(), tests_early(draw, program));
        let sample_texels = |unit: usize| draw.textures[unit].as_ref().and_then(TextureState::sample_texels);
        Self {
            counters,
            counted_lookups: counted_lookups(&blocks, &draw.textures),
            sample_texels: std::array::from_fn(sample_texels),
            vertex_instructions: *vertices,
            blocks,
            tests_early,
            samples: (draw.raster.samples == SampleMode::One).then_some(samples),
            rop: draw.rop.clone(),
            targets: draw.targets.clone(),
        }
    }

    /// The number of blocks of the fragment program.
    #[must_use]
    pub const fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The words that count what the fragment program does.
    #[must_use]
    pub fn program_words(&self) -> ProgramWords {
        let counted = (0..16).filter(|unit| self.counted_lookups[*unit].is_some());
        ProgramWords { units: counted.fold(0, |units, unit| units | 1 << unit), blocks: self.blocks.len() }
    }

    /// What the vertex processor executed.
    #[must_use]
    pub const fn vertex_instructions(&self) -> VertexInstructions {
        self.vertex_instructions
    }

    /// Whether depth and stencil are tested before shading.
    #[must_use]
    pub const fn tests_early(&self) -> bool {
        self.tests_early
    }

    /// The number of instructions that a quad with these counts executed.
    #[must_use]
    pub fn executed(&self, counts: &ProgramCounts) -> u64 {
        let entered = |number: usize| if number == 0 { 1 } else { counts.entered.get(number).copied().unwrap_or(0) };
        self.blocks.iter().enumerate().map(|(number, block)| u64::from(entered(number)) * block.total()).sum()
    }

    /// Computes the counters from the counts of the stages.
    #[must_use]
    pub fn finish(&self, stages: &StageCounts) -> Counters {
        let mut counters = self.counters;
        let [quads, fragments] = [StageCount::Quads, StageCount::Fragments].map(|count| stages.get(count));
        let samples = self.samples.map_or_else(|| stages.get(StageCount::Samples), |samples| fragments * samples);
        for (counter, count) in [
            (Counter::Culled, StageCount::Culled),
            (Counter::Rejected, StageCount::Rejected),
            (Counter::SetUp, StageCount::SetUp),
            (Counter::Clipped, StageCount::Clipped),
            (Counter::Scissor, StageCount::ScissorRejects),
            (Counter::WindowClip, StageCount::WindowClipRejects),
            (Counter::Killed, StageCount::Killed),
            (Counter::Alpha, StageCount::Alpha),
        ] {
            counters.add(counter, stages.get(count));
        }
        counters.add(Counter::Quads, quads);
        counters.add(Counter::Fragments, fragments);
        counters.add(Counter::Helpers, 4 * quads - fragments);
        counters.add(Counter::Samples, samples);
        self.count_tests(&mut counters, stages, samples);
        self.count_shading(&mut counters, stages);
        self.count_writes(&mut counters, stages);
        counters
    }

    /// Computes the counters from the counts of kernels, which omit what follows from the rest.
    #[must_use]
    pub fn finish_kernels(&self, mut stages: StageCounts, in_tiles: bool) -> Counters {
        self.complete_lookups(&mut stages);
        if in_tiles {
            self.complete_tests(&mut stages);
        }
        self.finish(&stages)
    }

    /// Adds the samples of levels and their texels, if they were not counted.
    fn complete_lookups(&self, stages: &mut StageCounts) {
        let quads = self.shaded_quads(stages);
        let counted: Vec<_> = stages.lookups().collect();
        for (unit, [.., trilinear, _]) in counted {
            let Some(rule) = self.counted_lookups[unit] else { continue };
            if !rule.level_samples {
                // The main block is the only one.
                let fetches = 4 * quads * self.blocks.first().map_or(0, |block| block.lookups[unit]);
                let samples = fetches + trilinear;
                let texels = self.sample_texels[unit].filter(|_| !rule.level_texels).unwrap_or(0);
                stages.add_lookups(unit, [samples, samples * u64::from(texels)]);
            }
        }
    }

    /// Adds what the kernels of whole tiles with one sample per pixel omit: fragments that passed or failed only
    /// the depth test, as no other outcome remains, and fragments with a passing sample.
    fn complete_tests(&self, stages: &mut StageCounts) {
        let sum = |counts: &[StageCount]| counts.iter().map(|count| stages.get(*count)).sum::<u64>();
        let gone = [
            StageCount::Killed,
            StageCount::Alpha,
            StageCount::DepthBounds,
            StageCount::StencilFront,
            StageCount::StencilBack,
            StageCount::DepthFront,
            StageCount::DepthBack,
            StageCount::PassedFront,
            StageCount::PassedBack,
        ];
        let left = stages.get(StageCount::Fragments).saturating_sub(sum(&gone));
        let has_zeta = self.rop.used_zeta(&self.targets).is_some();
        stages.add(if has_zeta { StageCount::DepthFront } else { StageCount::PassedFront }, left);
        let passed = stages.get(StageCount::PassedFront) + stages.get(StageCount::PassedBack);
        stages.add(StageCount::PassingFragments, passed);
    }

    /// Shaded quads.
    fn shaded_quads(&self, stages: &StageCounts) -> u64 {
        stages.get(if self.tests_early { StageCount::PassingQuads } else { StageCount::Quads })
    }

    fn count_tests(&self, counters: &mut Counters, stages: &StageCounts, samples: u64) {
        let both = |front, back| stages.get(front) + stages.get(back);
        let bounds = stages.get(StageCount::DepthBounds);
        let stencil = both(StageCount::StencilFront, StageCount::StencilBack);
        let depth = both(StageCount::DepthFront, StageCount::DepthBack);
        let passed = both(StageCount::PassedFront, StageCount::PassedBack);
        let [bounds_rejects, stencil_rejects, depth_rejects] = if self.tests_early {
            [Counter::EarlyDepthBounds, Counter::EarlyStencil, Counter::EarlyDepth]
        } else {
            [Counter::LateDepthBounds, Counter::LateStencil, Counter::LateDepth]
        };
        counters.add(bounds_rejects, bounds);
        counters.add(stencil_rejects, stencil);
        counters.add(depth_rejects, depth);
        counters.add(Counter::Passed, passed);
        counters.add(Counter::MaskedSamples, samples.saturating_sub(bounds + stencil + depth + passed));
    }

    fn count_shading(&self, counters: &mut Counters, stages: &StageCounts) {
        let quads = self.shaded_quads(stages);
        let fragments = if self.tests_early { StageCount::PassingFragments } else { StageCount::Fragments };
        counters.add(Counter::ShadedQuads, quads);
        counters.add(Counter::ShadedFragments, stages.get(fragments));
        for (number, block) in self.blocks.iter().enumerate() {
            let entered = if number == 0 { quads } else { stages.block(number) };
            for precision in 0..4 {
                counters.add_to(Counter::Arithmetic, precision, entered * block.arithmetic[precision]);
                counters.add_to(Counter::Special, precision, entered * block.special[precision]);
            }
            for (unit, lookups) in block.lookups.iter().enumerate() {
                let pixels = 4 * entered * lookups;
                counters.add(Counter::TextureInstructions, entered * lookups);
                counters.add_to(Counter::Lookups, unit, pixels);
                if let Some(texels) = self.sample_texels[unit].filter(|_| self.counted_lookups[unit].is_none()) {
                    counters.add_to(Counter::TextureSamples, unit, pixels);
                    counters.add_to(Counter::Texels, unit, pixels * u64::from(texels));
                }
            }
            counters.add(Counter::Kills, entered * block.kills);
            counters.add(Counter::Nops, entered * block.nops);
            counters.add(Counter::Flow, entered * block.flow);
        }
        for (unit, [samples, texels, trilinear, anisotropic]) in stages.lookups() {
            counters.add_to(Counter::TextureSamples, unit, samples);
            counters.add_to(Counter::Texels, unit, texels);
            counters.add_to(Counter::Trilinear, unit, trilinear);
            counters.add_to(Counter::Anisotropic, unit, anisotropic);
        }
        for (counter, count) in [
            (Counter::UniformTaken, StageCount::UniformTaken),
            (Counter::UniformNotTaken, StageCount::UniformNotTaken),
            (Counter::Divergent, StageCount::Divergent),
        ] {
            counters.add(counter, stages.get(count));
        }
    }

    fn count_writes(&self, counters: &mut Counters, stages: &StageCounts) {
        let (rop, targets) = (&self.rop, &self.targets);
        let passed = stages.get(StageCount::PassedFront) + stages.get(StageCount::PassedBack);
        for (index, ColorTarget { format, .. }) in targets.written_colors(rop.color_mask) {
            let bytes = passed * u64::from(format.bytes());
            counters.add_to(Counter::ColorWritten, index, passed);
            counters.add(Counter::ColorWrittenBytes, bytes);
            if rop.used_blend(index, *format).is_some() {
                counters.add_to(Counter::ColorBlended, index, passed);
            }
            if rop.reads_color(index, *format) {
                counters.add(Counter::ColorReadBytes, bytes);
            }
        }
        let Some(zeta) = rop.used_zeta(targets) else { return };
        let bytes = u64::from(zeta.format.bytes());
        let faces = rop.stencil.as_ref().filter(|_| zeta.format.has_stencil());
        let outcomes = [
            [StageCount::StencilFront, StageCount::DepthFront, StageCount::PassedFront],
            [StageCount::StencilBack, StageCount::DepthBack, StageCount::PassedBack],
        ];
        let mut tested = stages.get(StageCount::DepthBounds);
        for (index, outcomes) in outcomes.into_iter().enumerate() {
            let operations = faces.map_or([false; 3], |faces| writing_operations(&faces[index]));
            for (place, (outcome, writes_stencil)) in outcomes.into_iter().zip(operations).enumerate() {
                let samples = stages.get(outcome);
                let writes_depth = place == 2 && rop.depth_test.is_some_and(|test| test.writes);
                tested += samples;
                counters.add(Counter::DepthWrites, if writes_depth { samples } else { 0 });
                counters.add(Counter::StencilWrites, if writes_stencil { samples } else { 0 });
                counters
                    .add(Counter::ZetaWrittenBytes, if writes_depth || writes_stencil { samples * bytes } else { 0 });
            }
        }
        let compares_depth = rop.depth_test.is_some() || rop.depth_bounds.is_some();
        counters.add(Counter::DepthReads, if compares_depth { tested } else { 0 });
        let within_bounds = tested - stages.get(StageCount::DepthBounds);
        counters.add(Counter::StencilReads, if faces.is_some() { within_bounds } else { 0 });
        counters.add(Counter::ZetaReadBytes, if compares_depth || faces.is_some() { tested * bytes } else { 0 });
    }
}

/// Whether a draw's counters depend on which samples belong to front and back faces; if not, all may count as
/// front faces.
#[must_use]
pub fn tells_faces(rop: &RopState, targets: &Targets) -> bool {
    rop.used_zeta(targets).is_some_and(|zeta| zeta.format.has_stencil())
        && rop.stencil.as_ref().is_some_and(|[front, back]| writing_operations(front) != writing_operations(back))
}

/// Which outcomes change the stencil value: stencil fails, depth fails, both pass.
fn writing_operations(face: &StencilFace) -> [bool; 3] {
    [face.fail, face.depth_fail, face.pass].map(|operation| operation != StencilOp::Keep && face.write_mask != 0)
}
