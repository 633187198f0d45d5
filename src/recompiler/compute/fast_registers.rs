//! What the text of the fast path knows of a thread's registers.

use std::collections::BTreeSet;

/// What is known of a register's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Known {
    /// It has the bits of the exact path.
    #[default]
    Bits,
    /// Native operations take it; it may be infinite or NaN.
    Wide,
    /// The same, and it is finite, or the quad is left to the exact path.
    Finite,
}

/// Which magnitudes a value has besides zero, where it is finite, in exponents of 2 with their signs turned.
///
/// An operation is native if no product of values besides zero is below 2⁻¹²⁶ and all terms of a sum are multiples of 2⁻¹²⁶: then
/// no result is a denormal, or zero in place of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    /// Of the least magnitude.
    least: u8,
    /// Of a number that all values are multiples of.
    step: u8,
}

/// The exponent of the least normal number, with its sign turned.
const MIN_NORMAL_EXPONENT: u8 = 126;

impl Range {
    /// Zero and integers.
    pub(super) const INTEGER: Self = Self { least: 0, step: 0 };
    /// What `check_value` accepts: zero, or at least 2⁻⁵¹. Products of two such values may be added without a check.
    pub(super) const CHECKED: Self = Self::at_least(51);
    /// The values of planes: sums of what `check_wide` accepts, zero or at least 2⁻¹⁰⁰, and of halves of that.
    pub(super) const PLANE: Self = Self::sum(Self::at_least(101), Self::at_least(101));

    /// Floats of at least a magnitude.
    const fn at_least(least: u8) -> Self {
        Self { least, step: least + 23 }
    }

    /// A number as an operand; nothing if it is not worth one.
    pub(super) fn of(bits: u32) -> Option<Self> {
        let exponent = bits >> 23 & 255;
        if bits << 1 == 0 {
            return Some(Self::INTEGER);
        }
        (exponent >= 127 - u32::from(Self::CHECKED.least) && exponent < 255).then_some(Self::CHECKED)
    }

    /// The product; nothing if it may be below the normal numbers.
    pub(super) fn product(self, other: Self) -> Option<Self> {
        let least = self.least + other.least;
        (least <= MIN_NORMAL_EXPONENT).then(|| Self { least, step: (self.step + other.step).min(least + 23) })
    }

    pub(super) const fn sum(self, other: Self) -> Self {
        let step = if self.step > other.step { self.step } else { other.step };
        Self { least: step, step }
    }

    /// Either of two values.
    pub(super) fn or(self, other: Self) -> Self {
        Self { least: self.least.max(other.least), step: self.step.max(other.step) }
    }

    /// Whether sums take it.
    pub(super) const fn is_term(self) -> bool {
        self.step <= MIN_NORMAL_EXPONENT
    }

    /// Whether it is a worse factor than another value.
    pub(super) const fn is_worse_than(self, other: Self) -> bool {
        self.least > other.least
    }
}

/// What is known of the registers of a thread.
#[derive(Debug)]
pub(super) struct FastFloats {
    registers: [(Known, Range); 128],
    /// Threads may have ended before others.
    pub(super) may_have_ended: bool,
    /// The words of `v[]` that are planes with checked values.
    pub(super) planes: Vec<u8>,
    /// The words of constants that operations read without checks of their own.
    pub(super) constants: BTreeSet<(u8, u32)>,
}

impl FastFloats {
    pub(super) const fn new(planes: Vec<u8>) -> Self {
        Self {
            registers: [(Known::Bits, Range::CHECKED); 128],
            may_have_ended: false,
            planes,
            constants: BTreeSet::new(),
        }
    }

    /// What is known of a register.
    pub(super) fn known(&self, number: u8) -> Known {
        self.registers.get(usize::from(number)).map_or(Known::Bits, |(known, _)| *known)
    }

    /// The magnitudes of a register that native operations take.
    pub(super) fn range(&self, number: u8) -> Range {
        self.registers.get(usize::from(number)).map_or(Range::CHECKED, |(_, range)| *range)
    }

    /// Notes what a register holds.
    pub(super) fn set(&mut self, number: u8, known: Known) {
        if let Some((register, _)) = self.registers.get_mut(usize::from(number)) {
            *register = known;
        }
    }

    /// Notes which magnitudes it has.
    pub(super) fn set_range(&mut self, number: u8, range: Range) {
        if let Some((_, register)) = self.registers.get_mut(usize::from(number)) {
            *register = range;
        }
    }

    /// The registers whose values may be infinite or NaN with bits of their own.
    pub(super) fn unsettled(&self) -> Vec<u8> {
        (0..128).filter(|number| self.known(*number) == Known::Wide).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_checked_values_are_terms_but_no_factors() {
        let product = Range::CHECKED.product(Range::CHECKED).unwrap();
        // 2⁻⁵¹ · 2⁻⁵¹, a float of 24 bits.
        assert_eq!(product, Range { least: 102, step: 125 });
        assert!(product.is_term());
        let sum = product.sum(Range::CHECKED);
        assert_eq!(sum, Range { least: 125, step: 125 });
        assert_eq!(sum.product(Range::CHECKED), None);
        assert!(sum.is_worse_than(Range::CHECKED));
    }

    #[test]
    fn sums_of_checked_values_are_factors_of_checked_values() {
        let sum = Range::CHECKED.sum(Range::CHECKED);
        assert_eq!(sum, Range { least: 74, step: 74 });
        let product = sum.product(Range::CHECKED).unwrap();
        // The least is a normal number. The last bit of a product lies below them.
        assert_eq!(product, Range { least: 125, step: 148 });
        assert!(!product.is_term());
        assert_eq!([sum.product(sum), Range::PLANE.product(Range::PLANE)], [None; 2]);
    }

    #[test]
    fn integers_keep_the_steps_of_others() {
        assert_eq!(Range::INTEGER.product(Range::CHECKED), Some(Range::CHECKED));
        assert_eq!(Range::INTEGER.sum(Range::CHECKED), Range { least: 74, step: 74 });
        assert_eq!(Range::INTEGER.or(Range::CHECKED), Range::CHECKED);
    }

    #[test]
    fn numbers_are_operands_from_two_to_the_minus_51_on() {
        let of = |number: f32| Range::of(number.to_bits());
        assert_eq!([0.0, -0.0].map(of), [Some(Range::INTEGER); 2]);
        let least = f32::from_bits((127 - 51) << 23);
        assert_eq!([least, -least, f32::MAX].map(of), [Some(Range::CHECKED); 3]);
        assert_eq!([least.next_down(), 1.0e-40, f32::INFINITY, f32::NAN].map(of), [None; 4]);
    }
}
