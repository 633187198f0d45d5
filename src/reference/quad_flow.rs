//! Follows a quad through the blocks of its fragment program: how often it enters each, and where its pixels diverge.

use super::observer::BlockEntry;
use crate::counters::{FlowStep, ProgramCounts, is_branch};
use crate::shader::condition::ConditionTest;
use crate::shader::fragment::{Block, FragmentProgram};
use crate::shader::fragment_blocks::inner_blocks;

/// The numbers of a program's blocks, in the order of [`ProgramNumbers`](crate::counters::ProgramNumbers).
#[derive(Debug, Default)]
pub(super) struct BlockTable {
    /// By block, then by position of a node in it: the blocks inside that node.
    inner: Vec<Vec<Vec<usize>>>,
    subroutines: Vec<usize>,
}

impl BlockTable {
    /// Numbers the blocks of a program.
    pub(super) fn new(program: &FragmentProgram) -> Self {
        let mut table = Self::default();
        table.add(&program.body);
        for subroutine in &program.subroutines {
            let number = table.add(subroutine);
            table.subroutines.push(number);
        }
        table
    }

    fn add(&mut self, block: &Block) -> usize {
        let number = self.inner.len();
        self.inner.push(Vec::new());
        let nodes = block.iter().map(|node| inner_blocks(node).into_iter().map(|inner| self.add(inner)).collect());
        self.inner[number] = nodes.collect();
        number
    }

    /// The number of blocks.
    pub(super) const fn count(&self) -> usize {
        self.inner.len()
    }

    /// The number of the block entered from within another.
    fn number(&self, around: usize, entry: BlockEntry) -> usize {
        let inner = |position: usize, which: usize| self.inner[around][position][which];
        match entry {
            BlockEntry::Main => 0,
            BlockEntry::Then { position } | BlockEntry::Iteration { position, .. } => inner(position, 0),
            BlockEntry::Else { position } => inner(position, 1),
            BlockEntry::Call { subroutine, .. } => self.subroutines[subroutine],
        }
    }
}

/// The position of an entry in the enclosing block; `None` for the main block.
fn place(entry: BlockEntry) -> Option<u32> {
    Some(match entry {
        BlockEntry::Main => return None,
        BlockEntry::Then { position } | BlockEntry::Call { position, .. } => FlowStep::block(position, 0),
        BlockEntry::Else { position } => FlowStep::block(position, 1),
        BlockEntry::Iteration { position, number } => FlowStep::block(position, number),
    })
}

/// A quad during its program.
#[derive(Debug)]
pub(super) struct QuadFlow {
    pub(super) counts: ProgramCounts,
    /// The blocks that enclose it, innermost last: their numbers, and the traced steps that entered them.
    entered: Vec<(usize, Option<u32>)>,
}

impl QuadFlow {
    /// A quad before its program.
    pub(super) const fn new(counts: ProgramCounts) -> Self {
        Self { counts, entered: Vec::new() }
    }

    /// The pixels of `mask` enter a block.
    pub(super) fn enter(&mut self, blocks: &BlockTable, entry: BlockEntry, mask: u8) {
        let (around, parent) = self.entered.last().copied().unwrap_or_default();
        let number = blocks.number(around, entry);
        self.counts.entered[number] += 1;
        let block = u32::try_from(number).ok();
        let note = |place| self.counts.note(FlowStep { parent, place, block, active: mask, taken: 0 });
        let step = place(entry).and_then(note);
        self.entered.push((number, step));
    }

    /// The pixels leave the innermost block.
    pub(super) fn leave(&mut self) {
        self.entered.pop();
    }

    /// The pixels in `taken`, a subset of `mask`, pass the condition at a position of the innermost block.
    pub(super) fn branch(&mut self, position: usize, condition: ConditionTest, mask: u8, taken: u8) {
        if is_branch(condition) {
            let (_, parent) = self.entered.last().copied().unwrap_or_default();
            let place = FlowStep::branch(position);
            self.counts.count_branch(mask, taken);
            self.counts.note(FlowStep { parent, place, block: None, active: mask, taken });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::nv40_fragment::FragmentOpcode as Op;
    use crate::isa::test_words::{flow, fragment, full, words};
    use crate::shader::condition::Relation;
    use crate::shader::fragment::FragmentNode;

    #[test]
    fn quads_are_followed_into_branches_loops_and_calls() {
        let operation = |register| fragment(Op::Mov, register, &[full(0)]);
        let program = [
            operation(1),
            flow(Op::If, 12, 24),
            operation(3),
            operation(7),
            flow(Op::Rep, 2 << 2 | 2 << 10 | 2 << 19, 24),
            operation(4),
            flow(Op::Cal, 32, 0),
            flow(Op::Ret, 0, 0),
            operation(6),
            flow(Op::Ret, 0, 0),
        ];
        let program = FragmentProgram::decode(&words(&program)).unwrap();
        let FragmentNode::If { condition, .. } = program.body[1] else { panic!("{:?}", program.body) };
        let blocks = BlockTable::new(&program);
        assert_eq!(blocks.count(), 5);
        let mut quad = QuadFlow::new(ProgramCounts::new(5).tracing());
        let never = ConditionTest { relation: Relation::Never, ..condition };
        quad.enter(&blocks, BlockEntry::Main, 15);
        quad.branch(1, never, 15, 3);
        quad.enter(&blocks, BlockEntry::Then { position: 1 }, 3);
        quad.leave();
        quad.enter(&blocks, BlockEntry::Else { position: 1 }, 12);
        // The branch follows an operation.
        for number in 0..2 {
            quad.enter(&blocks, BlockEntry::Iteration { position: 1, number }, 12);
            quad.leave();
        }
        quad.leave();
        quad.enter(&blocks, BlockEntry::Call { position: 2, subroutine: 0 }, 15);
        quad.branch(1, ConditionTest { relation: Relation::Always, ..condition }, 15, 15);
        quad.leave();
        quad.leave();
        // Main 0, THEN 1, ELSE 2, the loop's body 3, the subroutine 4. A condition that always passes is no branch.
        assert_eq!(quad.counts.entered, [1, 1, 1, 2, 1]);
        assert_eq!(quad.counts.branches, [0, 0, 1]);
        let steps = quad.counts.steps.unwrap();
        let found: Vec<_> = steps.iter().map(|step| (step.parent, step.place, step.block, step.active)).collect();
        let expected = [
            (None, FlowStep::branch(1), None, 15),
            (None, FlowStep::block(1, 0), Some(1), 3),
            (None, FlowStep::block(1, 1), Some(2), 12),
            (Some(2), FlowStep::block(1, 0), Some(3), 12),
            (Some(2), FlowStep::block(1, 1), Some(3), 12),
            (None, FlowStep::block(2, 0), Some(4), 15),
        ];
        assert_eq!(found, expected);
    }
}
