//! What quads do in the blocks of a fragment program.

use super::lookups::LookupCounts;
use crate::shader::condition::{ConditionTest, Relation};

/// What a program does for a quad.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProgramCounts {
    /// How often the quad entered each block, by number.
    pub entered: Vec<u32>,
    /// Conditional branches that all active pixels took, that none took, and at which they diverged.
    pub branches: [u32; 3],
    /// The texture fetches by unit.
    pub lookups: [LookupCounts; 16],
    /// Each of these branches and each block except the main one, in program order, if steps are traced.
    pub steps: Option<Vec<FlowStep>>,
}

/// A branch that a quad reached, or a block that it entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowStep {
    /// The step that entered the enclosing block; `None` in the main block.
    pub parent: Option<u32>,
    /// The position in that block, by [`FlowStep::branch`] or [`FlowStep::block`].
    pub place: u32,
    /// The number of the entered block; `None` for a branch.
    pub block: Option<u32>,
    /// The active pixels.
    pub active: u8,
    /// For a branch, the active pixels that take it.
    pub taken: u8,
}

impl FlowStep {
    /// The position of a branch: the index of its instruction in the block.
    #[must_use]
    pub fn branch(position: usize) -> u32 {
        Self::block(position, u16::MAX)
    }

    /// The position of a block: the index of its IF, LOOP or CAL, and which of its blocks or iterations it is.
    #[must_use]
    pub fn block(position: usize, round: u16) -> u32 {
        // Real programs have far fewer instructions.
        u32::try_from(position).unwrap_or(u32::MAX) << 16 | u32::from(round)
    }
}

impl ProgramCounts {
    /// Creates zeros for a program of `blocks` blocks.
    #[must_use]
    pub fn new(blocks: usize) -> Self {
        Self { entered: vec![0; blocks], ..Self::default() }
    }

    /// Also traces steps.
    #[must_use]
    pub fn tracing(self) -> Self {
        Self { steps: Some(Vec::new()), ..self }
    }

    /// Records a step, if steps are traced; returns its number.
    pub fn note(&mut self, step: FlowStep) -> Option<u32> {
        let steps = self.steps.as_mut()?;
        steps.push(step);
        u32::try_from(steps.len() - 1).ok()
    }

    /// Counts a branch that the active pixels `taken` take.
    pub const fn count_branch(&mut self, active: u8, taken: u8) {
        let outcome = match (taken & active != 0, active & !taken != 0) {
            (true, false) => 0,
            (false, true) => 1,
            (true, true) => 2,
            (false, false) => return,
        };
        self.branches[outcome] += 1;
    }
}

/// Whether pixels can diverge at an instruction with this condition.
#[must_use]
pub fn is_branch(condition: ConditionTest) -> bool {
    condition.relation != Relation::Always
}
