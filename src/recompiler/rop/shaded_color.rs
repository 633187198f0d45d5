//! Colors that a program's text passes to the output merger's in one kernel.

/// A color shaded by the same kernel that merges it.
#[derive(Debug)]
pub(crate) struct ShadedColor {
    /// Names of red, green, blue, alpha, four pixels each.
    pub(crate) values: [String; 4],
    /// Their value ranges.
    pub(crate) ranges: [ValueRange; 4],
}

/// The known value range of a channel's floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ValueRange {
    /// They are halves.
    pub(crate) is_half: bool,
    /// They lie in 0..1.
    pub(crate) is_unit: bool,
}

impl ValueRange {
    /// No known range.
    pub(crate) const ANY: Self = Self { is_half: false, is_unit: false };

    /// The text that converts such a value to a fraction of `bits` bits.
    pub(crate) fn unorm(self, value: &str, bits: u8) -> String {
        let function = match (self.is_half && HALF_FRACTIONS.contains(&bits), self.is_unit) {
            (false, false) => "fp_float_to_unorm",
            (false, true) => "fp_saturated_to_unorm",
            (true, false) => "fp_half_to_unorm",
            (true, true) => "fp_unit_half_to_unorm",
        };
        format!("{function}({value}, {bits}u)")
    }
}

/// The fraction sizes, in bits, that `fp_half_to_unorm` supports.
const HALF_FRACTIONS: std::ops::RangeInclusive<u8> = 2..=12;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::fragment::{float_to_unorm, half_bits_to};

    /// The number of halves in 0..1 for which the sum of `fp_unit_half_to_unorm` is not the fraction of `bits` bits.
    fn differences(bits: u8) -> usize {
        let most = f32::from(u16::MAX >> (16 - bits));
        let differs = |half: &u16| {
            let value = half_bits_to(*half);
            let sum = f32::from_bits(value) * most + 8_388_608.0;
            sum.to_bits() & 0xfff != float_to_unorm(value, bits.into())
        };
        (0..=0x3c00).filter(differs).count()
    }

    #[test]
    fn one_sum_packs_halves() {
        assert!(HALF_FRACTIONS.map(differences).all(|count| count == 0));
        // The upper neighbor of the tie at ½ is odd.
        assert_eq!(differences(1), 1);
    }
}
