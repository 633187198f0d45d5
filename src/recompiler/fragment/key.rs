//! The key of a fragment kernel: everything that is baked into it.

use crate::counters::{ProgramNumbers, ProgramWords};
use crate::recompiler::quad_inputs::{QuadKey, QuadSource};
use crate::recompiler::software::iteration_budget::QuadIterations;
use crate::shader::analysis::ProgramView;
use crate::shader::analysis::execution_bounds::iterations_bound;
use crate::shader::analysis::resource_usage::ResourceUsage;
use crate::shader::fragment::{Block, FragmentOutputs, FragmentProgram};

/// Everything that is baked into one kernel, except the state of texture units.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FragmentKernelKey {
    /// The main block.
    pub body: Block,
    /// Subroutines.
    pub subroutines: Vec<Block>,
    /// Depth comes from R1.z.
    pub exports_depth: bool,
    /// Results are full registers.
    pub has_full_outputs: bool,
    /// Bit i: color target i is stored.
    pub targets: u8,
    /// The quads that it shades.
    pub quads: QuadKey,
    /// Bit i: fetches from texture unit i can discard fragments.
    pub discarding_units: u16,
    /// Bit i: fetches from texture unit i return values of 0..1.
    pub unit_fetches: u16,
    /// Whether quads are counted: their pixels and samples at the start, and their program's work.
    pub counts: bool,
    /// Bit i: the work of fetches from texture unit i is counted.
    pub counted_units: u16,
    /// The counter words that each unit's text updates, as a bit mask; the other words are 0.
    pub counted_words: [u8; 16],
}

impl FragmentKernelKey {
    /// The key of a program with these controls and targets, without coverage, multisampling and cylindrical wrap.
    #[must_use]
    pub fn new(
        program: &FragmentProgram,
        exports_depth: bool,
        has_full_outputs: bool,
        targets: u8,
        quads: QuadSource,
    ) -> Self {
        Self {
            body: program.body.clone(),
            subroutines: program.subroutines.clone(),
            exports_depth,
            has_full_outputs,
            targets: targets & 15,
            quads: QuadKey::new(quads),
            discarding_units: 0,
            unit_fetches: 0,
            counts: false,
            counted_units: 0,
            counted_words: [0; 16],
        }
    }

    /// The program as input of analyses.
    #[must_use]
    pub fn view(&self) -> ProgramView<'_> {
        ProgramView {
            body: &self.body,
            subroutines: &self.subroutines,
            outputs: FragmentOutputs {
                has_full_outputs: self.has_full_outputs,
                exports_depth: self.exports_depth,
                targets: self.targets,
            },
            interpolates: self.quads.source == QuadSource::Interpolated,
            unit_range_fetches: self.unit_fetches,
        }
    }

    /// The resources that the program uses.
    #[must_use]
    pub fn resource_usage(&self) -> ResourceUsage {
        ResourceUsage::of(&self.view())
    }

    /// Number of words that count the program's work for a quad: branches by their outcome, then those of
    /// [`ProgramWords`]; none if there is neither flow nor a counted fetch.
    #[must_use]
    pub fn flow_counts(&self) -> u32 {
        if !self.counts || !self.resource_usage().has_flow && self.counted_units == 0 {
            return 0;
        }
        let blocks = ProgramNumbers::new(&self.body, &self.subroutines).count;
        let words = 3 + ProgramWords { blocks, units: self.counted_units }.count();
        u32::try_from(words).expect("a program has fewer instructions")
    }

    /// Bit i: the program samples texture unit i.
    #[must_use]
    pub fn sampled_units(&self) -> u16 {
        self.resource_usage().units
    }

    /// Maximum number of loop iterations for a quad; `fetch` returns those of a texture unit.
    #[must_use]
    pub fn max_rounds(&self, fetch: &dyn Fn(u8) -> QuadIterations) -> QuadIterations {
        let bound = |own: u64, rounds: &dyn Fn(QuadIterations) -> u64| {
            iterations_bound(&self.view(), own, &|operation| match operation.kind.samples() {
                true => rounds(fetch(operation.texture_unit & 15)),
                false => 0,
            })
        };
        QuadIterations {
            fixed: bound(1, &|rounds| rounds.fixed),
            samples: bound(0, &|rounds| rounds.samples),
            ..QuadIterations::default()
        }
    }
}
