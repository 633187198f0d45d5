//! What quads do in the blocks of a fragment program, and the instructions of each block by class.

use super::lookups::LookupCounts;
use crate::arith::Precision;
use crate::shader::condition::{ConditionTest, Relation};
use crate::shader::fragment::{Block, FragmentNode, FragmentOperationKind, FragmentProgram};
use crate::shader::fragment_blocks::inner_blocks;
use crate::shader::fragment_function::InstructionClass;

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

/// Instructions of a block, without those of nested blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Instructions {
    /// Multiplications, additions and similar ones by the precision of their results: fp32, fp16, fx12, fx9.
    pub arithmetic: [u64; 4],
    /// Special functions, by the same precisions.
    pub special: [u64; 4],
    /// Fetches, by unit.
    pub lookups: [u64; 16],
    /// KIL.
    pub kills: u64,
    /// NOP and fences.
    pub nops: u64,
    /// Flow instructions.
    pub flow: u64,
}

impl Instructions {
    /// The total.
    #[must_use]
    pub fn total(&self) -> u64 {
        let Self { arithmetic, special, lookups, kills, nops, flow } = self;
        let sums = [arithmetic.iter().sum::<u64>(), special.iter().sum(), lookups.iter().sum()];
        sums.iter().sum::<u64>() + kills + nops + flow
    }

    /// The instructions of every block of a program, by number.
    #[must_use]
    pub fn of_blocks(program: &FragmentProgram) -> Vec<Self> {
        let mut blocks = Vec::new();
        std::iter::once(&program.body).chain(&program.subroutines).for_each(|block| Self::collect(block, &mut blocks));
        blocks
    }

    fn collect(block: &Block, blocks: &mut Vec<Self>) {
        let place = blocks.len();
        blocks.push(Self::default());
        let mut own = Self::default();
        for node in block {
            own.count(node);
            inner_blocks(node).into_iter().for_each(|inner| Self::collect(inner, blocks));
        }
        blocks[place] = own;
    }

    fn count(&mut self, node: &FragmentNode) {
        let FragmentNode::Operation(operation) = node else {
            self.flow += 1;
            return;
        };
        let precision = match operation.precision {
            Precision::Fp32 => 0,
            Precision::Fp16 => 1,
            Precision::Fx12 => 2,
            Precision::Fx9 => 3,
        };
        match operation.kind {
            FragmentOperationKind::Sample(_) => self.lookups[usize::from(operation.texture_unit & 15)] += 1,
            FragmentOperationKind::Kill => self.kills += 1,
            FragmentOperationKind::Nothing | FragmentOperationKind::Fence(_) => self.nops += 1,
            FragmentOperationKind::Move | FragmentOperationKind::Derivative(_) => self.arithmetic[precision] += 1,
            FragmentOperationKind::Compute(function) => match function.class {
                InstructionClass::Arithmetic => self.arithmetic[precision] += 1,
                InstructionClass::Special => self.special[precision] += 1,
            },
        }
    }
}
