// Converts between integers, half and single precision as the Tesla processor does; the twin of
// `crates/isa/src/arith/tesla/convert.rs`, with one function for each pair of formats.
//
// Flags of results are `tesla_integer_flags`, or `tesla_float_flags` of the result in single precision.
import package::arith::bits::{BITS_SIGN, BITS_INFINITY, BITS_NAN, BITS_FRACTION, BITS_MAGNITUDE, BITS_MIN_NORMAL};
import package::arith::tesla_float::{TESLA_NEAREST_EVEN, TESLA_DOWN, TESLA_UP, TESLA_TOWARD_ZERO};
import package::arith::tesla_float::{tesla_is_nan, tesla_exponent, tesla_flush, tesla_canonical, tesla_saturate};
import package::arith::tesla_integer::{tesla_extended, tesla_mask};

// An integer as sign and magnitude, so that zero can be negative.
struct TeslaMagnitude {
    is_negative: bool,
    magnitude: u32,
}

// Reads the low bits of a word, takes the magnitude, then negates.
fn tesla_magnitude(a: u32, bits: u32, is_signed: bool, absolute: bool, negate: bool) -> TeslaMagnitude {
    let value = tesla_extended(a, bits, is_signed);
    let is_negative = is_signed & (value >= BITS_SIGN);
    return TeslaMagnitude((is_negative & !absolute) != negate, select(value, 0u - value, is_negative));
}

// Takes the magnitude of a float, then negates.
fn tesla_modified(a: u32, absolute: bool, negate: bool) -> u32 {
    return select(a, a & BITS_MAGNITUDE, absolute) ^ select(0u, BITS_SIGN, negate);
}

// The number of a format that is nearest to an integer.
fn tesla_clamped(number: TeslaMagnitude, bits: u32, is_signed: bool) -> u32 {
    let limit = tesla_mask(bits) >> select(0u, 1u, is_signed);
    let negative = select(0u, 0u - min(number.magnitude, limit + 1u), is_signed);
    let value = select(min(number.magnitude, limit), negative, number.is_negative);
    return select(value, value & 0xffffu, bits == 16u);
}

// Divides by 2^shift and rounds as a number of the sign.
fn tesla_rounded_shift(magnitude: u32, shift: u32, rounding: u32, is_negative: bool) -> u32 {
    let count = min(shift, 31u);
    let kept = magnitude >> count;
    let rest = magnitude - (kept << count);
    let is_nearest_away = 2u * rest + (kept & 1u) > (1u << count);
    let is_directed_away = (rest != 0u) & (rounding == select(TESLA_UP, TESLA_DOWN, is_negative));
    return kept + select(0u, 1u, select(is_directed_away, is_nearest_away, rounding == TESLA_NEAREST_EVEN));
}

fn tesla_float_of_magnitude(number: TeslaMagnitude, rounding: u32) -> u32 {
    let zeros = countLeadingZeros(number.magnitude) & 31u;
    let significand = tesla_rounded_shift(number.magnitude << zeros, 8u, rounding, number.is_negative);
    // The highest bit, and a carry, run into the exponent.
    let magnitude = ((157u - zeros) << 23u) + significand;
    return select(0u, BITS_SIGN, number.is_negative) | select(magnitude, 0u, number.magnitude == 0u);
}

fn tesla_integer_to_integer(number: TeslaMagnitude, bits: u32, is_signed: bool) -> u32 {
    return tesla_clamped(number, bits, is_signed);
}

fn tesla_integer_to_float(number: TeslaMagnitude, rounding: u32, saturates: bool) -> u32 {
    let result = tesla_float_of_magnitude(number, rounding);
    return select(result, tesla_saturate(result), saturates);
}

// With the chip's errors; `is_source_negative` is the sign before magnitude and negation.
fn tesla_integer_to_half(number: TeslaMagnitude, is_source_negative: bool, rounding: u32, saturates: bool) -> u32 {
    let away = select(TESLA_UP, TESLA_DOWN, number.is_negative);
    let may_carry = (rounding == TESLA_NEAREST_EVEN) | (rounding == away);
    let is_lost = may_carry & ((number.magnitude & 0x3fffffe0u) == 0x3fffffe0u);
    let magnitude = select(number.magnitude, 0u, is_lost);
    let low = (magnitude - select(0u, 1u, is_source_negative)) << 16u;
    let lost = 2u + min(countLeadingZeros(low), 5u);
    let kept = TeslaMagnitude(number.is_negative, magnitude & (0xffffffffu >> lost));
    return tesla_half_of(tesla_integer_to_float(kept, rounding, saturates), rounding, rounding);
}

// The magnitude of a number below 2³², rounded to an integer.
fn tesla_integral_magnitude(a: u32, rounding: u32) -> u32 {
    let exponent = tesla_exponent(a);
    let significand = select((a & BITS_FRACTION) | BITS_MIN_NORMAL, 0u, exponent == 0);
    let left = significand << u32(clamp(exponent - 150, 0, 8));
    let right = tesla_rounded_shift(significand, u32(max(150 - exponent, 0)), rounding, a >= BITS_SIGN);
    return select(right, left, exponent > 150);
}

fn tesla_float_to_integer(a: u32, bits: u32, is_signed: bool, rounding: u32) -> u32 {
    let magnitude = select(tesla_integral_magnitude(a, rounding), 0xffffffffu, tesla_exponent(a) >= 159);
    let result = tesla_clamped(TeslaMagnitude(a >= BITS_SIGN, magnitude), bits, is_signed);
    return select(result, 0u, tesla_is_nan(a));
}

fn tesla_round_to_integer(a: u32, rounding: u32) -> u32 {
    // Integers up to 2²⁴ are exact.
    let magnitude = bitcast<u32>(f32(tesla_integral_magnitude(a, rounding)));
    return select((a & BITS_SIGN) | magnitude, a, tesla_exponent(a) >= 150);
}

fn tesla_float_to_float(a: u32, rounding: u32, rounds_to_integer: bool, saturates: bool) -> u32 {
    let flushed = tesla_canonical(tesla_flush(a));
    let clamped = select(flushed, tesla_saturate(flushed), saturates);
    return select(clamped, tesla_round_to_integer(clamped, rounding), rounds_to_integer);
}

fn tesla_float_to_half(a: u32, rounding: u32, rounds_to_integer: bool, saturates: bool) -> u32 {
    let result = tesla_float_to_float(a, rounding, rounds_to_integer, saturates);
    return tesla_half_of(result, select(rounding, TESLA_TOWARD_ZERO, rounds_to_integer), rounding);
}

fn tesla_half_to_single(a: u32) -> u32 {
    let sign = (a & 0x8000u) << 16u;
    let fraction = a & 0x3ffu;
    let exponent = a & 0x7c00u;
    let normal = ((a & 0x7fffu) << 13u) + (112u << 23u);
    // The conversion of such a small integer is exact. The integer is in units of 2⁻²⁴.
    let denormal = select(bitcast<u32>(f32(fraction)) - (24u << 23u), 0u, fraction == 0u);
    let special = select(BITS_NAN, sign | BITS_INFINITY, fraction == 0u);
    return select(sign | select(normal, denormal, exponent == 0u), special, exponent == 0x7c00u);
}

fn tesla_half_of(a: u32, rounding: u32, overflow: u32) -> u32 {
    let is_negative = a >= BITS_SIGN;
    let sign = (a & BITS_SIGN) >> 16u;
    let exponent = tesla_exponent(a) - 112;
    let shift = u32(13 + max(1 - exponent, 0));
    let significand = tesla_rounded_shift((a & BITS_FRACTION) | BITS_MIN_NORMAL, shift, rounding, is_negative);
    let magnitude = (u32(max(exponent, 1) - 1) << 10u) + significand;
    let away = select(TESLA_UP, TESLA_DOWN, is_negative);
    let is_infinite = (overflow == TESLA_NEAREST_EVEN) | (overflow == away) | (exponent == 143);
    let finite = select(magnitude, select(0x7bffu, 0x7c00u, is_infinite), magnitude >= 0x7c00u);
    // Below 2⁻³³, nothing is rounded up.
    let number = sign | select(finite, 0u, exponent < -18);
    return select(number, 0x7fffu, tesla_is_nan(a));
}
