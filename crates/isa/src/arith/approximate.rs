//! EXP, LOG and LIT: the 11-bit functions of the first vertex programs, with the steps of envytools' model.

use super::tables::{
    APPROXIMATE_EXPONENTIAL_BASE, APPROXIMATE_EXPONENTIAL_SLOPE, APPROXIMATE_LOGARITHM_BASE,
    APPROXIMATE_LOGARITHM_SLOPE,
};
use super::vertex_rules::VertexRuleSet;
use super::{FRACTION, INFINITY, MIN_NORMAL, NAN, ONE, SIGN, exponent_of, is_infinite, is_nan, is_zero};

/// Converts a float to fixed point with 13 fraction bits, rounded toward −∞; saturates to the range of `i32`.
pub(super) fn fixed_from_float(a: u32) -> i32 {
    let exponent = exponent_of(a);
    let is_negative = a & SIGN != 0;
    if is_nan(a) {
        return i32::MAX;
    }
    if exponent >= 127 + 18 {
        return if is_negative { i32::MIN } else { i32::MAX };
    }
    if exponent < 127 - 23 {
        return 0;
    }
    let significand = (a & FRACTION | MIN_NORMAL).cast_signed();
    let significand = if is_negative { -significand } else { significand };
    let shift = 127 + 10 - exponent;
    if shift < 0 { significand << -shift } else { significand >> shift.min(31) }
}

/// 2^p for fixed point p with 13 fraction bits.
fn power_of_two(fixed: i32) -> u32 {
    let floor = fixed >> 13;
    if floor <= -127 {
        return 0;
    }
    if floor >= 128 {
        return INFINITY;
    }
    let row = (fixed >> 8 & 31) as usize;
    let fraction =
        (APPROXIMATE_EXPONENTIAL_BASE[row] << 8) + APPROXIMATE_EXPONENTIAL_SLOPE[row] * (fixed & 0xff).cast_unsigned();
    (floor + 127).cast_unsigned() << 23 | fraction << 1
}

/// The exact remainder of `a` above its floor; a tiny negative `a` gives 1.
fn remainder_above_floor(a: u32) -> u32 {
    let exponent = exponent_of(a);
    if is_nan(a) {
        return NAN;
    }
    if exponent == 0 || exponent >= 150 {
        return 0;
    }
    let is_negative = a & SIGN != 0;
    if !is_negative && exponent < 127 {
        return a;
    }
    if exponent < 127 - 23 {
        return ONE;
    }
    // In units of 2^(base − 150): `a`'s own from 1 up, 2⁻²³ below, where the magnitude is rounded up.
    let base = exponent.max(127);
    let significand = (a & FRACTION | MIN_NORMAL).cast_signed();
    let units = if is_negative { -significand >> (base - exponent) } else { significand };
    let rest = units.cast_unsigned() & ((1 << (150 - base)) - 1);
    if rest == 0 {
        return 0;
    }
    let shift = rest.leading_zeros() - 8;
    (base.cast_unsigned() - shift) << 23 | rest << shift & FRACTION
}

/// EXP: (2^⌊a⌋, a − ⌊a⌋, 2^a with eleven bits, 1).
#[must_use]
pub fn exp(a: u32) -> [u32; 4] {
    let fixed = fixed_from_float(a);
    // Unverified: x and y of a NaN are +∞ and the NaN, as in the model.
    let power = if is_nan(a) { NAN } else { power_of_two(fixed) };
    [power_of_two(fixed & !0x1fff), remainder_above_floor(a), power, ONE]
}

/// log₂ of a finite non-zero magnitude with 26 fraction bits.
fn approximate_logarithm(a: u32) -> i64 {
    let row = (a >> 18 & 31) as usize;
    let fraction = (APPROXIMATE_LOGARITHM_BASE[row] << 8) + APPROXIMATE_LOGARITHM_SLOPE[row] * (a >> 10 & 0xff);
    i64::from(fraction) + (i64::from(exponent_of(a) - 127) << 26)
}

/// Converts a fixed-point number with 26 fraction bits to a float, truncated toward zero.
fn float_from_fixed26(fixed: i64) -> u32 {
    if fixed == 0 {
        return 0;
    }
    let sign = if fixed < 0 { SIGN } else { 0 };
    let magnitude = fixed.unsigned_abs();
    let shift = magnitude.leading_zeros();
    sign | (127 + 63 - 26 - shift) << 23 | (magnitude << shift >> 40) as u32 & FRACTION
}

/// LOG: (⌊log₂ a⌋, mantissa, log₂ a with eleven bits, 1); the legacy rules ignore the sign of `a`.
#[must_use]
pub fn log(rules: VertexRuleSet, a: u32) -> [u32; 4] {
    if is_nan(a) || rules != VertexRuleSet::Nv40Legacy && a & SIGN != 0 {
        return [NAN, NAN, NAN, ONE];
    }
    if is_zero(a) {
        return [SIGN | INFINITY, ONE, SIGN | INFINITY, ONE];
    }
    let mantissa = ONE | a & FRACTION;
    if is_infinite(a) {
        return [INFINITY, mantissa, INFINITY, ONE];
    }
    let floor = float_from_fixed26(i64::from(exponent_of(a) - 127) << 26);
    [floor, mantissa, float_from_fixed26(approximate_logarithm(a)), ONE]
}

/// LIT: (1, max(x, 0), x > 0 ? max(y, 0)^w : 0, 1) with w clamped to ±128.
#[must_use]
pub fn lit(a: [u32; 4]) -> [u32; 4] {
    let [diffuse, specular, _, power] = a;
    if diffuse & SIGN != 0 {
        return [ONE, 0, 0, ONE];
    }
    [ONE, diffuse, if is_zero(diffuse) { 0 } else { lit_power(specular, power) }, ONE]
}

fn lit_power(base: u32, power: u32) -> u32 {
    if is_zero(power) {
        return ONE;
    }
    if is_nan(base) || is_nan(power) {
        return NAN;
    }
    let is_power_negative = power & SIGN != 0;
    let is_base_zero = base & SIGN != 0 || is_zero(base);
    if is_base_zero || is_infinite(base) {
        return if is_base_zero == is_power_negative { INFINITY } else { 0 };
    }
    let power = fixed_from_float(power).clamp(-0x10_0000, 0xf_ffff);
    let product = (approximate_logarithm(base) * i64::from(power)) >> 26;
    // A product beyond 32 bits also exceeds the range of the power by far.
    match i32::try_from(product) {
        Ok(fixed) => power_of_two(fixed),
        Err(_) if product < 0 => 0,
        Err(_) => INFINITY,
    }
}
