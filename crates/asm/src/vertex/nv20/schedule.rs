//! Packs operations of both units into instructions by list scheduling.
//!
//! Each step takes the ready operation with the longest chain of dependents, then the best one that fits beside it. An
//! instruction reads all operands before it writes a result. It has one attribute, one constant and one output. Its ILU
//! shares operand C with its MAC, and writes R1 if it writes a temporary. Each component of R1 holds one live range at a
//! time; only a live range that begins with such a write gets into R1 that way.

use super::live_ranges::{LiveRange, LiveRanges};
use super::operation::{Operation, Register, Slot, Source, Target};
use crate::isa::Operand;
use crate::isa::nv20_vertex::{IluOpcode, MacOpcode, Nv20OutputRegister};

/// Which ready operation comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Priority {
    /// The one with the longest chain of dependents.
    CriticalPath,
    /// The first one of the text, which keeps live ranges short.
    SourceOrder,
}

/// The instructions of a program that runs its operations one by one.
#[must_use]
pub fn in_order(operations: &[Operation]) -> Vec<Slot> {
    (0..operations.len()).map(|place| Slot::single(operations, place)).collect()
}

/// Packs the operations.
pub(super) fn schedule(ranges: &LiveRanges, priority: Priority) -> Vec<Slot> {
    let operations = &ranges.operations;
    let mut scheduler = Scheduler::new(ranges);
    let mut order: Vec<usize> = (0..operations.len()).collect();
    if priority == Priority::CriticalPath {
        let lengths = chain_lengths(&scheduler.dependences);
        order.sort_by_key(|&place| std::cmp::Reverse(lengths[place]));
    }
    let mut slots = Vec::with_capacity(operations.len());
    while let Some(first) = order.iter().copied().find(|&place| scheduler.is_ready(place, None)) {
        let others = order.iter().copied().filter(|&place| place != first && scheduler.is_ready(place, Some(first)));
        let pair =
            others.flat_map(|other| [(first, other), (other, first)]).find(|&(mac, ilu)| scheduler.fits(mac, ilu));
        let slot = match pair {
            Some((mac, ilu)) => Slot { mac: Some(mac), ilu: Some(ilu) },
            None => Slot::single(operations, first),
        };
        scheduler.place(slot);
        slots.push(slot);
    }
    slots
}

/// An operation that comes first, and whether both may share an instruction.
#[derive(Debug, Clone, Copy)]
struct Dependence {
    on: usize,
    may_share: bool,
}

struct Scheduler<'ranges> {
    ranges: &'ranges LiveRanges,
    dependences: Vec<Vec<Dependence>>,
    is_placed: Vec<bool>,
    /// Operations on each live range that are not placed.
    remaining: Vec<usize>,
    has_begun: Vec<bool>,
    /// The live range that an ILU put into each component of R1 last.
    in_r1: [Option<u32>; 4],
}

impl<'ranges> Scheduler<'ranges> {
    fn new(ranges: &'ranges LiveRanges) -> Self {
        let operations = &ranges.operations;
        let dependences = operations.iter().enumerate().map(|(place, later)| {
            let earlier = operations[..place].iter().enumerate();
            earlier
                .filter_map(|(on, earlier)| dependence(earlier, later).map(|may_share| Dependence { on, may_share }))
                .collect()
        });
        let numbers = 0u32..;
        let count = |range| operations.iter().filter(|operation| operation.touches(range)).count();
        Self {
            ranges,
            dependences: dependences.collect(),
            is_placed: vec![false; operations.len()],
            remaining: numbers.zip(&ranges.ranges).map(|(range, _)| count(range)).collect(),
            has_begun: vec![false; ranges.ranges.len()],
            in_r1: [None; 4],
        }
    }

    /// Whether an operation can be in the next instruction, perhaps beside another one.
    fn is_ready(&self, place: usize, beside: Option<usize>) -> bool {
        let is_met = |dependence: &Dependence| {
            self.is_placed[dependence.on] || dependence.may_share && beside == Some(dependence.on)
        };
        !self.is_placed[place] && self.dependences[place].iter().all(is_met)
    }

    /// Whether two operations that are ready can share an instruction, each in this unit.
    fn fits(&self, mac: usize, ilu: usize) -> bool {
        let (first, second) = (&self.ranges.operations[mac], &self.ranges.operations[ilu]);
        let (Some(mac_opcode), Some(ilu_opcode)) = (first.as_mac(), second.as_ilu()) else { return false };
        can_share(first, mac_opcode, second, ilu_opcode) && self.can_write_r1(first, second)
    }

    /// Whether the ILU's result can go to R1, if it goes to a temporary.
    fn can_write_r1(&self, mac: &Operation, ilu: &Operation) -> bool {
        let Some(range) = ilu.temporary_written() else { return true };
        if self.in_r1.contains(&Some(range)) {
            return true;
        }
        let LiveRange { components, starts_at_zero, .. } = self.ranges.ranges[range as usize];
        if self.has_begun[range as usize] || starts_at_zero {
            return false;
        }
        let is_over = |held: u32| {
            let ends_here = [mac, ilu].into_iter().filter(|operation| operation.touches(held)).count();
            self.remaining[held as usize] == ends_here && mac.temporary_written() != Some(held)
        };
        let mut held = self.in_r1.iter().enumerate().filter(|(component, _)| components.has(*component));
        held.all(|(_, held)| held.is_none_or(is_over))
    }

    fn place(&mut self, slot: Slot) {
        for place in slot.places() {
            self.is_placed[place] = true;
            let operation = &self.ranges.operations[place];
            for (range, remaining) in (0u32..).zip(&mut self.remaining) {
                if operation.touches(range) {
                    *remaining -= 1;
                    self.has_begun[range as usize] = true;
                }
            }
        }
        let ilu = slot.ilu.filter(|_| slot.is_paired());
        if let Some(range) = ilu.and_then(|ilu| self.ranges.operations[ilu].temporary_written()) {
            let components = self.ranges.ranges[range as usize].components;
            for (_, held) in self.in_r1.iter_mut().enumerate().filter(|(component, _)| components.has(*component)) {
                *held = Some(range);
            }
        }
    }
}

/// The number of instructions from each operation to the end of the longest chain that begins with it.
fn chain_lengths(dependences: &[Vec<Dependence>]) -> Vec<usize> {
    let mut lengths = vec![1; dependences.len()];
    for (place, dependences) in dependences.iter().enumerate().rev() {
        for dependence in dependences {
            let length = lengths[place] + usize::from(!dependence.may_share);
            lengths[dependence.on] = lengths[dependence.on].max(length);
        }
    }
    lengths
}

/// Whether `later` depends on `earlier`; then whether both may share an instruction.
fn dependence(earlier: &Operation, later: &Operation) -> Option<bool> {
    if must_follow(earlier, later) {
        Some(false)
    } else {
        let is_overwritten = earlier.reads().any(|(register, components)| overwrites(later, register, components.0));
        is_overwritten.then_some(true)
    }
}

/// Whether `later` reads or writes what `earlier` writes.
fn must_follow(earlier: &Operation, later: &Operation) -> bool {
    let writes_same = match (earlier.target, later.target) {
        (Target::Temporary(one), Target::Temporary(other)) => one == other && earlier.mask.0 & later.mask.0 != 0,
        (one, other) => one == other,
    };
    writes_same || later.reads().any(|(register, components)| overwrites(earlier, register, components.0))
}

/// Whether an operation writes something that a read of these components depends on.
fn overwrites(operation: &Operation, register: Register, components: u8) -> bool {
    match (operation.target, register) {
        (Target::Temporary(written), Register::Temporary(read)) => {
            written == read && operation.mask.0 & components != 0
        }
        (Target::Address, Register::Constant { is_indexed, .. }) => is_indexed,
        // Unverified: an instruction reads the constants that the one before it wrote.
        (Target::Output(Nv20OutputRegister::Constant(written)), Register::Constant { index, is_indexed }) => {
            is_indexed || written == index
        }
        _ => false,
    }
}

/// Whether the fields of one instruction can hold both operations.
fn can_share(mac: &Operation, mac_opcode: MacOpcode, ilu: &Operation, ilu_opcode: IluOpcode) -> bool {
    let is_output = |operation: &Operation| matches!(operation.target, Target::Output(_));
    let is_indexed = |source: &Source| matches!(source.register, Register::Constant { is_indexed: true, .. });
    // The Xbox assemblers refuse ARL beside a write of a temporary. Unverified: whether an indexed read beside it takes
    // the old address.
    let is_refused =
        mac_opcode == MacOpcode::Arl && (ilu.temporary_written().is_some() || ilu.sources.iter().any(is_indexed));
    let writes_same = mac.temporary_written().is_some() && mac.temporary_written() == ilu.temporary_written();
    if is_output(mac) && is_output(ilu) || is_refused || writes_same {
        return false;
    }
    let fields = |operation: &Operation, is_kind: fn(&Register) -> bool| -> Vec<Register> {
        operation.sources.iter().map(|source| source.register).filter(is_kind).collect()
    };
    let has_one = |is_kind: fn(&Register) -> bool| {
        let (one, other) = (fields(mac, is_kind), fields(ilu, is_kind));
        one.iter().chain(&other).all(|register| one.iter().chain(&other).next() == Some(register))
    };
    let mac_c = mac_opcode.row().operands.iter().position(|operand| *operand == Operand::S2);
    has_one(|register| matches!(register, Register::Attribute(_)))
        && has_one(|register| matches!(register, Register::Constant { .. }))
        && mac_c.is_none_or(|c| is_same_operand(&mac.sources[c], &ilu.sources[0], ilu_opcode))
}

/// Whether the ILU can read its operand where the MAC has this operand C.
fn is_same_operand(mac: &Source, ilu: &Source, opcode: IluOpcode) -> bool {
    let has_components =
        if opcode.reads_scalar() { mac.swizzle.0[0] == ilu.swizzle.0[0] } else { mac.swizzle == ilu.swizzle };
    mac.register == ilu.register && mac.negate == ilu.negate && has_components
}
