//! Operand descriptors: the write mask, and swizzle and sign of each source, that instructions name by a number.
#![expect(clippy::cast_possible_truncation, reason = "the table has 128 entries")]

use super::word::PicaField;
use super::{ComponentReads, DESCRIPTORS};
use crate::isa::x_high;
use crate::shader::condition::{Swizzle, WriteMask};

/// One entry of the table of operand descriptors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct OperandDescriptor(pub u32);

impl OperandDescriptor {
    /// The components that are written.
    #[must_use]
    pub const fn mask(self) -> WriteMask {
        x_high::mask_of(PicaField::MASK.of(self.0))
    }

    /// Whether a source changes its sign, after its swizzle.
    #[must_use]
    pub const fn negates(self, source: usize) -> bool {
        PicaField::negation(source).of(self.0) != 0
    }

    /// The component that each component of a source reads.
    #[must_use]
    pub const fn swizzle(self, source: usize) -> Swizzle {
        x_high::swizzle_of(PicaField::swizzle(source).of(self.0))
    }
}

/// The bits of a descriptor that an instruction has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct DescriptorBits {
    /// Their values.
    value: u32,
    /// Which bits have a meaning; others may change.
    used: u32,
}

impl DescriptorBits {
    fn set(&mut self, field: PicaField, value: u32, used: u32) {
        self.value |= field.place(value);
        self.used |= field.place(used);
    }

    pub(super) fn set_mask(&mut self, mask: WriteMask) {
        self.set(PicaField::MASK, x_high::mask_bits(mask), x_high::mask_bits(WriteMask::ALL));
    }

    pub(super) fn set_source(&mut self, source: usize, swizzle: Swizzle, negates: bool, reads: WriteMask) {
        self.set(PicaField::negation(source), u32::from(negates), 1);
        let selectors = Swizzle(std::array::from_fn(|component| if reads.has(component) { 3 } else { 0 }));
        self.set(PicaField::swizzle(source), x_high::swizzle_bits(swizzle), x_high::swizzle_bits(selectors));
    }
}

/// An entry of a table, which keeps its identity where it moves.
#[derive(Debug, Clone, Copy)]
struct Entry {
    identity: usize,
    bits: DescriptorBits,
    /// Whether an instruction names it that reaches the first entries only.
    is_low: bool,
}

/// Collects the operand descriptors of a program. Instructions share an entry where the bits that both use agree; an entry
/// keeps the bits of its first instruction that none uses.
///
/// Source: the assembler picasso, whose binaries have the same entries.
#[derive(Debug, Clone, Default)]
pub struct DescriptorTable {
    entries: Vec<Entry>,
}

impl DescriptorTable {
    /// The identity of an entry that holds these bits, and whose number is below `limit`; `None` if no entry can.
    pub(super) fn assign(&mut self, bits: DescriptorBits, limit: usize) -> Option<usize> {
        let next = self.entries.len();
        let agrees = |entry: &Entry| (entry.bits.value ^ bits.value) & entry.bits.used & bits.used == 0;
        let mut number = self.entries.iter().position(agrees).unwrap_or(next);
        if number == next {
            if next == DESCRIPTORS {
                return None;
            }
            self.entries.push(Entry { identity: next, bits, is_low: false });
        }
        let shared = &mut self.entries[number].bits;
        shared.value = shared.value & !bits.used | bits.value & bits.used;
        shared.used |= bits.used;
        if limit < DESCRIPTORS {
            if number >= limit {
                let other = self.entries[..limit].iter().position(|entry| !entry.is_low)?;
                self.entries.swap(other, number);
                number = other;
            }
            self.entries[number].is_low = true;
        }
        Some(self.entries[number].identity)
    }

    /// The number of an entry, which may change while entries are assigned.
    pub(super) fn number(&self, identity: usize) -> u8 {
        self.entries.iter().position(|entry| entry.identity == identity).unwrap_or(0) as u8
    }

    /// The entries as words.
    #[must_use]
    pub fn words(&self) -> Vec<u32> {
        self.entries.iter().map(|entry| entry.bits.value).collect()
    }
}

/// The swizzle with a canonical choice for the components that are not read: the identity if it fits, else the nearest
/// component that is read.
pub(super) fn canonical(swizzle: Swizzle, reads: WriteMask) -> Swizzle {
    let fits = |component: usize, selected: u8| !reads.has(component) || swizzle.0[component] & 3 == selected;
    if (0..4).all(|component| fits(component, component as u8)) {
        return Swizzle::IDENTITY;
    }
    let nearest = |component: usize| {
        let before = (0..=component).rev().find(|&near| reads.has(near));
        before.or_else(|| (component..4).find(|&near| reads.has(near))).unwrap_or(component)
    };
    Swizzle(std::array::from_fn(|component| swizzle.0[nearest(component)] & 3))
}

impl ComponentReads {
    /// The swizzle with a canonical choice for the components that are not read where `mask` is written.
    #[must_use]
    pub fn canonical(self, swizzle: Swizzle, mask: WriteMask) -> Swizzle {
        canonical(swizzle, self.of(mask))
    }
}

#[cfg(test)]
mod tests {
    use super::{DescriptorBits, DescriptorTable, OperandDescriptor, canonical};
    use crate::shader::condition::{Swizzle, WriteMask};

    fn bits(mask: u8, swizzle: [u8; 4], reads: u8) -> DescriptorBits {
        let mut bits = DescriptorBits::default();
        bits.set_mask(WriteMask(mask));
        bits.set_source(0, Swizzle(swizzle), false, WriteMask(reads));
        bits
    }

    #[test]
    fn fields_are_in_their_documented_places() {
        // Mask x; first source -.wzyx; second source identity; third source -.y.
        let word = 0b1000 | 1 << 4 | 0b11_10_01_00 << 5 | 0x1b << 14 | 1 << 22 | 0b01_01_01_01 << 23;
        let descriptor = OperandDescriptor(word);
        assert_eq!(descriptor.mask(), WriteMask(0b0001));
        assert_eq!([0, 1, 2].map(|source| descriptor.negates(source)), [true, false, true]);
        assert_eq!(descriptor.swizzle(0), Swizzle([3, 2, 1, 0]));
        assert_eq!(descriptor.swizzle(1), Swizzle::IDENTITY);
        assert_eq!(descriptor.swizzle(2), Swizzle([1; 4]));
        let mut bits = DescriptorBits::default();
        bits.set_mask(descriptor.mask());
        for source in 0..3 {
            bits.set_source(source, descriptor.swizzle(source), descriptor.negates(source), WriteMask::ALL);
        }
        assert_eq!((bits.value, bits.used), (word, !0 >> 1));
    }

    #[test]
    fn entries_are_shared_where_their_used_bits_agree() {
        let mut table = DescriptorTable::default();
        assert_eq!(table.assign(bits(1, [2, 0, 0, 0], 0b0001), 128), Some(0));
        // The same entry also holds the selectors that the first instruction does not read.
        assert_eq!(table.assign(bits(1, [2, 3, 3, 3], 0b1111), 128), Some(0));
        assert_eq!(table.assign(bits(1, [2, 3, 3, 1], 0b1111), 128), Some(1));
        assert_eq!(table.assign(bits(2, [2, 3, 3, 3], 0b1111), 128), Some(2));
        assert_eq!(table.assign(bits(1, [2, 3, 3, 3], 0b1111), 128), Some(0));
        assert_eq!(OperandDescriptor(table.words()[0]).swizzle(0), Swizzle([2, 3, 3, 3]));
        assert_eq!(table.words().len(), 3);
    }

    #[test]
    fn entries_end_at_the_limit() {
        let mut table = DescriptorTable::default();
        let number = |index: u8| bits(15, [index & 3, index >> 2 & 3, index >> 4 & 3, index >> 6], 15);
        for index in 0..128 {
            let limit = if index < 31 { 32 } else { 128 };
            assert_eq!(table.assign(number(index), limit), Some(usize::from(index)));
        }
        assert_eq!(table.assign(number(31), 128), Some(31));
        assert_eq!(table.assign(number(128), 128), None, "the table is full");
        // The low instruction takes the only place that no other one needs.
        assert_eq!(table.assign(number(40), 32), Some(40));
        assert_eq!((table.number(40), table.number(31)), (31, 40));
        assert_eq!(OperandDescriptor(table.words()[31]).swizzle(0), Swizzle([0, 2, 2, 0]));
        assert_eq!(table.assign(number(31), 32), None, "all low places are taken");
    }

    #[test]
    fn an_entry_keeps_what_no_instruction_uses() {
        let mut table = DescriptorTable::default();
        table.assign(bits(1, [2, 3, 3, 3], 0b0001), 128);
        assert_eq!(OperandDescriptor(table.words()[0]).swizzle(0), Swizzle([2, 3, 3, 3]));
        table.assign(bits(1, [2, 1, 0, 0], 0b0011), 128);
        assert_eq!(OperandDescriptor(table.words()[0]).swizzle(0), Swizzle([2, 1, 3, 3]));
    }

    #[test]
    fn swizzles_without_a_meaning_are_canonical() {
        assert_eq!(canonical(Swizzle([0, 1, 2, 0]), WriteMask(0b0111)), Swizzle::IDENTITY);
        assert_eq!(canonical(Swizzle([3, 1, 2, 0]), WriteMask(0b0001)), Swizzle([3; 4]));
        assert_eq!(canonical(Swizzle([3, 0, 2, 1]), WriteMask(0b1010)), Swizzle([0, 0, 0, 1]));
        assert_eq!(canonical(Swizzle([3, 2, 1, 0]), WriteMask(0)), Swizzle::IDENTITY);
    }
}
