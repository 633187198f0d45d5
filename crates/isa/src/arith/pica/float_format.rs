//! Converts the PICA200's short floats to and from the singles that equal them.
//!
//! The layouts and biases are those of 3dbrew, "GPU/Internal Registers"; the conversions of 24-bit floats are those of
//! the assemblers picasso and nihstro.

use crate::arith::{FRACTION, INFINITY, MIN_NORMAL, SIGN, exponent_of, is_nan};

/// The layout of a float: a sign, then an exponent with the bias of IEEE 754, then the fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatFormat {
    /// Bits of the exponent, at most seven.
    exponent_bits: u32,
    /// Bits of the fraction, at most 23.
    fraction_bits: u32,
}

/// Shader registers, viewport and depth range.
pub const F24: FloatFormat = FloatFormat { exponent_bits: 7, fraction_bits: 16 };
/// Fog and lighting tables.
pub const F20: FloatFormat = FloatFormat { exponent_bits: 7, fraction_bits: 12 };
/// Light parameters.
pub const F16: FloatFormat = FloatFormat { exponent_bits: 5, fraction_bits: 10 };
/// Reciprocals of the viewport.
pub const F31: FloatFormat = FloatFormat { exponent_bits: 7, fraction_bits: 23 };

impl FloatFormat {
    /// The difference of the exponents of a single and of this format.
    const fn rebias(self) -> u32 {
        128 - (1 << (self.exponent_bits - 1))
    }

    /// The exponent of infinities and NaN.
    const fn special_exponent(self) -> u32 {
        (1 << self.exponent_bits) - 1
    }

    /// The NaN whose fraction is one half.
    const fn quiet_nan(self) -> u32 {
        self.special_exponent() << self.fraction_bits | 1 << (self.fraction_bits - 1)
    }

    /// The single that equals a value; bits above the sign are ignored. Exact: even denormals are normal singles.
    ///
    /// Unverified: denormals and the ends of the range are as in IEEE 754 for every format; only those of [`F24`] are
    /// known.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a fraction has at most 23 bits")]
    pub const fn decode(self, raw: u32) -> u32 {
        let fraction = raw & ((1 << self.fraction_bits) - 1);
        let exponent = raw >> self.fraction_bits & self.special_exponent();
        let sign = (raw >> (self.fraction_bits + self.exponent_bits) & 1) << 31;
        let aligned = fraction << (23 - self.fraction_bits);
        if exponent == self.special_exponent() {
            sign | INFINITY | aligned
        } else if exponent > 0 {
            sign | (exponent + self.rebias()) << 23 | aligned
        } else if fraction > 0 {
            // An integer in units of 2^(1 − bias − fraction bits).
            sign | ((fraction as f32).to_bits() - ((126 - self.rebias() + self.fraction_bits) << 23))
        } else {
            sign
        }
    }

    /// Inverts [`Self::decode`]. Truncates singles that no value equals; too large ones become infinite.
    #[must_use]
    pub const fn raw(self, single: u32) -> u32 {
        let sign = (single >> 31) << (self.fraction_bits + self.exponent_bits);
        let infinity = self.special_exponent() << self.fraction_bits;
        let dropped = 23 - self.fraction_bits;
        let fraction = (single & FRACTION) >> dropped;
        if is_nan(single) {
            return sign | if fraction == 0 { self.quiet_nan() } else { infinity | fraction };
        }
        let exponent = exponent_of(single) - self.rebias().cast_signed();
        if exponent >= self.special_exponent().cast_signed() {
            sign | infinity
        } else if exponent > 0 {
            sign | exponent.cast_unsigned() << self.fraction_bits | fraction
        } else {
            // At most 24 bits, so longer shifts leave nothing.
            let shift = dropped + 1 + exponent.unsigned_abs();
            sign | if shift < 25 { (single & FRACTION | MIN_NORMAL) >> shift } else { 0 }
        }
    }

    /// Converts a single as the assemblers do: truncates, and gives no denormals but zeros.
    ///
    /// Unverified: values beyond the range become infinite, as in picasso; every NaN becomes the quiet one, a choice.
    #[must_use]
    pub const fn encode(self, single: u32) -> u32 {
        if is_nan(single) {
            return self.quiet_nan();
        }
        let raw = self.raw(single);
        let is_denormal = raw >> self.fraction_bits & self.special_exponent() == 0;
        if is_denormal { self.raw(single & SIGN) } else { raw }
    }
}

#[cfg(test)]
mod tests {
    use super::{F16, F20, F24, F31, FloatFormat};
    use crate::arith::pica::from_single;

    /// Raw value and single, from the tests of azahar (`pica_float.cpp`) or by calculation.
    const VALUES: &[(FloatFormat, u32, u32)] = &[
        (F24, 0x00_0000, 0x0000_0000),
        (F24, 0x80_0000, 0x8000_0000),
        (F24, 0x3f_0000, 0x3f80_0000),
        (F24, 0x01_0000, 0x2080_0000),
        (F24, 0x00_0001, 0x1880_0000),
        (F24, 0x00_ffff, 0x207f_ff00),
        (F24, 0x7e_ffff, 0x5f7f_ff80),
        (F24, 0x7f_0000, 0x7f80_0000),
        (F24, 0xff_0000, 0xff80_0000),
        (F24, 0x7f_8000, 0x7fc0_0000),
        // −1.5 and 2⁻⁶³, half of the least normal number.
        (F24, 0xbf_8000, 0xbfc0_0000),
        (F24, 0x00_8000, 0x2000_0000),
        (F20, 0x3_f000, 0x3f80_0000),
        (F20, 0x4_0800, 0x4040_0000),
        (F20, 0x7_f000, 0x7f80_0000),
        (F16, 0x3c00, 0x3f80_0000),
        (F16, 0xc100, 0xc020_0000),
        (F16, 0x7bff, 0x477f_e000),
        (F16, 0x0001, 0x3380_0000),
        (F31, 0x1f80_0000, 0x3f80_0000),
        (F31, 0x6000_0001, 0xc000_0001),
        (F31, 0x0000_0001, 0x1500_0000),
    ];

    #[test]
    fn values_convert_both_ways() {
        for &(format, raw, single) in VALUES {
            assert_eq!(format.decode(raw), single, "{format:?} {raw:06x}");
            assert_eq!(format.raw(single), raw, "{format:?} {single:08x}");
        }
    }

    #[test]
    fn every_value_survives() {
        for raw in 0..1 << 24 {
            assert_eq!(F24.raw(F24.decode(raw)), raw, "{raw:06x}");
        }
        for raw in 0..1 << 20 {
            assert_eq!(F20.raw(F20.decode(raw)), raw, "{raw:05x}");
        }
        for raw in 0..1 << 16 {
            assert_eq!(F16.raw(F16.decode(raw)), raw, "{raw:04x}");
        }
    }

    /// A value by the definition (−1)^s·2^(e − bias)·(1 + m/2ⁿ), in doubles, which hold all of them.
    fn defined(raw: u32, exponent_bits: u32, fraction_bits: u32) -> f64 {
        let fraction = f64::from(raw & ((1 << fraction_bits) - 1)) / f64::from(1 << fraction_bits);
        let exponent = (raw >> fraction_bits & ((1 << exponent_bits) - 1)).cast_signed();
        let bias = (1 << (exponent_bits - 1)) - 1;
        let magnitude = match exponent {
            0 => fraction * f64::from(1 - bias).exp2(),
            _ => (1.0 + fraction) * f64::from(exponent - bias).exp2(),
        };
        if raw >> (exponent_bits + fraction_bits) & 1 == 0 { magnitude } else { -magnitude }
    }

    #[test]
    fn finite_values_are_those_of_the_definition() {
        for (format, width) in [(F24, 24), (F20, 20), (F16, 16), (F31, 31)] {
            let FloatFormat { exponent_bits, fraction_bits } = format;
            assert_eq!(exponent_bits + fraction_bits + 1, width);
            for step in 0..1u32 << 16 {
                // An odd multiplier visits all parts of the range.
                let raw = step.wrapping_mul(0x9e37_79b1) >> (32 - width);
                if raw >> fraction_bits & format.special_exponent() == format.special_exponent() {
                    continue;
                }
                let value = f64::from(f32::from_bits(format.decode(raw)));
                assert_eq!(value.to_bits(), defined(raw, exponent_bits, fraction_bits).to_bits(), "{raw:08x}");
            }
        }
    }

    #[test]
    fn singles_are_truncated_to_the_range() {
        for (single, raw) in [
            (0x3f80_007f, 0x3f_0000),
            (0xbfff_ffff, 0xbf_ffff),
            (0x5f7f_ffff, 0x7e_ffff),
            (0x5f80_0000, 0x7f_0000),
            (0xff7f_ffff, 0xff_0000),
            (0x207f_ffff, 0x00_0000),
            (0xa07f_ffff, 0x80_0000),
            (0x8000_0001, 0x80_0000),
            (0x7f80_0001, 0x7f_8000),
            (0xffff_ffff, 0x7f_8000),
        ] {
            assert_eq!(F24.encode(single), raw, "{single:08x}");
            assert_eq!(from_single(single), F24.decode(raw), "{single:08x}");
        }
    }
}
