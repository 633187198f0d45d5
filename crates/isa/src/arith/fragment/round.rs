//! The fragment processor's narrow formats: half floats, and fixed point of twelve and nine bits.

use super::convert::{int_to_float, nearest_even_shift};
use super::scalar::{flush, is_less, saturate, scale_by_power};
use crate::arith::{FRACTION, INFINITY, MIN_NORMAL, NAN, SIGN, exponent_of, is_nan};
use crate::arith::{Precision, SourcePrecision};

/// Converts a value to half bits: to nearest even, denormals kept, infinity from 65520 on; NaN becomes 0x7fff.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "every value has at most 16 bits")]
pub const fn half_bits_from(a: u32) -> u16 {
    let sign = (a >> 16 & 0x8000) as u16;
    if is_nan(a) {
        return 0x7fff;
    }
    let exponent = exponent_of(a) - 112;
    let significand = a & FRACTION | MIN_NORMAL;
    if exponent >= 31 {
        return sign | 0x7c00;
    }
    if exponent >= 1 {
        // The implicit one adds 1 to the exponent field, as does a carry; from 65520 on the carry gives infinity.
        let rounded = nearest_even_shift(significand, 13);
        return sign | (((exponent - 1).cast_unsigned() << 10) + rounded) as u16;
    }
    // Half denormals are in units of 2⁻²⁴; values below 2⁻²⁵ vanish. Denormal singles are far below.
    let shift = (14 - exponent).cast_unsigned();
    if shift > 24 { sign } else { sign | nearest_even_shift(significand, shift) as u16 }
}

/// The bits of an unsigned float with 5 bits of exponent: toward zero, at most the largest finite number unless the value is
/// infinite; negative values become 0, NaN has all bits set.
///
/// Sources: `EXT_packed_float`; for the rounding Direct3D 10's data conversion rules, which round floats to floats of fewer
/// bits toward zero.
#[must_use]
pub const fn unsigned_float_bits_from(a: u32, fraction_bits: u32) -> u32 {
    let infinity = 31 << fraction_bits;
    if is_nan(a) {
        return (32 << fraction_bits) - 1;
    }
    if a & SIGN != 0 {
        return 0;
    }
    let exponent = exponent_of(a) - 112;
    if exponent >= 31 {
        return if a == INFINITY { infinity } else { infinity - 1 };
    }
    let significand = a & FRACTION | MIN_NORMAL;
    if exponent >= 1 {
        // The implicit one adds 1 to the exponent field.
        return ((exponent - 1).cast_unsigned() << fraction_bits) + (significand >> (23 - fraction_bits));
    }
    let shift = (24 - exponent).cast_unsigned() - fraction_bits;
    if shift > 24 { 0 } else { significand >> shift }
}

/// The value of half bits; NaN becomes [`NAN`].
#[must_use]
pub fn half_bits_to(half: u16) -> u32 {
    let bits = u32::from(half);
    let sign = (bits & 0x8000) << 16;
    let fraction = bits & 0x3ff;
    match (bits >> 10 & 0x1f, fraction) {
        (0, 0) => sign,
        (0, _) => {
            let shift = fraction.leading_zeros() - 8;
            sign | (126 - shift) << 23 | fraction << shift & FRACTION
        }
        (31, 0) => sign | INFINITY,
        (31, _) => NAN,
        (exponent, _) => sign | (exponent + 112) << 23 | fraction << 13,
    }
}

/// Rounds a value to half precision; the result is a single.
#[must_use]
pub fn round_to_half(a: u32) -> u32 {
    half_bits_to(half_bits_from(a))
}

/// The multiple of 2^−bits nearest to `a`, ties to even, clamped to −limit..limit − 1 units; NaN gives 0.
fn round_to_units(a: u32, bits: u32, limit: i32) -> u32 {
    if is_nan(a) {
        return 0;
    }
    let exponent = exponent_of(a);
    let shift = 150 - exponent - bits.cast_signed();
    let magnitude = match shift {
        ..=1 => i32::MAX,
        2..=24 => nearest_even_shift(a & FRACTION | MIN_NORMAL, shift.cast_unsigned()).cast_signed(),
        _ => 0,
    };
    let units = if a & SIGN == 0 { magnitude.min(limit - 1) } else { -magnitude.min(limit) };
    scale_by_power(int_to_float(units), -bits.cast_signed())
}

/// Rounds to fx12: sign, one integer bit, ten fraction bits. Unverified: to nearest even; −0 becomes +0.
#[must_use]
pub fn round_to_fx12(a: u32) -> u32 {
    round_to_units(a, 10, 2048)
}

/// Rounds to fx9. Unverified: sign and eight fraction bits, −1..255/256, to nearest even.
#[must_use]
pub fn round_to_fx9(a: u32) -> u32 {
    round_to_units(a, 8, 256)
}

fn clamp(a: u32, low: u32, high: u32) -> u32 {
    if is_nan(a) {
        0
    } else if is_less(a, low) {
        low
    } else if is_less(high, a) {
        high
    } else {
        flush(a)
    }
}

/// Clamps a source operand to the range of fx12, −2..2047/1024; NaN becomes 0. Unverified: without rounding.
#[must_use]
pub fn clamp_fx12(a: u32) -> u32 {
    clamp(a, 0xc000_0000, 0x3fff_e000)
}

/// Clamps a source operand to the range of fx9, −1..255/256; NaN becomes 0. Unverified: range, and without rounding.
#[must_use]
pub fn clamp_fx9(a: u32) -> u32 {
    clamp(a, 0xbf80_0000, 0x3f7f_0000)
}

/// Narrows a source operand to half. Unverified: by rounding.
#[must_use]
pub fn clamp_half(a: u32) -> u32 {
    round_to_half(a)
}

/// Narrows a source operand to the precision of its modifier.
#[must_use]
pub fn clamp_source(a: u32, precision: SourcePrecision) -> u32 {
    match precision {
        SourcePrecision::Full => a,
        SourcePrecision::Half => clamp_half(a),
        SourcePrecision::Fx12 => clamp_fx12(a),
        SourcePrecision::Fx9 => clamp_fx9(a),
        SourcePrecision::Saturate => saturate(a),
    }
}

/// Rounds a result to the precision of its operation.
#[must_use]
pub fn round_to_precision(a: u32, precision: Precision) -> u32 {
    match precision {
        Precision::Fp32 => a,
        Precision::Fp16 => round_to_half(a),
        Precision::Fx12 => round_to_fx12(a),
        Precision::Fx9 => round_to_fx9(a),
    }
}
