//! A [`VertexProgram`] as basic blocks, the unit in which both engines follow branches, calls and returns.

use std::collections::BTreeSet;
use std::ops::Range;

use super::vertex::{VertexInstruction, VertexProgram};
use crate::isa::nv40_vertex::ScalarOpcode;

/// Instructions that are executed one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasicBlock {
    /// Its instructions, as a range of [`VertexProgram::instructions`]; never empty.
    pub instructions: Range<usize>,
    /// What happens after the last one. A condition or boolean is that of the last instruction.
    pub exit: BlockExit,
}

/// How execution leaves a block. Numbers are indices of blocks; `None` ends the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockExit {
    /// Goes on.
    Continue {
        /// The block that follows.
        next: Option<usize>,
    },
    /// BRA, BRB: goes to the target if taken.
    Branch {
        /// Where a taken branch goes.
        target: usize,
        /// Where one that is not taken goes.
        next: Option<usize>,
    },
    /// BRA with an address register: goes to the block of the slot that it holds if taken; every slot begins a block.
    BranchToAddress {
        /// Where one that is not taken goes.
        next: Option<usize>,
    },
    /// CAL, CLB: pushes `next` and goes to the target if taken.
    Call {
        /// Where a taken call goes.
        target: usize,
        /// Where the call returns to, or goes when it is not taken.
        next: Option<usize>,
    },
    /// RET: pops the block to go to if taken.
    Return {
        /// Where a return that is not taken goes.
        next: Option<usize>,
    },
    /// PUSHA: pushes an address register; the program ends when the stack is full.
    PushAddress {
        /// The block that follows.
        next: Option<usize>,
    },
    /// POPA: pops an address register; the program ends when the top is none.
    PopAddress {
        /// The block that follows.
        next: Option<usize>,
    },
}

/// Entries of the stack that calls and PUSHA share.
pub const STACK_ENTRIES: usize = 8;

impl VertexProgram {
    /// Splits the program; block 0 holds the lowest slot, and [`Self::start_block`] is the one to begin with.
    #[must_use]
    pub fn blocks(&self) -> Vec<BasicBlock> {
        let starts: Vec<usize> = self.block_starts().into_iter().collect();
        let block_of = |slot: u16| -> Option<usize> {
            let position = self.instructions.binary_search_by_key(&slot, |instruction| instruction.slot).ok()?;
            starts.binary_search(&position).ok()
        };
        starts
            .iter()
            .enumerate()
            .map(|(block, &first)| {
                let end = starts.get(block + 1).copied().unwrap_or(self.instructions.len());
                let exit = exit_of(&self.instructions[end - 1], &block_of);
                BasicBlock { instructions: first..end, exit }
            })
            .collect()
    }

    /// The block of [`Self::blocks`] with which execution begins.
    #[must_use]
    pub fn start_block(&self) -> usize {
        let position = self.instructions.partition_point(|instruction| instruction.slot < self.start);
        self.block_starts().range(..position).count()
    }

    /// Positions of instructions that begin a block.
    fn block_starts(&self) -> BTreeSet<usize> {
        let position_of =
            |slot: u16| self.instructions.binary_search_by_key(&slot, |instruction| instruction.slot).ok();
        let mut starts: BTreeSet<usize> = position_of(self.start).into_iter().collect();
        if self.branches_to_addresses() {
            return (0..self.instructions.len()).collect();
        }
        let mut previous: Option<&VertexInstruction> = None;
        for (position, instruction) in self.instructions.iter().enumerate() {
            let follows = previous.is_some_and(|previous| {
                previous.slot + 1 == instruction.slot && !previous.is_last && !previous.scalar.is_flow()
            });
            if !follows {
                starts.insert(position);
            }
            if instruction.has_target() {
                starts.extend(position_of(instruction.branch.target));
            }
            previous = Some(instruction);
        }
        starts
    }
}

fn exit_of(last: &VertexInstruction, block_of: &dyn Fn(u16) -> Option<usize>) -> BlockExit {
    // Unverified: END on a branch, call or return that is taken does not end the program; a call returns to the end.
    let next = if last.is_last { None } else { block_of(last.slot + 1) };
    let target = || block_of(last.branch.target).expect("decoding reaches every target, and each begins a block");
    match last.scalar {
        ScalarOpcode::Bra | ScalarOpcode::Brb => BlockExit::Branch { target: target(), next },
        ScalarOpcode::Cal | ScalarOpcode::CalIndirect | ScalarOpcode::Clb => BlockExit::Call { target: target(), next },
        ScalarOpcode::Ret => BlockExit::Return { next },
        ScalarOpcode::PushA => BlockExit::PushAddress { next },
        ScalarOpcode::PopA => BlockExit::PopAddress { next },
        ScalarOpcode::BraIndirect => BlockExit::BranchToAddress { next },
        ScalarOpcode::Nop
        | ScalarOpcode::Mov
        | ScalarOpcode::Rcp
        | ScalarOpcode::Rcc
        | ScalarOpcode::Rsq
        | ScalarOpcode::Exp
        | ScalarOpcode::Log
        | ScalarOpcode::Lit
        | ScalarOpcode::Lg2
        | ScalarOpcode::Ex2
        | ScalarOpcode::Sin
        | ScalarOpcode::Cos => BlockExit::Continue { next },
    }
}

#[cfg(test)]
mod tests {
    use super::{BasicBlock, BlockExit};
    use crate::isa::nv40_vertex::{ScalarOpcode, VertexField, VertexWord};
    use crate::isa::test_words::vertex_branch;
    use crate::shader::vertex::VertexProgram;

    fn flow(scalar: ScalarOpcode, target: u32) -> VertexWord {
        vertex_branch(scalar.code().into(), target)
    }

    #[test]
    fn a_loop_with_a_call_is_split_at_targets_and_behind_flow() {
        let slots = [
            flow(ScalarOpcode::Nop, 0).words(),
            flow(ScalarOpcode::Cal, 4).words(),
            flow(ScalarOpcode::Bra, 1).with(VertexField::COND_TEST, 1).with(VertexField::COND, 4).words(),
            flow(ScalarOpcode::Nop, 0).with(VertexField::END, 1).words(),
            flow(ScalarOpcode::Nop, 0).words(),
            flow(ScalarOpcode::Ret, 0).words(),
        ];
        let program = VertexProgram::decode(&slots, 0).unwrap();
        assert_eq!(program.start_block(), 0);
        assert_eq!(
            program.blocks(),
            [
                BasicBlock { instructions: 0..1, exit: BlockExit::Continue { next: Some(1) } },
                BasicBlock { instructions: 1..2, exit: BlockExit::Call { target: 4, next: Some(2) } },
                BasicBlock { instructions: 2..3, exit: BlockExit::Branch { target: 1, next: Some(3) } },
                BasicBlock { instructions: 3..4, exit: BlockExit::Continue { next: None } },
                BasicBlock { instructions: 4..6, exit: BlockExit::Return { next: None } },
            ]
        );
    }

    #[test]
    fn a_start_behind_other_code_names_its_own_block() {
        let slots = [flow(ScalarOpcode::Nop, 0).with(VertexField::END, 1).words(), flow(ScalarOpcode::Bra, 0).words()];
        let program = VertexProgram::decode(&slots, 1).unwrap();
        assert_eq!(program.start_block(), 1);
        assert_eq!(program.blocks()[1].exit, BlockExit::Branch { target: 0, next: None });
    }
}
