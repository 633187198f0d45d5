//! The functions of the special function unit: quadratic interpolation between the rows of tables.
//!
//! A row (A, B, C) is chosen by the leading bits of the argument's fraction. With the remaining bits t, the result is
//! the sum of A, B·t and C·t² in units of their own. t² is not exact: its partial products are truncated.

use super::Rounding::{NearestEven, TowardZero};
use super::float::Unpacked;
use super::low_word;
use super::tables::{EXPONENTIAL, LOGARITHM, RECIPROCAL, RECIPROCAL_SQUARE_ROOT, SINE};
use crate::arith::{FRACTION, INFINITY, NAN, SIGN, is_infinite, is_nan, is_zero};

/// What [`prepare_sine`] and [`prepare_exponential`] give for NaN.
const PREPARED_NAN: u32 = 0x4000_0000;
/// What they give for infinity, and the exponential for magnitudes from 128 on.
const PREPARED_INFINITY: u32 = 0x4080_0000;
/// 2/π in units of 2⁻²⁴: turns radians into quarters of a turn.
const QUARTERS_PER_RADIAN: u64 = 0xa2_f983;

/// The square of 17 bits in units of 2¹⁹, as the unit's multiplier truncates it: bit by bit, then as a whole.
const fn truncated_square(t: u32) -> u32 {
    let mut sum = 0;
    let mut bit = 0;
    while bit < 17 {
        if t >> bit & 1 != 0 {
            sum += t >> (18 - bit);
        }
        bit += 1;
    }
    sum >> 1
}

/// The row's polynomial: A·2^scale + B·t + C·square.
const fn interpolated(row: [i32; 3], scale: u32, t: u32, square: u32) -> i64 {
    ((row[0] as i64) << scale) + row[1] as i64 * t as i64 + row[2] as i64 * square as i64
}

/// Packs a positive polynomial in units of 2^−dropped.
const fn packed(is_negative: bool, exponent: i32, polynomial: i64, dropped: u32) -> u32 {
    Unpacked { is_negative, exponent, significand: polynomial.cast_unsigned() >> dropped }.pack(NearestEven)
}

/// 1/a: good to 24 bits.
#[must_use]
pub const fn reciprocal(a: u32) -> u32 {
    if is_nan(a) {
        return NAN;
    }
    if is_infinite(a) {
        return a & SIGN;
    }
    if is_zero(a) {
        return a & SIGN | INFINITY;
    }
    let number = Unpacked::of(a);
    let fraction = a & FRACTION;
    let t = fraction & 0xffff;
    let row = RECIPROCAL[(fraction >> 16) as usize];
    let polynomial = interpolated(row, 13, t, truncated_square(t << 1));
    packed(number.is_negative, 253 - number.exponent, polynomial + 0x47e7, 15)
}

/// 1/√a: good to 23.4 bits. Zeros give infinities of their sign, negative numbers NaN.
#[must_use]
pub const fn reciprocal_square_root(a: u32) -> u32 {
    if is_zero(a) {
        return a & SIGN | INFINITY;
    }
    if is_nan(a) || a & SIGN != 0 {
        return NAN;
    }
    if is_infinite(a) {
        return 0;
    }
    let exponent = Unpacked::of(a).exponent - 127;
    // The row also depends on the exponent's parity.
    let fraction = a & FRACTION | (exponent & 1).cast_unsigned() << 23;
    let half = exponent >> 1;
    if fraction == 0 {
        return (127 - half).cast_unsigned() << 23;
    }
    let t = fraction & 0x1_ffff;
    let row = RECIPROCAL_SQUARE_ROOT[(fraction >> 17) as usize];
    let polynomial = interpolated(row, 14, t, 4 * truncated_square(t));
    packed(false, 126 - half, polynomial + 0x7fff, 16)
}

/// log₂ a: good to 22.5 bits. Zeros give −∞, negative numbers NaN. Negative results are complements.
#[must_use]
pub const fn log2(a: u32) -> u32 {
    if is_zero(a) {
        return SIGN | INFINITY;
    }
    if is_nan(a) || a & SIGN != 0 {
        return NAN;
    }
    if is_infinite(a) {
        return INFINITY;
    }
    let exponent = Unpacked::of(a).exponent - 127;
    let fraction = a & FRACTION;
    let t = fraction & 0x1_ffff;
    let row = LOGARITHM[(fraction >> 17) as usize];
    let polynomial = interpolated(row, 12, t, 2 * truncated_square(t));
    let logarithm = if fraction == 0 && exponent == 0 { 0 } else { (polynomial + 0x3345) >> 2 };
    let value = logarithm + ((exponent as i64) << 36);
    let is_negative = value < 0;
    let magnitude = (if is_negative { !value } else { value }).cast_unsigned();
    if magnitude == 0 {
        return if is_negative { SIGN } else { 0 };
    }
    let number = Unpacked { is_negative, exponent: 127 + 6, significand: magnitude }.normalized(43);
    Unpacked { significand: number.significand >> 19, ..number }.pack(TowardZero)
}

/// Turns radians into the operand of [`sine`] and [`cosine`]: quarters of a turn modulo 4, with 23 fraction bits and
/// the sign in bit 31.
#[must_use]
pub const fn prepare_sine(a: u32) -> u32 {
    let sign = a & SIGN;
    if is_nan(a) {
        return sign | PREPARED_NAN;
    }
    if is_infinite(a) {
        return sign | PREPARED_INFINITY;
    }
    let number = Unpacked::of(a);
    let product = low_word((number.significand * QUARTERS_PER_RADIAN) >> 16);
    sign | shifted(product, number.exponent - 127 - 8) & 0x1ff_ffff
}

/// Turns a number into the operand of [`exp2`]: seven integer bits, 23 fraction bits, and the sign in bit 31.
#[must_use]
pub const fn prepare_exponential(a: u32) -> u32 {
    let sign = a & SIGN;
    if is_nan(a) {
        return sign | PREPARED_NAN;
    }
    let number = Unpacked::of(a);
    let exponent = number.exponent - 127;
    // Infinity has the largest exponent.
    if exponent >= 7 {
        return sign | PREPARED_INFINITY;
    }
    sign | shifted(low_word(number.significand), exponent)
}

/// Multiplies by 2^exponent: what leaves the word is lost.
const fn shifted(value: u32, exponent: i32) -> u32 {
    let count = exponent.unsigned_abs();
    if count >= 32 {
        0
    } else if exponent >= 0 {
        value << count
    } else {
        value >> count
    }
}

/// The sine of an operand of [`prepare_sine`]; NaN for infinity and NaN.
#[must_use]
pub const fn sine(prepared: u32) -> u32 {
    sine_of_quarters(prepared >> 23 & 0xff, prepared & FRACTION, prepared & SIGN != 0)
}

/// The cosine of an operand of [`prepare_sine`]; NaN for infinity and NaN.
#[must_use]
pub const fn cosine(prepared: u32) -> u32 {
    let quarters = prepared >> 23 & 0xff;
    if quarters & 0x80 != 0 {
        return NAN;
    }
    sine_of_quarters((quarters + 1) & 0x7f, prepared & FRACTION, false)
}

const fn sine_of_quarters(quarters: u32, fraction: u32, is_negative: bool) -> u32 {
    if quarters & 0x80 != 0 {
        return NAN;
    }
    // Odd quarters fall, by complements of the fraction.
    let fraction = if quarters & 1 != 0 { !fraction & FRACTION } else { fraction };
    let is_negative = is_negative != (quarters & 2 != 0);
    let t = fraction & 0x1_ffff;
    let polynomial = interpolated(SINE[(fraction >> 17) as usize], 11, t, truncated_square(t));
    if polynomial == 0 {
        return if is_negative { SIGN } else { 0 };
    }
    let number = Unpacked { is_negative, exponent: 127, significand: polynomial.cast_unsigned() }.normalized(38);
    Unpacked { significand: number.significand >> 14, ..number }.pack(TowardZero)
}

/// 2 to the power of an operand of [`prepare_exponential`]: good to 22.5 bits.
#[must_use]
pub const fn exp2(prepared: u32) -> u32 {
    let is_negative = prepared & SIGN != 0;
    let whole = (prepared >> 23 & 0xff).cast_signed();
    let fraction = prepared & FRACTION;
    if whole & 0x80 != 0 {
        return match (whole & 1 != 0, is_negative) {
            (true, true) => 0,
            (true, false) => INFINITY,
            (false, _) => NAN,
        };
    }
    // A negative number is its floor and a fraction, the latter by complement.
    let (whole, fraction) = match (is_negative, fraction) {
        (false, _) => (whole, fraction),
        (true, 0) => (-whole, 0),
        (true, _) => (-whole - 1, !fraction & FRACTION),
    };
    let t = fraction & 0x1_ffff;
    let polynomial = interpolated(EXPONENTIAL[(fraction >> 17) as usize], 13, t, truncated_square(t));
    packed(false, whole + 127, polynomial + 0x77e2, 15)
}
