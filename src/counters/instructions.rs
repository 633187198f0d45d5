//! Counts the instructions in each block of a fragment program, by class.

use crate::arith::Precision;
use crate::shader::fragment::{Block, FragmentNode, FragmentOperationKind, FragmentProgram};
use crate::shader::fragment_blocks::inner_blocks;
use crate::shader::fragment_function::InstructionClass;

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
