//! Which virtual registers of a program hold values at the same time.

use std::collections::BTreeSet;

use super::ir::{Block, Instruction, Lifetime, Program};
use crate::diagnostic::Span;
use crate::register_allocation::{Access, BasicBlock, interference};
use crate::shader::condition::WriteMask;

/// The first use of each register, in the order of the blocks, and by register those that interfere with it.
pub(super) type Interfering = (Vec<(u32, Span)>, Vec<BTreeSet<u32>>);

/// Finds the interference of `count` registers, which `accesses` finds in each block.
pub(super) fn interference_of(
    program: &Program,
    count: usize,
    accesses: impl Fn(&Program, &Block) -> Vec<Access>,
) -> Interfering {
    let blocks: Vec<BasicBlock> = program
        .blocks
        .iter()
        .zip(program.successors_with_routines())
        .map(|(block, successors)| BasicBlock { accesses: accesses(program, block), successors })
        .collect();
    // Without a limit on live registers there is no error.
    let Ok(mut found) = interference(&blocks, 0, usize::MAX) else { return (Vec::new(), vec![BTreeSet::new(); count]) };
    found.separate_at_entry();
    found.neighbors.resize_with(count.max(found.neighbors.len()), BTreeSet::new);
    (found.first_uses, found.neighbors)
}

/// What the instructions of a block do with registers of one kind: those that each reads and the one that it writes, with
/// the parts, and how long a register can live.
pub(super) fn accesses_of(
    block: &Block,
    reads: impl Fn(&Instruction) -> Vec<(u32, u8)>,
    write: impl Fn(&Instruction) -> Option<(u32, u8)>,
    lifetime: impl Fn(u32) -> Lifetime,
) -> Vec<Access> {
    let masked = |(register, parts): (u32, u8)| (register, WriteMask(parts));
    let mut defined = BTreeSet::new();
    let access = |instruction: &Instruction| {
        let written = write(instruction);
        // What an intermediate value was before its first definition does not matter.
        let is_first = written.is_some_and(|parts| lifetime(parts.0) != Lifetime::Kernel && defined.insert(parts));
        Access {
            reads: reads(instruction).into_iter().map(masked).collect(),
            write: written.map(masked),
            is_conditional: instruction.guard.is_some() && !is_first,
            span: instruction.span.clone(),
        }
    };
    block.instructions.iter().map(access).collect()
}
