//! The vertex processor's arithmetic: truncating multiply, sums with guard bits, and two rule sets for the edges.
//!
//! The rules are those of the "v3" engine in envytools' model `nvhw/xf.c`, which was tested on NV30. Unverified:
//! NV40 is assumed to compute as NV30 does.

pub use super::approximate::{exp, lit, log};
pub use super::special::{cos, ex2, lg2, rcc, rcp, sin};
pub use super::vertex_rules::VertexRuleSet;
use super::{
    ConditionCode, FRACTION, INFINITY, MIN_NORMAL, MINUS_ONE, NAN, ONE, SIGN, exponent_of, is_infinite, is_nan, is_zero,
};

/// Multiplies, rounding toward zero.
///
/// A zero factor gives +0. Unverified: a product too small for a normal number becomes zero of its sign.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the fraction is masked, the carry is one bit")]
pub fn mul(rules: VertexRuleSet, a: u32, b: u32) -> u32 {
    let has_zero = is_zero(a) || is_zero(b);
    if has_zero && rules == VertexRuleSet::Nv40Legacy {
        return 0;
    }
    if is_nan(a) || is_nan(b) {
        return NAN;
    }
    let sign = (a ^ b) & SIGN;
    if is_infinite(a) || is_infinite(b) {
        return if has_zero { NAN } else { sign | INFINITY };
    }
    if has_zero {
        return 0;
    }
    let product = u64::from(a & FRACTION | MIN_NORMAL) * u64::from(b & FRACTION | MIN_NORMAL);
    // The leading one is at bit 46 or 47.
    let carry = (product >> 47) as u32;
    let fraction = (product >> (23 + carry)) as u32 & FRACTION;
    assemble(sign, exponent_of(a) + exponent_of(b) - 127 + carry.cast_signed(), fraction)
}

/// Assembles a number from its parts; infinite or zero if the exponent does not fit.
const fn assemble(sign: u32, exponent: i32, fraction: u32) -> u32 {
    if exponent <= 0 {
        sign
    } else if exponent >= 255 {
        sign | INFINITY
    } else {
        sign | exponent.cast_unsigned() << 23 | fraction
    }
}

/// The significand of a term, with its leading one; a denormal counts as zero.
const fn significand(value: u32) -> u32 {
    if is_zero(value) { 0 } else { value & FRACTION | MIN_NORMAL }
}

/// Adds up to four values at once: all are aligned to the largest with seven guard bits, and the sum is truncated.
#[must_use]
pub fn sum(values: &[u32]) -> u32 {
    sum_of(values, significand)
}

/// The sum of up to four values with these significands.
pub(super) fn sum_of(values: &[u32], significand: fn(u32) -> u32) -> u32 {
    debug_assert!(values.len() <= 4, "the adder has four inputs");
    if values.iter().any(|&value| is_nan(value)) {
        return NAN;
    }
    let has = |infinity| values.contains(&infinity);
    match (has(INFINITY), has(SIGN | INFINITY)) {
        (true, true) => return NAN,
        (true, false) => return INFINITY,
        (false, true) => return SIGN | INFINITY,
        (false, false) => {}
    }
    let top = values.iter().map(|&value| exponent_of(value)).max().unwrap_or(0) + 2;
    let mut total = 0i32;
    for &value in values {
        let significand = significand(value).cast_signed();
        let shift = top - exponent_of(value) - 7;
        let aligned = if shift < 0 { significand << -shift } else { significand >> shift.min(31) };
        total += if value & SIGN == 0 { aligned } else { -aligned };
    }
    if total == 0 {
        return 0;
    }
    let magnitude = total.unsigned_abs();
    let shift = magnitude.leading_zeros() - 1;
    assemble(total.cast_unsigned() & SIGN, top - shift.cast_signed(), magnitude << shift >> 7 & FRACTION)
}

/// Adds two values.
#[must_use]
pub fn add(a: u32, b: u32) -> u32 {
    sum(&[a, b])
}

/// Multiplies, then adds; the product is rounded before the sum.
#[must_use]
pub fn mad(rules: VertexRuleSet, a: u32, b: u32, c: u32) -> u32 {
    sum(&[mul(rules, a, b), c])
}

/// The dot product of x, y, z.
#[must_use]
pub fn dp3(rules: VertexRuleSet, a: [u32; 4], b: [u32; 4]) -> u32 {
    sum(&[mul(rules, a[0], b[0]), mul(rules, a[1], b[1]), mul(rules, a[2], b[2])])
}

/// The dot product of x, y, z, plus w of the second vector.
#[must_use]
pub fn dph(rules: VertexRuleSet, a: [u32; 4], b: [u32; 4]) -> u32 {
    dp4(rules, [a[0], a[1], a[2], ONE], b)
}

/// The dot product of all four components.
#[must_use]
pub fn dp4(rules: VertexRuleSet, a: [u32; 4], b: [u32; 4]) -> u32 {
    let product = |index: usize| mul(rules, a[index], b[index]);
    sum(&[product(0), product(1), product(2), product(3)])
}

/// The distance vector (1, y·y, z, w).
#[must_use]
pub fn dst(rules: VertexRuleSet, a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
    [ONE, mul(rules, a[1], b[1]), a[2], b[3]]
}

/// A key whose unsigned order is the total order of the bits.
const fn order_key(bits: u32) -> u32 {
    if bits & SIGN == 0 { bits ^ SIGN } else { !bits }
}

/// Compares `a` with `b`.
#[must_use]
pub fn compare(rules: VertexRuleSet, a: u32, b: u32) -> ConditionCode {
    let (mut a, mut b) = (a, b);
    if rules != VertexRuleSet::Nv40Legacy {
        if is_nan(a) || is_nan(b) {
            return ConditionCode::Unordered;
        }
        if is_zero(a) {
            a = 0;
        }
        if is_zero(b) {
            b = 0;
        }
    }
    match order_key(a).cmp(&order_key(b)) {
        std::cmp::Ordering::Less => ConditionCode::Less,
        std::cmp::Ordering::Equal => ConditionCode::Equal,
        std::cmp::Ordering::Greater => ConditionCode::Greater,
    }
}

/// How a value compares with zero.
#[must_use]
pub fn condition(bits: u32, rules: VertexRuleSet) -> ConditionCode {
    compare(rules, bits, 0)
}

/// The lesser value; `b` if they are equal, NaN if they are unordered.
#[must_use]
pub fn min(rules: VertexRuleSet, a: u32, b: u32) -> u32 {
    match compare(rules, a, b) {
        ConditionCode::Unordered => NAN,
        ConditionCode::Less => a,
        ConditionCode::Equal | ConditionCode::Greater => b,
    }
}

/// The greater value; `a` if they are equal, NaN if they are unordered.
#[must_use]
pub fn max(rules: VertexRuleSet, a: u32, b: u32) -> u32 {
    match compare(rules, a, b) {
        ConditionCode::Unordered => NAN,
        ConditionCode::Less => b,
        ConditionCode::Equal | ConditionCode::Greater => a,
    }
}

fn set(rules: VertexRuleSet, a: u32, b: u32, passing: &[ConditionCode]) -> u32 {
    match compare(rules, a, b) {
        ConditionCode::Unordered => NAN,
        code if passing.contains(&code) => ONE,
        _ => 0,
    }
}

/// 1 where `a` < `b`, else 0; NaN if unordered, like all comparisons.
#[must_use]
pub fn slt(rules: VertexRuleSet, a: u32, b: u32) -> u32 {
    set(rules, a, b, &[ConditionCode::Less])
}

/// 1 where `a` ≥ `b`.
#[must_use]
pub fn sge(rules: VertexRuleSet, a: u32, b: u32) -> u32 {
    set(rules, a, b, &[ConditionCode::Equal, ConditionCode::Greater])
}

/// 1 where `a` = `b`.
#[must_use]
pub fn seq(rules: VertexRuleSet, a: u32, b: u32) -> u32 {
    set(rules, a, b, &[ConditionCode::Equal])
}

/// 1 where `a` > `b`.
#[must_use]
pub fn sgt(rules: VertexRuleSet, a: u32, b: u32) -> u32 {
    set(rules, a, b, &[ConditionCode::Greater])
}

/// 1 where `a` ≤ `b`.
#[must_use]
pub fn sle(rules: VertexRuleSet, a: u32, b: u32) -> u32 {
    set(rules, a, b, &[ConditionCode::Less, ConditionCode::Equal])
}

/// 1 where `a` ≠ `b`.
#[must_use]
pub fn sne(rules: VertexRuleSet, a: u32, b: u32) -> u32 {
    set(rules, a, b, &[ConditionCode::Less, ConditionCode::Greater])
}

/// The sign: −1, 0, 1 or NaN.
#[must_use]
pub fn ssg(rules: VertexRuleSet, a: u32) -> u32 {
    match compare(rules, a, 0) {
        ConditionCode::Less => MINUS_ONE,
        ConditionCode::Equal => 0,
        ConditionCode::Greater => ONE,
        ConditionCode::Unordered => NAN,
    }
}

/// The greatest integer not above; a zero of any sign gives +0.
#[must_use]
pub fn flr(a: u32) -> u32 {
    let exponent = exponent_of(a);
    if exponent == 0 {
        return 0;
    }
    if is_nan(a) {
        return NAN;
    }
    if exponent >= 150 {
        return a;
    }
    if exponent < 127 {
        return if a & SIGN == 0 { 0 } else { MINUS_ONE };
    }
    let below_one = (1u32 << (150 - exponent)) - 1;
    // Truncates the magnitude; for negative numbers adds one unit if bits were lost. A carry correctly runs into
    // the exponent.
    let magnitude = if a & SIGN == 0 { a } else { a + below_one };
    magnitude & !below_one
}

/// The remainder above the floor.
#[must_use]
pub fn frc(a: u32) -> u32 {
    add(a, flr(a) ^ SIGN)
}

/// 1/√a; the legacy rules ignore the sign of `a`.
#[must_use]
pub fn rsq(rules: VertexRuleSet, a: u32) -> u32 {
    if rules != VertexRuleSet::Nv40Legacy && a & SIGN != 0 && !is_nan(a) {
        return if is_zero(a) { SIGN | INFINITY } else { NAN };
    }
    super::special::rsq_of_magnitude(a)
}

/// Clamps to 0..1. Unverified: NaN becomes 0, as in the fragment processor.
#[must_use]
pub fn saturate(a: u32) -> u32 {
    if a & SIGN != 0 || is_nan(a) || is_zero(a) { 0 } else { a.min(ONE) }
}

/// The address of ARL: the floor, clamped to −512..511.
#[must_use]
pub fn arl(a: u32) -> i32 {
    address(flr(a))
}

/// The address of ARR: the nearest integer, ties to even, clamped to −512..511.
#[must_use]
pub fn arr(a: u32) -> i32 {
    if is_zero(a) {
        return 0;
    }
    address(f32::from_bits(a).round_ties_even().to_bits())
}

/// Converts an integral float to an address. Unverified: NaN becomes 0.
#[expect(clippy::cast_possible_truncation, reason = "the value was clamped")]
fn address(integer: u32) -> i32 {
    if is_nan(integer) { 0 } else { f32::from_bits(integer).clamp(-512.0, 511.0) as i32 }
}

#[cfg(test)]
#[path = "vertex_tests.rs"]
mod tests;
