//! Finds the branches at which all threads of a warp go the same way, which need no join.
//!
//! A value is the same in all threads of a warp if it comes from parameters, constants, and sizes and place of the block only,
//! and if no branch at which threads may part decides whether it is calculated.

use super::flow::Flow;
use super::ir::{Address, Instruction, Memory, Operand, Program, Terminator};
use crate::shader::simt::{Operation, Space};

/// An instruction by its block and its place there; the terminator follows the instructions.
type Reader = (usize, usize);

/// What may differ between the threads of a warp.
#[derive(Debug)]
struct Divergence<'a> {
    program: &'a Program,
    flow: &'a Flow,
    registers: Vec<bool>,
    conditions: Vec<bool>,
    /// The blocks that a part of a warp may execute alone.
    blocks: Vec<bool>,
    /// By block, a postdominator: those between are marked.
    beyond: Vec<Option<usize>>,
    /// The end of the parameters in shared memory.
    parameters_end: u32,
    /// By register, the instructions that read it.
    register_readers: Vec<Vec<Reader>>,
    /// By condition, the same.
    condition_readers: Vec<Vec<Reader>>,
    /// What must be looked at.
    pending: Vec<Reader>,
}

/// Marks branches as uniform; `exit` is the only block that ends the thread, `parameters_end` the first byte of shared memory
/// that a kernel may write.
pub(super) fn mark_uniform_branches(program: &mut Program, exit: usize, parameters_end: u32) {
    let flow = Flow::of(program, exit);
    let mut divergence = Divergence::at_start(program, &flow, parameters_end);
    while let Some((block, index)) = divergence.pending.pop() {
        divergence.follow(block, index);
    }
    let conditions = divergence.conditions;
    for block in &mut program.blocks {
        if let Terminator::Branch { guard, is_uniform, .. } = &mut block.terminator {
            *is_uniform |= !conditions[guard.condition as usize];
        }
    }
}

impl<'a> Divergence<'a> {
    /// Only what is never written: the coordinates of the thread, and what a text does not define.
    fn at_start(program: &'a Program, flow: &'a Flow, parameters_end: u32) -> Self {
        let mut registers = vec![true; program.registers.len()];
        let mut conditions = vec![true; program.conditions.len()];
        let mut register_readers = vec![Vec::new(); registers.len()];
        let mut condition_readers = vec![Vec::new(); conditions.len()];
        let mut pending = Vec::new();
        for (block, index, instruction) in program.blocks.iter().enumerate().flat_map(|(number, block)| {
            block.instructions.iter().enumerate().map(move |(index, instruction)| (number, index, instruction))
        }) {
            if let Some(slice) = instruction.write() {
                registers[slice.register as usize] = program.registers[slice.register as usize].fixed.is_some();
            }
            if let Some(condition) = instruction.condition_written() {
                conditions[condition as usize] = false;
            }
            instruction.reads().for_each(|slice| register_readers[slice.register as usize].push((block, index)));
            instruction.condition_reads().for_each(|one| condition_readers[one as usize].push((block, index)));
            pending.push((block, index));
        }
        for (number, block) in program.blocks.iter().enumerate() {
            if let Terminator::Branch { guard, .. } = block.terminator {
                condition_readers[guard.condition as usize].push((number, block.instructions.len()));
                pending.push((number, block.instructions.len()));
            }
        }
        let blocks = vec![false; program.blocks.len()];
        let beyond = flow.postdominators.above.clone();
        Self {
            program,
            flow,
            registers,
            conditions,
            blocks,
            beyond,
            parameters_end,
            register_readers,
            condition_readers,
            pending,
        }
    }

    /// Adds what follows from an instruction, or from the end of a block.
    fn follow(&mut self, number: usize, index: usize) {
        let block = &self.program.blocks[number];
        let Some(instruction) = block.instructions.get(index) else {
            if let Terminator::Branch { guard, is_uniform: false, .. } = block.terminator
                && self.conditions[guard.condition as usize]
            {
                self.part(number);
            }
            return;
        };
        if !self.blocks[number] && !self.may_differ(instruction) {
            return;
        }
        if let Some(slice) = instruction.write()
            && !std::mem::replace(&mut self.registers[slice.register as usize], true)
        {
            self.pending.extend(&self.register_readers[slice.register as usize]);
        }
        if let Some(condition) = instruction.condition_written()
            && !std::mem::replace(&mut self.conditions[condition as usize], true)
        {
            self.pending.extend(&self.condition_readers[condition as usize]);
        }
    }

    /// Marks the blocks that can run between a branch at which threads part and its postdominator: those whose execution
    /// the branch decides, and those that branches among them decide.
    fn part(&mut self, branch: usize) {
        let mut deciding = vec![branch];
        while let Some(branch) = deciding.pop() {
            let depth = &self.flow.postdominators.depth;
            let meeting = self.flow.postdominators.above[branch].map(|meeting| depth[meeting]);
            for next in self.program.blocks[branch].terminator.successors() {
                while let Some(block) = self.unmarked(next)
                    && meeting.is_none_or(|meeting| depth[block] > meeting)
                {
                    self.mark(block);
                    deciding.push(block);
                }
            }
        }
    }

    /// The nearest block that is not marked, among one and its postdominators.
    fn unmarked(&mut self, block: usize) -> Option<usize> {
        let (mut marked, mut found) = (Vec::new(), Some(block));
        while let Some(block) = found.filter(|block| self.blocks[*block]) {
            marked.push(block);
            found = self.beyond[block];
        }
        for block in marked {
            self.beyond[block] = found;
        }
        found
    }

    /// Marks a block that a part of a warp may execute alone, and the routine that it calls.
    fn mark(&mut self, block: usize) {
        let mut reached = vec![block];
        while let Some(block) = reached.pop() {
            if std::mem::replace(&mut self.blocks[block], true) {
                continue;
            }
            self.pending.extend((0..self.program.blocks[block].instructions.len()).map(|index| (block, index)));
            let terminator = self.program.blocks[block].terminator;
            if let Terminator::Call { routine, .. } = terminator {
                reached.push(routine);
            }
            // From a block that never reaches the exit, nothing is beyond a meeting.
            if self.flow.postdominators.above[block].is_none() && terminator != Terminator::Exit {
                reached.extend(terminator.successors());
            }
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
