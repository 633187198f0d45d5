//! Splits the temporaries of a straight-line program into live ranges, so that unrelated values in one register do not
//! order operations.

use std::collections::BTreeMap;

use super::operation::{Operation, Register, Target};
use crate::shader::condition::WriteMask;

/// Values of components that must be in one register, because one operation writes them or one operand reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LiveRange {
    /// The temporary of the text.
    pub(super) temporary: u32,
    /// The components.
    pub(super) components: WriteMask,
    /// Whether a component is read before it is written; it is the zero of the program's start.
    pub(super) starts_at_zero: bool,
}

/// Operations whose temporaries are live ranges.
#[derive(Debug)]
pub(super) struct LiveRanges {
    /// The operations, with the number of a live range in place of each temporary.
    pub(super) operations: Vec<Operation>,
    /// The live ranges, by number.
    pub(super) ranges: Vec<LiveRange>,
}

/// Values of single components, joined to live ranges.
#[derive(Default)]
struct Values {
    /// By value, another one of its live range; the first one is its own.
    joined_to: Vec<usize>,
    ranges: Vec<LiveRange>,
    /// The value that each component of each temporary holds.
    current: BTreeMap<(u32, u8), usize>,
}

impl Values {
    fn new_value(&mut self, temporary: u32, component: u8, starts_at_zero: bool) -> usize {
        let value = self.joined_to.len();
        self.joined_to.push(value);
        self.ranges.push(LiveRange { temporary, components: WriteMask(1 << component), starts_at_zero });
        self.current.insert((temporary, component), value);
        value
    }

    fn first_of(&self, mut value: usize) -> usize {
        while self.joined_to[value] != value {
            value = self.joined_to[value];
        }
        value
    }

    fn join(&mut self, one: usize, other: usize) -> usize {
        let (one, other) = (self.first_of(one), self.first_of(other));
        let (first, second) = (one.min(other), one.max(other));
        self.joined_to[second] = first;
        let joined = self.ranges[second];
        let range = &mut self.ranges[first];
        range.components = WriteMask(range.components.0 | joined.components.0);
        range.starts_at_zero |= joined.starts_at_zero;
        first
    }

    /// A value of the live range that an operand with these components reads.
    fn read(&mut self, temporary: u32, components: WriteMask) -> usize {
        let values = components_of(components).map(|component| match self.current.get(&(temporary, component)) {
            Some(value) => *value,
            None => self.new_value(temporary, component, true),
        });
        let values: Vec<usize> = values.collect();
        self.join_all(&values)
    }

    /// A value of the live range that a write of these components belongs to.
    fn write(&mut self, temporary: u32, components: WriteMask) -> usize {
        let values = components_of(components).map(|component| self.new_value(temporary, component, false));
        let values: Vec<usize> = values.collect();
        self.join_all(&values)
    }

    fn join_all(&mut self, values: &[usize]) -> usize {
        values.iter().copied().reduce(|one, other| self.join(one, other)).unwrap_or_default()
    }
}

fn components_of(mask: WriteMask) -> impl Iterator<Item = u8> {
    (0u8..4).filter(move |component| mask.has(usize::from(*component)))
}

/// Finds the live ranges of a program and names them in its operations.
pub(super) fn split(operations: &[Operation]) -> LiveRanges {
    let mut values = Values::default();
    let mut renamed = operations.to_vec();
    for (operation, renamed) in operations.iter().zip(&mut renamed) {
        for ((register, components), source) in operation.reads().zip(&mut renamed.sources) {
            if let Register::Temporary(temporary) = register {
                source.register = Register::Temporary(number(values.read(temporary, components)));
            }
        }
        if let Target::Temporary(temporary) = operation.target {
            renamed.target = Target::Temporary(number(values.write(temporary, operation.mask)));
        }
    }
    // Live ranges are numbered in the order of their first values.
    let firsts: Vec<usize> = (0..values.joined_to.len()).filter(|&value| values.joined_to[value] == value).collect();
    let range_of = |value: u32| number(firsts.partition_point(|&first| first < values.first_of(value as usize)));
    renamed.iter_mut().for_each(|operation| operation.rename_temporaries(range_of));
    LiveRanges { operations: renamed, ranges: firsts.iter().map(|&first| values.ranges[first]).collect() }
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::split;
    use crate::operand;
    use crate::shader::condition::WriteMask;
    use crate::vertex::nv20::operation::{Opcode, Operation, Register, Source, Target};

    fn copy(target: u32, mask: u8, source: u32) -> Operation {
        let sources: Vec<Source> = vec![operand::Source::new(Register::Temporary(source))];
        Operation { opcode: Opcode::Move, target: Target::Temporary(target), mask: WriteMask(mask), sources }
    }

    #[test]
    fn components_are_one_range_where_one_operand_reads_them() {
        // R0.x and R0.y are read together, R0.z is not; the second R0.x is a value of its own.
        let operations =
            [copy(0, 1, 5), copy(0, 2, 5), copy(0, 4, 5), copy(1, 3, 0), copy(1, 4, 0), copy(0, 1, 5), copy(2, 1, 0)];
        let found = split(&operations);
        let targets: Vec<u32> = found.operations.iter().filter_map(Operation::temporary_written).collect();
        assert_eq!(targets[0], targets[1]);
        assert_ne!(targets[0], targets[2]);
        assert_ne!(targets[0], targets[5]);
        assert_ne!(targets[3], targets[4], "nothing reads R1.xy and R1.z together");
        let range = found.ranges[targets[0] as usize];
        assert_eq!((range.temporary, range.components, range.starts_at_zero), (0, WriteMask(3), false));
        let zero = found.operations[0].temporaries_read().next().map(|(range, _)| found.ranges[range as usize]);
        assert!(zero.is_some_and(|range| range.starts_at_zero && range.temporary == 5));
    }
}
