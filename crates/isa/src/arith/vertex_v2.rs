//! The arithmetic of the NV20 vertex processor where it differs from NV40's legacy rules.
//!
//! Source: envytools `nvhw/xf.c`, the "v2" engine, which `hwtest/xf.cc` compares with NV20. The functions that are
//! missing here (MIN, MAX, SLT, SGE, RCP, RCC, LIT) are those of [`vertex`] with
//! [`VertexRuleSet::Nv40Legacy`].

use super::approximate::fixed_from_float;
use super::vertex::{self, VertexRuleSet};
use super::{FRACTION, INFINITY, MIN_NORMAL, ONE, SIGN, is_infinite, is_nan, is_zero};

/// The largest finite magnitude.
const LARGEST: u32 = INFINITY - 1;

/// Replaces an infinity that comes from finite operands by the largest finite number of its sign.
fn saturated(result: u32, operands: &[u32]) -> u32 {
    let overflows = is_infinite(result) && !operands.iter().any(|&operand| is_infinite(operand));
    if overflows { result & SIGN | LARGEST } else { result }
}

/// Multiplies, rounding toward zero; a zero factor gives +0, and a product that overflows the largest finite number.
#[must_use]
pub fn mul(a: u32, b: u32) -> u32 {
    saturated(vertex::mul(VertexRuleSet::Nv40Legacy, a, b), &[a, b])
}

/// The significand of a term; a denormal has no leading one and counts as half its value.
const fn significand(value: u32) -> u32 {
    let fraction = value & FRACTION;
    if is_zero(value) { fraction } else { fraction | MIN_NORMAL }
}

/// Adds up to four values at once; a sum that overflows is the largest finite number.
#[must_use]
pub fn sum(values: &[u32]) -> u32 {
    saturated(vertex::sum_of(values, significand), values)
}

/// Adds two values.
#[must_use]
pub fn add(a: u32, b: u32) -> u32 {
    sum(&[a, b])
}

/// Multiplies, then adds; the product is rounded before the sum.
#[must_use]
pub fn mad(a: u32, b: u32, c: u32) -> u32 {
    sum(&[mul(a, b), c])
}

/// The dot product of x, y, z.
#[must_use]
pub fn dp3(a: [u32; 4], b: [u32; 4]) -> u32 {
    sum(&[mul(a[0], b[0]), mul(a[1], b[1]), mul(a[2], b[2])])
}

/// The dot product of x, y, z, plus w of the second vector.
#[must_use]
pub fn dph(a: [u32; 4], b: [u32; 4]) -> u32 {
    dp4([a[0], a[1], a[2], ONE], b)
}

/// The dot product of all four components.
#[must_use]
pub fn dp4(a: [u32; 4], b: [u32; 4]) -> u32 {
    let product = |index: usize| mul(a[index], b[index]);
    sum(&[product(0), product(1), product(2), product(3)])
}

/// The distance vector (1, y·y, z, w).
#[must_use]
pub fn dst(a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
    [ONE, mul(a[1], b[1]), a[2], b[3]]
}

/// 1/√|a|; powers of four are one unit low.
#[must_use]
pub fn rsq(a: u32) -> u32 {
    super::special::rsq_by_steps(a)
}

/// EXP: (2^⌊a⌋, a − ⌊a⌋, 2^a with eleven bits, 1); y of a NaN is that NaN.
#[must_use]
pub fn exp(a: u32) -> [u32; 4] {
    let [floor, fraction, power, one] = vertex::exp(a);
    [floor, if is_nan(a) { a } else { fraction }, power, one]
}

/// LOG: (⌊log₂ |a|⌋, mantissa, log₂ |a| with eleven bits, 1); a NaN loses its sign.
#[must_use]
pub fn log(a: u32) -> [u32; 4] {
    if is_nan(a) {
        let magnitude = a & !SIGN;
        return [magnitude, magnitude, magnitude, ONE];
    }
    vertex::log(VertexRuleSet::Nv40Legacy, a)
}

/// The address of ARL: the floor.
///
/// Unverified: ARL takes the conversion of EXP, so that both agree on the floor as `NV_vertex_program` demands. Values
/// above −2⁻²³ give 0, and those beyond ±2¹⁸ and NaN the ends of its range.
#[must_use]
pub fn arl(a: u32) -> i32 {
    fixed_from_float(a) >> 13
}

#[cfg(test)]
#[path = "vertex_v2_tests.rs"]
mod tests;
