//! Finds the branches at which all threads of a warp go the same way, which need no join.
//!
//! A value is the same in all threads of a warp if it comes from parameters, constants, and sizes and place of the block only,
//! and if no branch at which threads may part decides whether it is calculated.

use super::flow::{Flow, reached};
use super::ir::{Address, Instruction, Memory, Operand, Program, Terminator};
use crate::shader::simt::{Operation, Space};

/// What may differ between the threads of a warp.
#[derive(Debug)]
struct Divergence {
    registers: Vec<bool>,
    conditions: Vec<bool>,
    /// The blocks that a part of a warp may execute alone.
    blocks: Vec<bool>,
    /// The end of the parameters in shared memory.
    parameters_end: u32,
    has_changed: bool,
}

/// Marks branches as uniform; `exit` is the only block that ends the thread, `parameters_end` the first byte of shared memory
/// that a kernel may write.
pub(super) fn mark_uniform_branches(program: &mut Program, exit: usize, parameters_end: u32) {
    let flow = Flow::of(program, exit);
    let mut divergence = Divergence::at_start(program, parameters_end);
    while std::mem::take(&mut divergence.has_changed) {
        for index in 0..program.blocks.len() {
            divergence.follow(program, &flow, index);
        }
    }
    for block in &mut program.blocks {
        if let Terminator::Branch { guard, is_uniform, .. } = &mut block.terminator {
            *is_uniform |= !divergence.conditions[guard.condition as usize];
        }
    }
}

impl Divergence {
    /// Only what is never written: the coordinates of the thread, and what a text does not define.
    fn at_start(program: &Program, parameters_end: u32) -> Self {
        let mut registers = vec![true; program.registers.len()];
        let mut conditions = vec![true; program.conditions.len()];
        for instruction in program.blocks.iter().flat_map(|block| &block.instructions) {
            if let Some(slice) = instruction.write() {
                registers[slice.register as usize] = program.registers[slice.register as usize].fixed.is_some();
            }
            if let Some(condition) = instruction.condition_written() {
                conditions[condition as usize] = false;
            }
        }
        Self { registers, conditions, blocks: vec![false; program.blocks.len()], parameters_end, has_changed: true }
    }

    /// Adds what follows from a block.
    fn follow(&mut self, program: &Program, flow: &Flow, index: usize) {
        let block = &program.blocks[index];
        for instruction in &block.instructions {
            if self.blocks[index] || self.may_differ(instruction) {
                if let Some(slice) = instruction.write() {
                    mark(&mut self.registers[slice.register as usize], &mut self.has_changed);
                }
                if let Some(condition) = instruction.condition_written() {
                    mark(&mut self.conditions[condition as usize], &mut self.has_changed);
                }
            }
        }
        let alone = match block.terminator {
            Terminator::Branch { guard, is_uniform: false, .. } if self.conditions[guard.condition as usize] => {
                let meeting = flow.postdominators[index].unwrap_or(usize::MAX);
                reached(program, block.terminator.successors(), meeting)
            }
            Terminator::Call { routine, .. } if self.blocks[index] => reached(program, [routine], usize::MAX),
            _ => return,
        };
        for block in alone {
            mark(&mut self.blocks[block], &mut self.has_changed);
        }
    }

    /// Whether the result of an instruction that whole warps execute may differ.
    fn may_differ(&self, instruction: &Instruction) -> bool {
        let is_special = matches!(
            instruction.operation,
            Operation::ReadSpecial(_) | Operation::ReadAddress | Operation::Atomic { .. } | Operation::Texture(_)
        );
        is_special
            || instruction.reads().any(|slice| self.registers[slice.register as usize])
            || instruction.condition_reads().any(|condition| self.conditions[condition as usize])
            || instruction.sources.iter().any(|source| match source.operand {
                Operand::Memory(memory) => !self.is_uniform_memory(memory),
                _ => false,
            })
    }

    /// Whether memory is one place that never changes while a kernel runs.
    const fn is_uniform_memory(&self, memory: Memory) -> bool {
        match (memory.space, memory.address) {
            (Space::Constant(_), Address::Offset { base: 0, .. }) => true,
            (Space::Shared, Address::Offset { base: 0, offset }) => offset < self.parameters_end,
            _ => false,
        }
    }
}

const fn mark(known: &mut bool, has_changed: &mut bool) {
    *has_changed |= !*known;
    *known = true;
}
