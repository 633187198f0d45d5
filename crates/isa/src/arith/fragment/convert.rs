//! Conversions between floats and integers or fixed point, computed exactly and rounded once.
#![expect(clippy::cast_possible_truncation, reason = "values are clamped or masked before they are narrowed")]

use super::scalar::saturate;
use crate::arith::{FRACTION, MIN_NORMAL, SIGN, exponent_of, is_nan, is_zero};

/// value / 2^shift to nearest even, for shifts of 1..=31.
pub(super) const fn nearest_even_shift(value: u32, shift: u32) -> u32 {
    let half = 1 << (shift - 1);
    let odd = value >> shift & 1;
    (value + (half - 1) + odd) >> shift
}

/// Converts a value to an unsigned normalized integer of 1..=24 bits: clamped to 0..1, ⌊v·(2ⁿ − 1) + ½⌋; NaN gives
/// 0.
#[must_use]
pub fn float_to_unorm(a: u32, bits: u32) -> u32 {
    float_to_multiple(saturate(a), (1 << bits.clamp(1, 24)) - 1)
}

/// ⌊v·factor + ½⌋ for 0 ≤ v ≤ 1 and factors of at most 24 bits.
pub(super) fn float_to_multiple(a: u32, factor: u32) -> u32 {
    let shift = 150 - exponent_of(a);
    if is_zero(a) || shift > 50 {
        return 0;
    }
    let product = u64::from(a & FRACTION | MIN_NORMAL) * u64::from(factor);
    ((product + (1 << (shift - 1))) >> shift) as u32
}

/// The value v/(2ⁿ − 1) of an unsigned normalized integer of 1..=24 bits, to nearest even.
#[must_use]
pub fn unorm_to_float(value: u32, bits: u32) -> u32 {
    let most = (1u32 << bits.clamp(1, 24)) - 1;
    // The binary digits of the quotient repeat every n ≤ 24 places, so rounding to double first cannot create a
    // tie.
    ((f64::from(value & most) / f64::from(most)) as f32).to_bits()
}

/// The greatest integer not above `a`, clamped to the range of `i32`; NaN gives 0.
#[must_use]
pub fn float_to_int_floor(a: u32) -> i32 {
    floor_of_scaled(a, 0, 0)
}

/// ⌊a·2^bits + ½⌋ for at most 24 fraction bits, clamped to the range of `i32`; NaN gives 0.
#[must_use]
pub fn float_to_fixed(a: u32, fraction_bits: u32) -> i32 {
    floor_of_scaled(a, fraction_bits.min(24), 1)
}

/// ⌊a·2^bits + halves/2⌋, clamped.
fn floor_of_scaled(a: u32, bits: u32, halves: i64) -> i32 {
    if is_nan(a) || is_zero(a) {
        return 0;
    }
    let shift = 150 - exponent_of(a) - bits.cast_signed();
    let significand = i64::from(a & FRACTION | MIN_NORMAL);
    let signed = if a & SIGN == 0 { significand } else { -significand };
    // Beyond these shifts the result is clamped, or the significand is less than one half.
    let floor = match shift {
        ..=-8 => signed << 8,
        -7..=0 => signed << -shift,
        _ => (signed + (halves << (shift.min(40) - 1))) >> shift.min(40),
    };
    floor.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// Converts an integer to a float, to nearest even.
#[must_use]
pub const fn int_to_float(value: i32) -> u32 {
    (value as f32).to_bits()
}
