//! Single-precision sums, products and comparisons.

use super::{Comparison, Flags, Rounding, low_word, shift_right};
use crate::arith::{
    FRACTION, INFINITY, MIN_NORMAL, NAN, ONE, SIGN, exponent_of, is_infinite, is_nan, is_zero, ordered,
};

/// The largest finite number.
const LARGEST: u32 = 0x7f7f_ffff;

/// A finite number: the significand times 2^(exponent − 150).
#[derive(Clone, Copy)]
pub(super) struct Unpacked {
    pub(super) is_negative: bool,
    pub(super) exponent: i32,
    pub(super) significand: u64,
}

impl Unpacked {
    /// Takes a finite number apart; denormals are zeros, whose exponent is that of the least numbers.
    pub(super) const fn of(a: u32) -> Self {
        let is_negative = a & SIGN != 0;
        if is_zero(a) {
            return Self { is_negative, exponent: 1, significand: 0 };
        }
        Self { is_negative, exponent: exponent_of(a), significand: (a & FRACTION | MIN_NORMAL) as u64 }
    }

    /// Shifts the significand left until it has this many bits; it is neither zero nor longer.
    pub(super) const fn normalized(self, bits: u32) -> Self {
        let shift = bits - (64 - self.significand.leading_zeros());
        let exponent = self.exponent - shift.cast_signed();
        Self { exponent, significand: self.significand << shift, ..self }
    }

    /// The float of a significand of 24 bits, or of 2²⁴ after a carry. A lesser significand or exponent becomes zero.
    pub(super) const fn pack(self, rounding: Rounding) -> u32 {
        let sign = if self.is_negative { SIGN } else { 0 };
        let carries = self.significand == 1 << 24;
        let exponent = self.exponent + carries as i32;
        let significand = low_word(if carries { 1 << 23 } else { self.significand });
        if significand < MIN_NORMAL || exponent < 1 {
            sign
        } else if exponent < 255 {
            sign | exponent.cast_unsigned() << 23 | significand & FRACTION
        } else if rounding.overflows_to_infinity(self.is_negative) {
            sign | INFINITY
        } else {
            sign | LARGEST
        }
    }

    /// Drops the low bits of the significand, and packs what is left: 24 bits.
    const fn round(self, dropped: u32, rounding: Rounding) -> u32 {
        let significand = shift_right(self.significand, dropped, rounding, self.is_negative);
        Self { significand, ..self }.pack(rounding)
    }
}

/// Flushes a denormal to zero of its sign.
#[must_use]
pub const fn flush(a: u32) -> u32 {
    if is_zero(a) { a & SIGN } else { a }
}

/// Divides by 2^shift; the last bit also tells whether a bit was lost.
const fn shift_right_sticky(magnitude: u64, shift: u32) -> u64 {
    let shift = if shift < 63 { shift } else { 63 };
    let kept = magnitude >> shift;
    kept | (kept << shift != magnitude) as u64
}

/// The sum of two finite numbers as a significand of 28 bits, or `None` if it is zero.
///
/// It aligns both terms to the greater exponent and keeps three more bits. The last of these is set if lower bits were
/// lost.
const fn sum(a: Unpacked, b: Unpacked) -> Option<Unpacked> {
    let exponent = if a.exponent > b.exponent { a.exponent } else { b.exponent };
    let total = aligned(a, exponent) + aligned(b, exponent);
    if total == 0 {
        return None;
    }
    let sum = Unpacked { is_negative: total < 0, exponent: exponent + 1, significand: total.unsigned_abs() };
    Some(sum.normalized(28))
}

/// The significand with its sign, in eighths of the last place of numbers with the exponent.
const fn aligned(a: Unpacked, exponent: i32) -> i64 {
    let distance = (exponent - a.exponent).cast_unsigned();
    let magnitude = shift_right_sticky(a.significand << 3, distance).cast_signed();
    if a.is_negative { -magnitude } else { magnitude }
}

/// Adds.
// Unverified: the chip's tests cover rounding to nearest and toward zero only.
#[must_use]
pub const fn add(a: u32, b: u32, rounding: Rounding) -> u32 {
    if is_nan(a) || is_nan(b) || is_infinite(a) && is_infinite(b) && a != b {
        return NAN;
    }
    if is_infinite(a) || is_infinite(b) {
        return if is_infinite(a) { a } else { b };
    }
    match sum(Unpacked::of(a), Unpacked::of(b)) {
        Some(sum) => sum.round(4, rounding),
        // −0 only if both are.
        None => a & b & SIGN,
    }
}

/// The product of two finite numbers other than zero as a significand of 48 bits.
const fn product(a: Unpacked, b: Unpacked) -> Unpacked {
    let exponent = a.exponent + b.exponent - 126;
    let is_negative = a.is_negative != b.is_negative;
    Unpacked { is_negative, exponent, significand: a.significand * b.significand }.normalized(48)
}

/// Multiplies.
// Unverified: the chip's tests cover rounding to nearest and toward zero only.
#[must_use]
pub const fn multiply(a: u32, b: u32, rounding: Rounding) -> u32 {
    let sign = (a ^ b) & SIGN;
    let has_zero = is_zero(a) || is_zero(b);
    let has_infinity = is_infinite(a) || is_infinite(b);
    if is_nan(a) || is_nan(b) || has_zero && has_infinity {
        NAN
    } else if has_infinity {
        sign | INFINITY
    } else if has_zero {
        sign
    } else {
        product(Unpacked::of(a), Unpacked::of(b)).round(24, rounding)
    }
}

/// The factors of a product in which zero wins over infinity and NaN: both are zero if either is.
// Unverified: that such a product is +0.
#[must_use]
pub const fn zero_factors(a: u32, b: u32) -> [u32; 2] {
    if is_zero(a) || is_zero(b) { [0, 0] } else { [a, b] }
}

/// Multiplies, truncates the product to 24 bits without a limit of its exponent, then adds and rounds to nearest.
///
/// A product with zero, or one to which zero is added, is rounded to nearest instead.
#[must_use]
pub const fn multiply_add(a: u32, b: u32, c: u32) -> u32 {
    let is_zero_or_infinite = is_infinite(a) || is_infinite(b) || is_zero(a) || is_zero(b) || is_zero(c);
    if is_zero_or_infinite || is_nan(a) || is_nan(b) || is_nan(c) {
        return add(multiply(a, b, Rounding::NearestEven), c, Rounding::NearestEven);
    }
    if is_infinite(c) {
        return c;
    }
    let product = product(Unpacked::of(a), Unpacked::of(b));
    let truncated = Unpacked { significand: product.significand >> 24, ..product };
    let Some(mut sum) = sum(truncated, Unpacked::of(c)) else { return 0 };
    // What is below the normal range loses its low bits before the rounding.
    if sum.exponent < 1 {
        sum.significand >>= (1 - sum.exponent).cast_unsigned();
        sum.exponent = 1;
    }
    sum.round(4, Rounding::NearestEven)
}

/// The sign bit inverted.
#[must_use]
pub const fn negate(a: u32) -> u32 {
    a ^ SIGN
}

/// The sign bit cleared.
#[must_use]
pub const fn absolute(a: u32) -> u32 {
    a & !SIGN
}

/// A key in whose unsigned order −0 is below +0.
const fn total_order(a: u32) -> u32 {
    if a & SIGN == 0 { a | SIGN } else { !a }
}

/// The lesser number, where −0 is less than +0; a number rather than a NaN.
#[must_use]
pub const fn minimum(a: u32, b: u32) -> u32 {
    match (is_nan(a), is_nan(b)) {
        (true, true) => NAN,
        (true, false) => flush(b),
        (false, true) => flush(a),
        (false, false) => {
            let (a, b) = (flush(a), flush(b));
            if total_order(a) < total_order(b) { a } else { b }
        }
    }
}

/// The greater number, where +0 is greater than −0; a number rather than a NaN.
#[must_use]
pub const fn maximum(a: u32, b: u32) -> u32 {
    if is_nan(a) && is_nan(b) { NAN } else { negate(minimum(negate(a), negate(b))) }
}

/// Compares; zeros of both signs are equal, and so are denormals to them.
#[must_use]
pub const fn compare(a: u32, b: u32) -> Comparison {
    if is_nan(a) || is_nan(b) {
        return Comparison::Unordered;
    }
    let (a, b) = (ordered(flush(a)), ordered(flush(b)));
    if a < b {
        Comparison::Less
    } else if a == b {
        Comparison::Equal
    } else {
        Comparison::Greater
    }
}

/// `a` if `c` is at least zero, else `b`; denormals and NaN in `a` and `b` are kept, a NaN in `c` selects `b`.
#[must_use]
pub const fn select(a: u32, b: u32, c: u32) -> u32 {
    if matches!(compare(c, 0), Comparison::Greater | Comparison::Equal) { a } else { b }
}

/// Clamps a result to 0..1; NaN stays, −0 becomes +0.
#[must_use]
pub const fn saturate(a: u32) -> u32 {
    if is_nan(a) {
        NAN
    } else if a & SIGN != 0 {
        0
    } else if a > ONE {
        ONE
    } else {
        a
    }
}

/// The flags of a float result: how it compares with zero.
#[must_use]
pub const fn float_flags(result: u32) -> Flags {
    Flags::of_comparison(compare(result, 0))
}

/// The flags of [`select`]: Z for zeros, else S for the sign bit, also of denormals and NaN.
#[must_use]
pub const fn select_flags(result: u32) -> Flags {
    let is_zero = absolute(result) == 0;
    Flags::new(is_zero, !is_zero && result & SIGN != 0, false, false)
}
