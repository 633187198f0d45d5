// Computes EXP, LOG and LIT of one vertex with eleven bits; the twin of `crates/isa/src/arith/approximate.rs`.
import package::arith::bits::{BITS_ONE, BITS_SIGN, BITS_INFINITY, BITS_NAN, BITS_FRACTION, BITS_MAGNITUDE, BITS_MIN_NORMAL};
import package::arith::tables::{table_index, table_approximate_exponential, table_approximate_logarithm};

// Converts a float to fixed point with 13 fraction bits, rounded toward −∞; saturates to the range of i32.
fn approximate_fixed_from_float(a: u32) -> i32 {
    let magnitude = a & BITS_MAGNITUDE;
    let exponent = i32(magnitude >> 23u);
    let is_negative = a >= BITS_SIGN;
    let significand = i32((a & BITS_FRACTION) | BITS_MIN_NORMAL);
    let signed_significand = select(significand, -significand, is_negative);
    let shift = 137 - exponent;
    let left = signed_significand << u32(clamp(-shift, 0, 7));
    var result = select(signed_significand >> u32(clamp(shift, 0, 31)), left, shift < 0);
    result = select(result, 0, exponent < 104);
    result = select(result, select(0x7fffffff, i32(-0x7fffffff - 1), is_negative), exponent >= 145);
    return select(result, 0x7fffffff, magnitude > BITS_INFINITY);
}

// 2^p for fixed point p with 13 fraction bits.
fn approximate_power_of_two(fixed: i32) -> u32 {
    let floor = fixed >> 13u;
    let row = table_approximate_exponential(table_index(vec4u(u32(fixed >> 8u) & 31u))).x;
    let fraction = ((row >> 10u) << 8u) + (row & 0x3ffu) * u32(fixed & 0xff);
    var result = (u32(floor + 127) << 23u) | (fraction << 1u);
    result = select(result, 0u, floor <= -127);
    return select(result, BITS_INFINITY, floor >= 128);
}

// The exact remainder of `a` above its floor; a tiny negative `a` gives 1.
fn approximate_remainder_above_floor(a: u32) -> u32 {
    let magnitude = a & BITS_MAGNITUDE;
    let exponent = i32(magnitude >> 23u);
    let is_negative = a >= BITS_SIGN;
    let base = clamp(exponent, 127, 150);
    let significand = i32((a & BITS_FRACTION) | BITS_MIN_NORMAL);
    let units = select(significand, -significand >> u32(clamp(base - exponent, 0, 31)), is_negative);
    let rest = u32(units) & ((1u << u32(150 - base)) - 1u);
    let shift = (countLeadingZeros(rest) - 8u) & 31u;
    var result = ((u32(base) - shift) << 23u) | ((rest << shift) & BITS_FRACTION);
    result = select(result, 0u, rest == 0u);
    result = select(result, BITS_ONE, exponent < 104);
    result = select(result, a, !is_negative & (exponent < 127));
    result = select(result, 0u, (exponent == 0) | (exponent >= 150));
    return select(result, BITS_NAN, magnitude > BITS_INFINITY);
}

fn xf_exp(a: u32) -> vec4u {
    let fixed = approximate_fixed_from_float(a);
    let power = select(approximate_power_of_two(fixed), BITS_NAN, (a & BITS_MAGNITUDE) > BITS_INFINITY);
    return vec4u(approximate_power_of_two(fixed & ~0x1fff), approximate_remainder_above_floor(a), power, BITS_ONE);
}

// The fraction of log₂ of a finite magnitude: units of 2⁻²⁶ below one, never negative.
fn approximate_logarithm_fraction(a: u32) -> u32 {
    let row = table_approximate_logarithm(table_index(vec4u((a >> 18u) & 31u))).x;
    return ((row >> 14u) << 8u) + (row & 0x3fffu) * ((a >> 10u) & 0xffu);
}

// Converts `high`·2²⁶ + `low` units of 2⁻²⁶ to a float, truncated toward zero; `low` is below 2²⁶.
fn approximate_float_from_fixed(high: i32, low: u32) -> u32 {
    let is_negative = high < 0;
    // The magnitude: 8 bits above, 26 bits below.
    let borrow = select(0, 1, low != 0u);
    let integer = u32(select(high, -high - borrow, is_negative));
    let fraction = select(low, (0u - low) & 0x3ffffffu, is_negative);
    let top = (integer << 24u) | (fraction >> 2u);
    let bottom = fraction << 30u;
    let shift = countLeadingZeros(top) & 31u;
    let normal = (top << shift) | ((bottom >> 1u) >> (31u - shift));
    let tiny_shift = countLeadingZeros(bottom) & 31u;
    let is_tiny = top == 0u;
    let word = select(normal, bottom << tiny_shift, is_tiny);
    let exponent = select(134u - shift, 102u - tiny_shift, is_tiny);
    let result = (exponent << 23u) | ((word >> 8u) & BITS_FRACTION);
    return select(select(result, result | BITS_SIGN, is_negative), 0u, word == 0u);
}

fn xf_log(a: u32, modern: bool) -> vec4u {
    let magnitude = a & BITS_MAGNITUDE;
    let exponent = i32(magnitude >> 23u) - 127;
    let mantissa = BITS_ONE | (a & BITS_FRACTION);
    let finite = vec4u(approximate_float_from_fixed(exponent, 0u), mantissa, approximate_float_from_fixed(exponent, approximate_logarithm_fraction(a)), BITS_ONE);
    let infinite = vec4u(BITS_INFINITY, mantissa, BITS_INFINITY, BITS_ONE);
    let zero = vec4u(BITS_SIGN | BITS_INFINITY, BITS_ONE, BITS_SIGN | BITS_INFINITY, BITS_ONE);
    var result = select(finite, infinite, magnitude == BITS_INFINITY);
    result = select(result, zero, exponent == -127);
    let is_nan = (magnitude > BITS_INFINITY) | (modern & (a >= BITS_SIGN));
    return select(result, vec4u(BITS_NAN, BITS_NAN, BITS_NAN, BITS_ONE), is_nan);
}

// ⌊logarithm·power / 2²⁶⌋ for the logarithm `high`·2²⁶ + `low`, as −2³¹..2³¹ − 1.
fn approximate_scaled_logarithm(high: i32, low: u32, power: i32) -> i32 {
    // low·power in two parts; |power| is at most 2²⁰, low below 2²⁶.
    let upper = i32(low >> 13u) * (power >> 10u);
    let crossed = i32(low >> 13u) * (power & 0x3ff);
    let lower_upper = i32(low & 0x1fffu) * (power >> 10u);
    let lower = i32(low & 0x1fffu) * (power & 0x3ff);
    // Units: upper 2²³, crossed 2¹³, lower_upper 2¹⁰, lower 1.
    let low_sum = lower + ((lower_upper & 7) << 10u);
    let middle = crossed + (lower_upper >> 3u) + (low_sum >> 13u);
    let high_sum = upper + (middle >> 10u);
    return high * power + (high_sum >> 3u);
}

fn approximate_lit_power(base: u32, power: u32) -> u32 {
    let base_magnitude = base & BITS_MAGNITUDE;
    let is_power_negative = power >= BITS_SIGN;
    let is_base_zero = (base >= BITS_SIGN) | (base_magnitude < BITS_MIN_NORMAL);
    let fixed_power = clamp(approximate_fixed_from_float(power), -0x100000, 0xfffff);
    let exponent = i32(base_magnitude >> 23u) - 127;
    // |log₂| is below 128 and |power| at most 2²⁰, so the product fits 32 bits.
    let product = approximate_scaled_logarithm(exponent, approximate_logarithm_fraction(base), fixed_power);
    var result = approximate_power_of_two(product);
    let end = select(0u, BITS_INFINITY, is_base_zero == is_power_negative);
    result = select(result, end, is_base_zero | (base_magnitude == BITS_INFINITY));
    let is_nan = (base_magnitude > BITS_INFINITY) | ((power & BITS_MAGNITUDE) > BITS_INFINITY);
    result = select(result, BITS_NAN, is_nan);
    return select(result, BITS_ONE, (power & BITS_INFINITY) == 0u);
}

fn xf_lit(a: vec4u) -> vec4u {
    let has_power = (a.x & BITS_INFINITY) != 0u;
    let lit = vec4u(BITS_ONE, a.x, select(0u, approximate_lit_power(a.y, a.w), has_power), BITS_ONE);
    return select(lit, vec4u(BITS_ONE, 0u, 0u, BITS_ONE), a.x >= BITS_SIGN);
}
