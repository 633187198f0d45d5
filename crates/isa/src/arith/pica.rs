//! The arithmetic of the PICA200's vertex processors on 24-bit floats.
//!
//! A register component is held as the bits of the IEEE single that equals its 24-bit value (sign, seven exponent bits
//! with bias 63, 16 fraction bits). This loses nothing: 24-bit denormals are normal singles.
//!
//! The rules come from programs that ran on the chip: 3dbrew ("GPU/Shader Instruction Set") and the tests of
//! `aroulin/3ds-gpu-tests`.
//!
//! - Arithmetic reads denormals as zero and gives zero instead of them. CMP, MAX and copies keep them.
//! - Zero times infinity is zero; NaN times zero is NaN; infinity minus infinity is NaN.
//! - Comparisons with NaN are false.
//!
//! The rest is not known publicly:
//!
//! - Unverified: each step is an operation on singles that rounds to nearest even, then truncation to 16 fraction bits.
//! - Unverified: a zero that an arithmetic unit computes is +0. The chip shows no negative zero: 1/−∞ and −0 both have
//!   the reciprocal +∞, and so has the reciprocal root.
//! - Unverified: sums of products are a tree of two-input adders, each step rounded as above.
//! - Unverified: arithmetic gives one NaN, [`NAN`], although copies keep others.
//! - Unverified: MIN, SLT, SGE and LITP keep denormals as MAX does.

mod float_format;

use std::cmp::Ordering;

pub use float_format::{F16, F20, F24, F31, FloatFormat};

use super::fragment::int_to_float;
use super::{FRACTION, INFINITY, ONE, SIGN, exponent_of, is_nan, special, vertex};

/// The NaN that arithmetic gives: 0x7f8000 as a 24-bit float.
pub const NAN: u32 = 0x7fc0_0000;
/// The least positive normal number, 2⁻⁶².
const MIN_NORMAL: u32 = 0x2080_0000;
/// The limit of LITP's exponent, 0x7fff/0x100.
const LIGHT_LIMIT: u32 = 0x42ff_fe00;

/// Converts a single to a 24-bit float: truncates, and keeps the sign of values that become zero.
#[must_use]
pub const fn from_single(a: u32) -> u32 {
    F24.decode(F24.encode(a))
}

/// Ends an arithmetic step.
const fn result(a: u32) -> u32 {
    let truncated = from_single(a);
    if truncated == SIGN { 0 } else { truncated }
}

/// Reads an arithmetic operand.
const fn operand(a: u32) -> u32 {
    if a & !SIGN < MIN_NORMAL { 0 } else { a }
}

/// Adds.
#[must_use]
pub fn add(a: u32, b: u32) -> u32 {
    result((f32::from_bits(operand(a)) + f32::from_bits(operand(b))).to_bits())
}

/// Multiplies.
#[must_use]
pub fn mul(a: u32, b: u32) -> u32 {
    let (a, b) = (operand(a), operand(b));
    if (a == 0 || b == 0) && !is_nan(a) && !is_nan(b) {
        return 0;
    }
    // Exponents of normal 24-bit floats keep the product a normal single, or beyond the range.
    result((f32::from_bits(a) * f32::from_bits(b)).to_bits())
}

/// Multiplies, then adds; both steps round.
#[must_use]
pub fn mad(a: u32, b: u32, c: u32) -> u32 {
    add(mul(a, b), c)
}

/// The dot product of x, y, z: (x + y) + z.
#[must_use]
pub fn dp3(a: [u32; 4], b: [u32; 4]) -> u32 {
    add(add(mul(a[0], b[0]), mul(a[1], b[1])), mul(a[2], b[2]))
}

/// The dot product of all four components: (x + y) + (z + w).
#[must_use]
pub fn dp4(a: [u32; 4], b: [u32; 4]) -> u32 {
    add(add(mul(a[0], b[0]), mul(a[1], b[1])), add(mul(a[2], b[2]), mul(a[3], b[3])))
}

/// The dot product with 1 for w of the first vector.
#[must_use]
pub fn dph(a: [u32; 4], b: [u32; 4]) -> u32 {
    dp4([a[0], a[1], a[2], ONE], b)
}

/// The distance vector (1, y·y, z, w).
#[must_use]
pub fn dst(a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
    [ONE, mul(a[1], b[1]), a[2], b[3]]
}

/// Compares numbers, including denormals; zeros of both signs are equal, and NaN has no order.
#[must_use]
pub fn compare(a: u32, b: u32) -> Option<Ordering> {
    f32::from_bits(a).partial_cmp(&f32::from_bits(b))
}

/// The greater value: `a` only if it is greater than `b`, so a NaN in `b` passes and one in `a` does not.
#[must_use]
pub fn max(a: u32, b: u32) -> u32 {
    if compare(a, b) == Some(Ordering::Greater) { a } else { b }
}

/// The lesser value: `a` only if it is less than `b`.
#[must_use]
pub fn min(a: u32, b: u32) -> u32 {
    if compare(a, b) == Some(Ordering::Less) { a } else { b }
}

const fn one_if(condition: bool) -> u32 {
    if condition { ONE } else { 0 }
}

/// 1 where `a` = `b`.
#[must_use]
pub fn seq(a: u32, b: u32) -> u32 {
    one_if(compare(a, b) == Some(Ordering::Equal))
}

/// 1 where `a` ≠ `b`. Unverified: NaN differs from everything.
#[must_use]
pub fn sne(a: u32, b: u32) -> u32 {
    one_if(compare(a, b) != Some(Ordering::Equal))
}

/// 1 where `a` < `b`.
#[must_use]
pub fn slt(a: u32, b: u32) -> u32 {
    one_if(compare(a, b) == Some(Ordering::Less))
}

/// 1 where `a` ≤ `b`.
#[must_use]
pub fn sle(a: u32, b: u32) -> u32 {
    one_if(compare(a, b).is_some_and(Ordering::is_le))
}

/// 1 where `a` > `b`.
#[must_use]
pub fn sgt(a: u32, b: u32) -> u32 {
    one_if(compare(a, b) == Some(Ordering::Greater))
}

/// 1 where `a` ≥ `b`.
#[must_use]
pub fn sge(a: u32, b: u32) -> u32 {
    one_if(compare(a, b).is_some_and(Ordering::is_ge))
}

/// The greatest integer not above.
#[must_use]
pub fn flr(a: u32) -> u32 {
    result(vertex::flr(operand(a)))
}

/// 1/a; infinite for zeros of both signs.
///
/// Unverified: the chip's steps and accuracy are not known. Here and in the next three functions, the function of
/// NV40, which is good to about 2⁻²², is truncated.
#[must_use]
pub fn rcp(a: u32) -> u32 {
    result(special::rcp(operand(a)))
}

/// 1/√a; NaN for negative numbers, infinite for zeros of both signs.
#[must_use]
pub fn rsq(a: u32) -> u32 {
    let a = operand(a);
    if a & SIGN == 0 { result(special::rsq_of_magnitude(a)) } else { NAN }
}

/// log₂ a; NaN for negative numbers, −∞ for zeros of both signs.
#[must_use]
pub fn lg2(a: u32) -> u32 {
    let a = operand(a);
    // NV40's function represents negative logarithms by complements, which are less by a unit.
    let is_power_of_two = a & (SIGN | FRACTION) == 0 && a != 0 && a != INFINITY;
    if is_power_of_two { int_to_float(exponent_of(a) - 127) } else { result(special::lg2(a)) }
}

/// 2 to the power of `a`.
#[must_use]
pub fn ex2(a: u32) -> u32 {
    let a = operand(a);
    // NV40's function also complements negative numbers, so whole ones are separate.
    let whole = address(a);
    if int_to_float(whole) == a && (-62..64).contains(&whole) {
        return (whole + 127).cast_unsigned() << 23;
    }
    result(special::ex2(a))
}

/// The vector of LITP: (max(x, 0), y clamped to ±127.99609375, 0, max(w, 0)).
///
/// Its flags are [`sge`] of x and w with zero. Unverified: a zero of either sign sets its flag. Unverified: a NaN is
/// the lower limit, as if each step were MAX or MIN with the limit as the second operand.
#[must_use]
pub fn litp(a: [u32; 4]) -> [u32; 4] {
    [max(a[0], 0), min(max(a[1], LIGHT_LIMIT | SIGN), LIGHT_LIMIT), 0, max(a[3], 0)]
}

/// The color that later stages receive: the magnitude, at most 1 (azahar, `output_vertex.cpp`).
///
/// Unverified: a NaN becomes 1, as the lesser of a NaN and 1 in C.
#[must_use]
pub fn color(a: u32) -> u32 {
    // Magnitudes are in the order of their bits, and NaN are beyond infinity.
    (a & !SIGN).min(ONE)
}

/// The offset that MOVA stores: the integer part, clamped to the range of `i32`.
///
/// Unverified: offsets are wider than eight bits, so that 128 differs from −128. What large values and NaN (here 0)
/// give cannot be observed, because offsets outside −128..127 act as 0.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the conversion truncates and clamps")]
pub fn address(a: u32) -> i32 {
    f32::from_bits(a) as i32
}
