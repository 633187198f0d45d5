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

use std::collections::{BTreeMap, BTreeSet};

use super::flow::{Flow, Region};
use super::ir::{Block, Destination, Instruction, Operand, Program, Source, Terminator};
use crate::diagnostic::Span;
use crate::shader::simt::Operation;

/// Where a join is pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// At the end of a block.
    End(usize),
    /// Before the loop with a header is entered.
    Before(usize),
}

/// A join.
#[derive(Debug, Clone, Copy)]
struct Join {
    place: Place,
    /// Where the ways meet.
    meeting: usize,
    /// The blocks from which the meeting is reached over the join.
    region: Region,
}

/// Adds joins to a program whose only block that ends the thread is `exit`.
pub(super) fn add_joins(program: &mut Program, exit: usize) {
    let flow = Flow::of(program, exit);
    let (mut joins, mut known): (Vec<Join>, BTreeSet<(Place, usize)>) = (Vec::new(), BTreeSet::new());
    for (index, block) in program.blocks.iter().enumerate() {
        let Terminator::Branch { is_uniform: false, .. } = block.terminator else { continue };
        let Some(meeting) = flow.postdominators.above[index] else { continue };
        joins.extend(find(&flow, index, meeting).filter(|join| known.insert((join.place, join.meeting))));
    }
    // Inner regions first: an outer join then finds the blocks that inner ones add.
    joins.sort_by_key(|join| join.region.len());
    let mut inserter = Inserter::new(program, &flow);
    for join in joins {
        inserter.insert(join);
    }
}

/// The join of a branch, if its region has one entry.
fn find(flow: &Flow, branch: usize, meeting: usize) -> Option<Join> {
    if let Some(region) = flow.region(branch, meeting, false) {
        return Some(Join { place: Place::End(branch), meeting, region });
    }
    if let Some(header) = flow.left_loop(branch, meeting)
        && let Some(region) = flow.region(header, meeting, true)
    {
        return Some(Join { place: Place::Before(header), meeting, region });
    }
    // Several entries: the nearest block before all of them from which every way leads to the meeting. What ends the search
    // at a block would end it at any above.
    let is_inside = flow.dominators.is_above(meeting, branch);
    let may_enter = |block: &usize| {
        let is_behind = !is_inside || flow.dominators.is_above(meeting, *block) && meeting != *block;
        is_behind && flow.postdominators.is_above(meeting, *block) && !flow.is_entered(*block, meeting)
    };
    let mut entry = branch;
    loop {
        entry = flow.wider_entry(entry, meeting).filter(may_enter)?;
        if let Some(region) = flow.region(entry, meeting, false) {
            return Some(Join { place: Place::End(entry), meeting, region });
        }
    }
}

/// Adds the blocks and instructions of joins, those of inner ones first.
#[derive(Debug)]
struct Inserter<'a> {
    program: &'a mut Program,
    flow: &'a Flow,
    /// By block, those that continue there, with the number of the block whose place they have in regions.
    sources: BTreeMap<usize, BTreeSet<(usize, usize)>>,
    /// By the header of a loop, or a block before it: the block that was added before, and the loop.
    before: BTreeMap<usize, (usize, Region)>,
}

impl<'a> Inserter<'a> {
    fn new(program: &'a mut Program, flow: &'a Flow) -> Self {
        let mut sources: BTreeMap<usize, BTreeSet<(usize, usize)>> = BTreeMap::new();
        for (index, block) in program.blocks.iter().enumerate() {
            for next in block.terminator.successors() {
                sources.entry(next).or_default().insert((flow.number(index), index));
            }
        }
        Self { program, flow, sources, before: BTreeMap::new() }
    }

    /// Lets the blocks of a region, or all others, that continue at a block continue at another one instead, which then
    /// continues there in the place of `entry`.
    fn redirect(&mut self, region: Region, is_inside: bool, (from, to): (usize, usize), entry: usize) {
        let sources = self.sources.entry(from).or_default();
        let [first, second] = region.runs();
        let runs = if is_inside {
            vec![first, second]
        } else {
            vec![(0, first.0), (first.1, second.0), (second.1, usize::MAX)]
        };
        let runs = runs.into_iter().filter(|(start, end)| start < end);
        let moved: Vec<_> = runs.flat_map(|(start, end)| sources.range((start, 0)..(end, 0))).copied().collect();
        for source in &moved {
            sources.remove(source);
            let terminator = &mut self.program.blocks[source.1].terminator;
            terminator.redirect(|next| if next == from { to } else { next });
        }
        sources.insert((self.flow.number(entry), to));
        self.sources.entry(to).or_default().extend(moved);
    }

    /// Adds a join.
    fn insert(&mut self, join: Join) {
        let Join { place, mut meeting, region } = join;
        // What is before a loop is where ways from outside of it meet.
        while let Some((before, inner)) = self.before.get(&meeting)
            && !region.meets(*inner)
        {
            meeting = *before;
        }
        let span = self.program.blocks[meeting].span.clone();
        let plain = |operation, sources| Instruction::new(operation, Destination::None, sources, span.clone());
        let nothing = Instruction { joins: true, ..plain(Operation::Nothing, Vec::new()) };
        let joined = append(self.program, nothing, meeting, &span);
        self.redirect(region, true, (meeting, joined), region.entry);
        let push = plain(Operation::PushJoin, vec![Source::of(Operand::Block(joined))]);
        match place {
            Place::End(branch) => self.program.blocks[branch].instructions.push(push),
            Place::Before(header) => {
                // An inner join of the same loop may have added a block before it.
                let mut entry = header;
                while let Some((before, _)) = self.before.get(&entry) {
                    entry = *before;
                }
                let before = append(self.program, push, entry, &span);
                self.redirect(region, false, (entry, before), header);
                self.before.insert(entry, (before, region));
            }
        }
    }
}

/// A new block with one instruction.
fn append(program: &mut Program, instruction: Instruction, next: usize, span: &Span) -> usize {
    let (instructions, terminator, span) = (vec![instruction], Terminator::Jump(next), span.clone());
    program.blocks.push(Block { instructions, terminator, span });
    program.blocks.len() - 1
}
