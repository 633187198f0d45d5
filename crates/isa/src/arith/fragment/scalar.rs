//! The fragment processor's operations on single components.

// On a PlayStation 3, RSQ ignores the sign, RSQ and RCP of zero are infinity, and LG2 of a negative number is NaN (RPCS3,
// pull requests 2624 and 5860, and the notes on hardware tests in its `FragmentProgramDecompiler.cpp`).
pub use crate::arith::special::{cos, ex2, lg2, rsq_of_magnitude as rsq, sin};
use crate::arith::{
    ConditionCode, FRACTION, INFINITY, NAN, ONE, SIGN, Scale, exponent_of, is_infinite, is_nan, is_zero,
};

/// Flushes a denormal to zero of its sign.
#[must_use]
pub const fn flush(a: u32) -> u32 {
    if is_zero(a) { a & SIGN } else { a }
}

/// Adds.
#[must_use]
pub fn add(a: u32, b: u32) -> u32 {
    let sum = f32::from_bits(flush(a)) + f32::from_bits(flush(b));
    if sum.is_nan() { NAN } else { flush(sum.to_bits()) }
}

/// Subtracts.
#[must_use]
pub fn sub(a: u32, b: u32) -> u32 {
    add(a, b ^ SIGN)
}

/// Products below this round to less than 2⁻¹²⁶ when the exponent is unbounded: 2⁻¹²⁶ − 2⁻¹⁵¹, itself a tie to even.
const MIN_PRODUCT: f64 = f64::from_bits(0x380f_ffff_f000_0000);

/// Multiplies.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "this is the rounding of the product")]
pub fn mul(a: u32, b: u32) -> u32 {
    // The product of two 24-bit significands is exact in double precision.
    let product = f64::from(f32::from_bits(flush(a))) * f64::from(f32::from_bits(flush(b)));
    if product.is_nan() {
        NAN
    } else if product.abs() < MIN_PRODUCT {
        (a ^ b) & SIGN
    } else {
        (product as f32).to_bits()
    }
}

/// Multiplies, rounds, then adds.
#[must_use]
pub fn mad(a: u32, b: u32, c: u32) -> u32 {
    add(mul(a, b), c)
}

/// Compares as IEEE does; denormals are zeros, and zeros are equal.
#[must_use]
pub fn compare(a: u32, b: u32) -> ConditionCode {
    match f32::from_bits(flush(a)).partial_cmp(&f32::from_bits(flush(b))) {
        Some(std::cmp::Ordering::Less) => ConditionCode::Less,
        Some(std::cmp::Ordering::Equal) => ConditionCode::Equal,
        Some(std::cmp::Ordering::Greater) => ConditionCode::Greater,
        None => ConditionCode::Unordered,
    }
}

/// How a value compares with zero.
#[must_use]
pub fn condition(a: u32) -> ConditionCode {
    compare(a, 0)
}

/// Whether `a` < `b`; false when unordered.
#[must_use]
pub fn is_less(a: u32, b: u32) -> bool {
    compare(a, b) == ConditionCode::Less
}

/// Whether `a` = `b`; false when unordered.
#[must_use]
pub fn is_equal(a: u32, b: u32) -> bool {
    compare(a, b) == ConditionCode::Equal
}

/// Whether `a` ≤ `b`; false when unordered.
#[must_use]
pub fn is_less_equal(a: u32, b: u32) -> bool {
    is_less(a, b) || is_equal(a, b)
}

/// The lesser value, `b` if they are equal; NaN if either is NaN (`NV_fragment_program`, section 3.11.5.17).
#[must_use]
pub fn min(a: u32, b: u32) -> u32 {
    match compare(a, b) {
        ConditionCode::Unordered => NAN,
        ConditionCode::Less => flush(a),
        ConditionCode::Equal | ConditionCode::Greater => flush(b),
    }
}

/// The greater value, `a` if they are equal; NaN if either is NaN (`NV_fragment_program`, section 3.11.5.16).
#[must_use]
pub fn max(a: u32, b: u32) -> u32 {
    match compare(a, b) {
        ConditionCode::Unordered => NAN,
        ConditionCode::Less => flush(b),
        ConditionCode::Equal | ConditionCode::Greater => flush(a),
    }
}

const fn one_if(condition: bool) -> u32 {
    if condition { ONE } else { 0 }
}

/// 1 where `a` < `b`, else 0; 0 if unordered, like all comparisons except [`sne`] (`NV_fragment_program`).
#[must_use]
pub fn slt(a: u32, b: u32) -> u32 {
    one_if(is_less(a, b))
}

/// 1 where `a` ≥ `b`.
#[must_use]
pub fn sge(a: u32, b: u32) -> u32 {
    one_if(is_less_equal(b, a))
}

/// 1 where `a` ≤ `b`.
#[must_use]
pub fn sle(a: u32, b: u32) -> u32 {
    one_if(is_less_equal(a, b))
}

/// 1 where `a` > `b`.
#[must_use]
pub fn sgt(a: u32, b: u32) -> u32 {
    one_if(is_less(b, a))
}

/// 1 where `a` ≠ `b`, also when unordered.
#[must_use]
pub fn sne(a: u32, b: u32) -> u32 {
    one_if(!is_equal(a, b))
}

/// 1 where `a` = `b`.
#[must_use]
pub fn seq(a: u32, b: u32) -> u32 {
    one_if(is_equal(a, b))
}

/// The greatest integer not above; keeps zeros and infinities with their sign.
#[must_use]
pub fn flr(a: u32) -> u32 {
    if is_nan(a) { NAN } else { f32::from_bits(flush(a)).floor().to_bits() }
}

/// The rounded remainder above the floor: a tiny negative `a` gives 1.
#[must_use]
pub fn frc(a: u32) -> u32 {
    sub(a, flr(a))
}

/// 1/a to nearest even; a zero gives infinity of its sign.
// Unverified: that the last bit is always right. A PlayStation 3 gives exactly 65535 for the single nearest 1/65535
// (RPCS3, pull request 12450, which does not name the processor); the steps measured on NV30's vertices give 65534.996.
#[must_use]
pub fn rcp(a: u32) -> u32 {
    let reciprocal = 1.0 / f32::from_bits(flush(a));
    if reciprocal.is_nan() { NAN } else { flush(reciprocal.to_bits()) }
}

/// a·(1/b), rounded twice.
#[must_use]
pub fn div(a: u32, b: u32) -> u32 {
    mul(a, rcp(b))
}

/// 2^(b·log₂ a).
// Unverified: a negative `a` gives NaN, as its logarithm does; anything except NaN to the power of zero is 1.
#[must_use]
pub fn pow(a: u32, b: u32) -> u32 {
    if is_zero(b) && !is_nan(a) { ONE } else { ex2(mul(lg2(a), b)) }
}

/// Changes the sign.
#[must_use]
pub const fn negate(a: u32) -> u32 {
    a ^ SIGN
}

/// The magnitude.
#[must_use]
pub const fn absolute(a: u32) -> u32 {
    a & !SIGN
}

/// Clamps to 0..1; NaN becomes 0, as on a `PlayStation` 3 (RPCS3, `FragmentProgramDecompiler.cpp`).
#[must_use]
pub fn saturate(a: u32) -> u32 {
    if a & SIGN != 0 || is_nan(a) || is_zero(a) { 0 } else { a.min(ONE) }
}

/// Multiplies by the power of two of a destination scale.
#[must_use]
pub fn scale(a: u32, scale: Scale) -> u32 {
    scale_by_power(a, scale_exponent(scale))
}

/// The power of two of a destination scale.
#[must_use]
pub const fn scale_exponent(scale: Scale) -> i32 {
    match scale {
        Scale::One => 0,
        Scale::Two => 1,
        Scale::Four => 2,
        Scale::Eight => 3,
        Scale::Half => -1,
        Scale::Quarter => -2,
        Scale::Eighth => -3,
    }
}

/// a·2^exponent for exponents of −100..100.
#[must_use]
pub fn scale_by_power(a: u32, exponent: i32) -> u32 {
    if is_nan(a) {
        return NAN;
    }
    let sign = a & SIGN;
    if is_zero(a) || is_infinite(a) {
        return flush(a);
    }
    match exponent_of(a) + exponent.clamp(-100, 100) {
        ..=0 => sign,
        255.. => sign | INFINITY,
        scaled => sign | scaled.cast_unsigned() << 23 | a & FRACTION,
    }
}
