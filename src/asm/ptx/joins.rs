//! Lets the threads of a warp that a branch separates run together again.
//!
//! Before a branch that threads may take or not, the machine pushes the place where the ways meet: the immediate
//! postdominator. The threads of each way that arrive there pop the stack once. The join is a block of its own, which is
//! reached from the branch only:
//!
//! ```text
//! branch:  …            loop:    joinat join      pushed once, before the loop
//!          joinat join  header:  …
//!          @p bra way            @p bra join      threads that leave wait on the stack
//!          …            …        bra header
//! join:    nop.join     join:    nop.join
//! meet:    …            meet:    …
//! ```
//!
//! A branch that leaves a loop pushes before the outermost loop that it leaves. If the blocks between the branch and the
//! meeting can be entered elsewhere, which no structured language makes, the push is before all entries, where every way
//! leads to the meeting. If there is no such place, the ways run one after the other until an outer join.

use std::collections::BTreeSet;

use super::flow::{Flow, is_above, reached};
use super::ir::{Block, Destination, Instruction, Operand, Program, Source, Terminator};
use crate::asm::diagnostic::Span;
use crate::shader::simt::Operation;

/// Where a join is pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the end of a block.
    End(usize),
    /// Before the loop with a header is entered.
    Before(usize),
}

/// A join.
#[derive(Debug)]
struct Join {
    place: Place,
    /// Where the ways meet.
    meeting: usize,
    /// The blocks between.
    region: BTreeSet<usize>,
}

impl Join {
    /// The blocks from which the meeting is reached over the join.
    fn joined_blocks(&self) -> impl Iterator<Item = usize> {
        let branch = if let Place::End(branch) = self.place { Some(branch) } else { None };
        self.region.iter().copied().chain(branch)
    }
}

/// Adds joins to a program whose only block that ends the thread is `exit`.
pub(super) fn add_joins(program: &mut Program, exit: usize) {
    let flow = Flow::of(program, exit);
    let mut joins: Vec<Join> = Vec::new();
    for (index, block) in program.blocks.iter().enumerate() {
        let Terminator::Branch { is_uniform: false, .. } = block.terminator else { continue };
        let Some(join) = flow.postdominators[index].and_then(|meeting| find(program, &flow, index, meeting)) else {
            continue;
        };
        if !joins.iter().any(|known| (known.place, known.meeting) == (join.place, join.meeting)) {
            joins.push(join);
        }
    }
    // Inner regions first: an outer join then finds the blocks that inner ones add.
    joins.sort_by_key(|join| join.joined_blocks().count());
    let mut loop_entries: Vec<(usize, usize)> = Vec::new();
    for index in 0..joins.len() {
        let (done, rest) = joins.split_at_mut(index + 1);
        let inner = &done[index];
        let inserted = insert(program, inner, &mut loop_entries);
        for outer in rest {
            if inner.joined_blocks().any(|block| outer.region.contains(&block)) {
                outer.region.extend([inserted.joined].into_iter().chain(inserted.before));
            }
            // What is before a loop is now where ways from outside of it meet.
            let is_outside = !outer.joined_blocks().any(|block| inner.region.contains(&block));
            if let Some(before) = inserted.before
                && outer.meeting == inserted.entry
                && is_outside
            {
                outer.meeting = before;
            }
        }
    }
}

/// The join of a branch, if its region has one entry.
fn find(program: &Program, flow: &Flow, branch: usize, meeting: usize) -> Option<Join> {
    let region = reached(program, program.blocks[branch].terminator.successors(), meeting);
    let is_closed = |region: &BTreeSet<usize>, entry: usize, outside: usize| {
        let inside = |block: &usize| region.contains(block) || *block == outside;
        region.iter().filter(|block| **block != entry).all(|block| flow.predecessors[*block].iter().all(inside))
    };
    if !region.contains(&branch) && is_closed(&region, branch, branch) {
        return Some(Join { place: Place::End(branch), meeting, region });
    }
    let left = flow.loops.iter().filter(|(_, body)| body.contains(&branch) && !body.contains(&meeting));
    if let Some((header, _)) = left.max_by_key(|(_, body)| body.len()) {
        let region = reached(program, [*header], meeting);
        if is_closed(&region, *header, *header) {
            return Some(Join { place: Place::Before(*header), meeting, region });
        }
    }
    // Several entries: the nearest block before all of them from which every way leads to the meeting.
    std::iter::successors(flow.dominators[branch], |block| flow.dominators[*block])
        .take_while(|block| *block != meeting && is_above(&flow.postdominators, meeting, *block))
        .map(|block| (block, reached(program, program.blocks[block].terminator.successors(), meeting)))
        .find(|(block, region)| !region.contains(block) && is_closed(region, *block, *block))
        .map(|(block, region)| Join { place: Place::End(block), meeting, region })
}

/// The blocks of a join that were added.
#[derive(Debug)]
struct Inserted {
    /// Where threads join.
    joined: usize,
    /// Where the join is pushed before a loop.
    before: Option<usize>,
    /// What that block continues at.
    entry: usize,
}

/// Adds the blocks and instructions of a join.
fn insert(program: &mut Program, join: &Join, loop_entries: &mut Vec<(usize, usize)>) -> Inserted {
    let meeting = join.meeting;
    let span = program.blocks[meeting].span.clone();
    let nothing = Instruction { joins: true, ..instruction(Operation::Nothing, Vec::new(), &span) };
    let joined = append(program, nothing, meeting, &span);
    for block in join.joined_blocks() {
        program.blocks[block].terminator.redirect(|next| if next == meeting { joined } else { next });
    }
    let push = instruction(Operation::PushJoin, vec![Source::of(Operand::Block(joined))], &span);
    match join.place {
        Place::End(branch) => {
            program.blocks[branch].instructions.push(push);
            Inserted { joined, before: None, entry: branch }
        }
        Place::Before(header) => {
            // An inner join of the same loop may have added a block before it.
            let entry = loop_entries.iter().rev().find(|(known, _)| *known == header).map_or(header, |known| known.1);
            let before = append(program, push, entry, &span);
            for (index, block) in program.blocks.iter_mut().enumerate() {
                if index != before && index != joined && !join.region.contains(&index) {
                    block.terminator.redirect(|next| if next == entry { before } else { next });
                }
            }
            loop_entries.push((header, before));
            Inserted { joined, before: Some(before), entry }
        }
    }
}

/// A new block with one instruction.
fn append(program: &mut Program, instruction: Instruction, next: usize, span: &Span) -> usize {
    let (instructions, terminator, span) = (vec![instruction], Terminator::Jump(next), span.clone());
    program.blocks.push(Block { instructions, terminator, span });
    program.blocks.len() - 1
}

fn instruction(operation: Operation, sources: Vec<Source>, span: &Span) -> Instruction {
    let (destination, span) = (Destination::None, span.clone());
    Instruction { operation, destination, sources, condition_write: None, guard: None, joins: false, span }
}
