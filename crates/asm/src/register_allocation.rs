//! Control flow over virtual registers into places in a register file, by coloring the interference graph.
//!
//! Both processors share the analysis. Each describes its instructions as [`Access`]es and its register file as [`Units`],
//! and names the places that a register may take.

use std::collections::{BTreeMap, BTreeSet};

use super::diagnostic::Span;
use crate::shader::condition::WriteMask;

/// What one instruction reads and writes.
#[derive(Debug, Clone)]
pub(super) struct Access {
    /// The virtual registers that it reads, with the components that matter.
    pub(super) reads: Vec<(u32, WriteMask)>,
    /// The virtual register that it writes, with the components.
    pub(super) write: Option<(u32, WriteMask)>,
    /// Whether a condition may suppress the write, so that the old value stays live.
    pub(super) is_conditional: bool,
    /// The statement that the instruction comes from.
    pub(super) span: Span,
}

/// Instructions without a branch between them.
#[derive(Debug, Clone, Default)]
pub(super) struct BasicBlock {
    /// The instructions in the order in which they run.
    pub(super) accesses: Vec<Access>,
    /// The blocks that can run next.
    pub(super) successors: Vec<usize>,
}

/// The components of each register that are read later.
type Live = BTreeMap<u32, u8>;

/// The registers of a program and which of them must not share a place.
#[derive(Debug)]
pub(super) struct Interference {
    /// Every register with its first instruction, in the order of the blocks.
    pub(super) first_uses: Vec<(u32, Span)>,
    /// By register, the others that hold a value while one of the two is written.
    pub(super) neighbors: Vec<BTreeSet<u32>>,
    /// The registers that are read before they are written.
    pub(super) live_at_entry: Vec<u32>,
}

impl Interference {
    /// Keeps the registers apart that are read before they are written: each has a value from the start, which no earlier
    /// write may change.
    pub(super) fn separate_at_entry(&mut self) {
        for &one in &self.live_at_entry {
            self.neighbors[one as usize].extend(self.live_at_entry.iter().filter(|&&other| other != one));
        }
    }
}

/// Finds which registers interfere in a program that starts in block `entry`.
///
/// # Errors
/// An instruction at which more than `max_live` registers are live.
pub(super) fn interference(blocks: &[BasicBlock], entry: usize, max_live: usize) -> Result<Interference, Span> {
    let (mut first_uses, mut seen) = (Vec::new(), BTreeSet::new());
    for access in blocks.iter().flat_map(|block| &block.accesses) {
        for &(register, _) in access.reads.iter().chain(&access.write) {
            if seen.insert(register) {
                first_uses.push((register, access.span.clone()));
            }
        }
    }
    let mut neighbors = vec![BTreeSet::new(); seen.last().map_or(0, |&last| last as usize + 1)];
    let mut live_at_entry = Vec::new();
    for (index, (block, mut live)) in blocks.iter().zip(live_out(blocks, max_live)?).enumerate() {
        for access in block.accesses.iter().rev() {
            if let Some((written, _)) = access.write {
                for &other in live.keys().filter(|&&other| other != written) {
                    neighbors[written as usize].insert(other);
                    neighbors[other as usize].insert(written);
                }
            }
            step_back(access, &mut live);
        }
        if index == entry {
            live_at_entry = live.into_keys().collect();
        }
    }
    Ok(Interference { first_uses, neighbors, live_at_entry })
}

/// Finds what is live at the end of each block.
fn live_out(blocks: &[BasicBlock], max_live: usize) -> Result<Vec<Live>, Span> {
    let mut predecessors = vec![Vec::new(); blocks.len()];
    for (index, block) in blocks.iter().enumerate() {
        block.successors.iter().for_each(|&successor| predecessors[successor].push(index));
    }
    let mut live_out = vec![Live::new(); blocks.len()];
    let mut pending: BTreeSet<usize> = (0..blocks.len()).collect();
    let mut position = blocks.len();
    while !pending.is_empty() {
        // Sweeping from the last block to the first follows most edges in one sweep.
        let Some(&index) = pending.range(..position).next_back() else {
            position = blocks.len();
            continue;
        };
        pending.remove(&index);
        position = index;
        let mut live = live_out[index].clone();
        for access in blocks[index].accesses.iter().rev() {
            step_back(access, &mut live);
            if live.len() > max_live {
                return Err(access.span.clone());
            }
        }
        for &predecessor in &predecessors[index] {
            if unite(&mut live_out[predecessor], &live) {
                pending.insert(predecessor);
            }
        }
    }
    Ok(live_out)
}

/// Turns what is live after an instruction into what is live before it.
fn step_back(access: &Access, live: &mut Live) {
    if let Some((written, mask)) = access.write
        && !access.is_conditional
        && let Some(components) = live.get_mut(&written)
    {
        *components &= !mask.0;
        if *components == 0 {
            live.remove(&written);
        }
    }
    for &(register, mask) in access.reads.iter().filter(|(_, mask)| mask.0 != 0) {
        *live.entry(register).or_default() |= mask.0;
    }
}

/// Adds `more` to `live`, and returns whether that changed anything.
fn unite(live: &mut Live, more: &Live) -> bool {
    let mut has_changed = false;
    for (&register, &components) in more {
        let known = live.entry(register).or_default();
        has_changed |= *known | components != *known;
        *known |= components;
    }
    has_changed
}

/// The parts of a register file that a place covers, one bit per smallest register.
pub(super) type Units = u128;

/// Gives each register of `order` the first of its `candidates` that overlaps no neighbor's place. Registers that already
/// have a place keep it.
///
/// # Errors
/// The position in `order` of the register that finds no place.
pub(super) fn assign<C: Iterator<Item = Units>>(
    neighbors: &[BTreeSet<u32>],
    places: &mut [Option<Units>],
    order: impl IntoIterator<Item = u32>,
    candidates: impl Fn(u32) -> C,
) -> Result<(), usize> {
    for (position, register) in order.into_iter().enumerate() {
        let index = register as usize;
        if places[index].is_none() {
            let taken =
                neighbors[index].iter().filter_map(|&other| places[other as usize]).fold(0, |all, one| all | one);
            places[index] = Some(candidates(register).find(|place| place & taken == 0).ok_or(position)?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Access, BasicBlock, Units, assign, interference};
    use crate::shader::condition::WriteMask;

    fn access(write: Option<u32>, reads: &[u32]) -> Access {
        let reads = reads.iter().map(|&register| (register, WriteMask(1))).collect();
        Access { reads, write: write.map(|register| (register, WriteMask(1))), is_conditional: false, span: 0..0 }
    }

    #[test]
    fn values_across_a_loop_stay_apart_from_those_inside_of_it() {
        let blocks = [
            BasicBlock { accesses: vec![access(Some(0), &[])], successors: vec![1] },
            BasicBlock { accesses: vec![access(Some(1), &[]), access(Some(2), &[1])], successors: vec![1, 2] },
            BasicBlock { accesses: vec![access(None, &[0])], successors: Vec::new() },
        ];
        let found = interference(&blocks, 0, 8).unwrap();
        assert!(found.neighbors[0].contains(&1) && found.neighbors[0].contains(&2));
        assert!(!found.neighbors[1].contains(&2) && found.live_at_entry.is_empty());
        let mut places = vec![None; 3];
        let two = |_| [1, 2].into_iter();
        assert_eq!(assign(&found.neighbors, &mut places, [0, 1, 2], two), Ok(()));
        assert_eq!(places, [Some(1), Some(2), Some(2)]);
        let mut places: Vec<Option<Units>> = vec![None; 3];
        assert_eq!(assign(&found.neighbors, &mut places, [0, 1, 2], |_| std::iter::once(1)), Err(1));
        assert_eq!(interference(&blocks, 0, 1).unwrap_err(), 0..0);
    }
}
