//! Sets of lanes of the fragment register file: a lane has sixteen bits, a half register four lanes and a full one
//! eight.

use crate::shader::condition::WriteMask;
use crate::shader::fragment::FULL_REGISTERS;
use crate::shader::fragment::FragmentRegister;

/// The register that forwards values between the steps of an operation; programs cannot name it.
pub(super) const INTERNAL: FragmentRegister = FragmentRegister { index: FULL_REGISTERS, is_half: false };

/// Lanes of a full register.
const LANES: usize = 8;
const WORDS: usize = (FULL_REGISTERS as usize + 1) * LANES / 64 + 1;

/// A set of lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct RegisterLanes([u64; WORDS]);

impl RegisterLanes {
    /// Every lane.
    pub(super) const ALL: Self = Self([u64::MAX; WORDS]);

    /// The lanes of some components of a register; none if the register does not exist.
    pub(super) fn of(register: FragmentRegister, components: WriteMask) -> Self {
        let mut lanes = Self::default();
        let (first, width) = if register.is_half {
            (usize::from(register.index) * LANES / 2, 1)
        } else {
            (usize::from(register.index) * LANES, 2)
        };
        for component in (0..4).filter(|&component| components.has(component)) {
            let lane = first + component * width;
            if let Some(word) = lanes.0.get_mut(lane / 64) {
                *word |= ((1 << width) - 1) << (lane % 64);
            }
        }
        lanes
    }

    fn merged(self, other: Self, merge: fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|word| merge(self.0[word], other.0[word])))
    }

    /// Lanes in either set.
    pub(super) fn union(self, other: Self) -> Self {
        self.merged(other, |a, b| a | b)
    }

    /// Lanes in both sets.
    pub(super) fn intersection(self, other: Self) -> Self {
        self.merged(other, |a, b| a & b)
    }

    /// Lanes of this set that are not in the other.
    pub(super) fn without(self, other: Self) -> Self {
        self.merged(other, |a, b| a & !b)
    }

    /// Whether some lane is in both sets.
    pub(super) fn meets(self, other: Self) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    /// How many half registers have a lane in the set; a full register is two.
    pub(super) fn half_registers(self) -> u32 {
        // Gathers the four lanes of a half register in the lowest of them.
        self.0
            .iter()
            .map(|word| ((word | word >> 1 | word >> 2 | word >> 3) & 0x1111_1111_1111_1111).count_ones())
            .sum()
    }

    /// The number of half registers up to the highest one with a lane in the set.
    pub(super) fn highest_half_register(self) -> u32 {
        let highest = (0u32..).zip(self.0).filter(|(_, bits)| *bits != 0).last();
        highest.map_or(0, |(word, bits)| (word * 64 + 63 - bits.leading_zeros()) / 4 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::{INTERNAL, RegisterLanes};
    use crate::shader::condition::WriteMask;
    use crate::shader::fragment::FragmentRegister;

    fn lanes(is_half: bool, index: u8, mask: u8) -> RegisterLanes {
        RegisterLanes::of(FragmentRegister { index, is_half }, WriteMask(mask))
    }

    #[test]
    fn halves_share_lanes_with_their_full_register() {
        // R1 holds H2 in its lower 64 bits (x, y) and H3 in its upper (z, w).
        assert!(lanes(false, 1, 0b0001).meets(lanes(true, 2, 0b0011)));
        assert!(!lanes(false, 1, 0b0001).meets(lanes(true, 2, 0b1100)));
        assert!(lanes(false, 1, 0b1000).meets(lanes(true, 3, 0b1000)));
        assert!(!lanes(false, 1, 0b0011).meets(lanes(true, 3, 0b1111)));
        assert!(!lanes(false, 1, 15).meets(lanes(true, 4, 15)));
    }

    #[test]
    fn half_registers_are_counted_once() {
        assert_eq!(lanes(false, 0, 15).half_registers(), 2);
        assert_eq!(lanes(false, 0, 0b0010).half_registers(), 1);
        assert_eq!(lanes(true, 63, 1).half_registers(), 1);
        assert_eq!(lanes(false, 0, 3).union(lanes(true, 0, 15)).half_registers(), 1);
        assert_eq!(lanes(false, 47, 15).highest_half_register(), 96);
        assert_eq!(lanes(true, 4, 1).highest_half_register(), 5);
        assert_eq!(lanes(true, 0, 0).highest_half_register(), 0);
    }

    #[test]
    fn the_internal_register_is_none_of_the_programs() {
        let internal = RegisterLanes::of(INTERNAL, WriteMask::ALL);
        assert_eq!(internal.half_registers(), 2);
        assert!((0..48).all(|index| !internal.meets(lanes(false, index, 15))));
        assert_eq!(lanes(false, 200, 15), RegisterLanes::default());
    }
}
