//! Which virtual registers of a program hold values at the same time.

use std::collections::BTreeSet;

use super::ir::{Block, Program};
use crate::diagnostic::Span;
use crate::register_allocation::{Access, BasicBlock, interference};

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
    found.neighbors.resize_with(count.max(found.neighbors.len()), BTreeSet::new);
    // A register that holds a value from the start has it while others do.
    for &one in &found.live_at_entry {
        for &other in found.live_at_entry.iter().filter(|&&other| other != one) {
            found.neighbors[one as usize].insert(other);
        }
    }
    (found.first_uses, found.neighbors)
}
