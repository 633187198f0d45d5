// Computes the functions of Tesla's special function unit; the twin of `crates/isa/src/arith/tesla/special.rs`.
//
// Polynomials exceed a word. Their terms are summed in two parts, of which the higher ones take over what the lower
// ones carry: shifts of negative numbers round down, so that no rest is lost.
import package::arith::bits::{BITS_SIGN, BITS_INFINITY, BITS_NAN, BITS_FRACTION, BITS_MIN_NORMAL};
import package::arith::bits::BITS_ONE;
import package::arith::tesla_float::{TESLA_NEAREST_EVEN, tesla_is_nan, tesla_exponent, tesla_packed};
import package::arith::tesla_integer::tesla_multiply_24_high;
import package::arith::tesla_tables::tesla_reciprocal_row;
import package::arith::tesla_tables::{tesla_reciprocal_square_root_value, tesla_reciprocal_square_root_slope};
import package::arith::tesla_tables::{tesla_sine_value, tesla_sine_slope};
import package::arith::tesla_tables::{tesla_exponential_value, tesla_exponential_slope};
import package::arith::tesla_tables::{tesla_logarithm_value, tesla_logarithm_slope};

// What the preparations give for NaN, and for infinity.
const TESLA_PREPARED_NAN: u32 = 0x40000000u;
const TESLA_PREPARED_INFINITY: u32 = 0x40800000u;

// A row of a table: A, and the magnitudes of B and C.
struct TeslaRow {
    a: i32,
    b: i32,
    c: i32,
}

fn tesla_row(value: u32, slope: u32) -> TeslaRow {
    return TeslaRow(i32(value & 0x3ffffffu), i32(slope & 0xffffu), i32((value >> 26u) | ((slope >> 16u) << 6u)));
}

// One truncated partial product of a square.
fn tesla_partial(t: u32, bit: u32) -> u32 {
    return (t >> (18u - bit)) & (0u - ((t >> bit) & 1u));
}

// The square of 17 bits in units of 2¹⁹. The two lowest bits contribute nothing.
fn tesla_truncated_square(t: u32) -> i32 {
    let a = tesla_partial(t, 2u) + tesla_partial(t, 3u) + tesla_partial(t, 4u) + tesla_partial(t, 5u);
    let b = tesla_partial(t, 6u) + tesla_partial(t, 7u) + tesla_partial(t, 8u) + tesla_partial(t, 9u);
    let c = tesla_partial(t, 10u) + tesla_partial(t, 11u) + tesla_partial(t, 12u) + tesla_partial(t, 13u);
    let d = tesla_partial(t, 14u) + tesla_partial(t, 15u) + tesla_partial(t, 16u);
    return i32((a + b + c + d) >> 1u);
}

// (A·2^scale + B·t + rest)/2^(scale + 2), rounded down.
fn tesla_quotient(a: i32, b: i32, t: u32, rest: i32, scale: u32) -> u32 {
    let high = b * i32(t >> 8u);
    let low = ((a & 3) << scale) + b * i32(t & 0xffu) + rest;
    return u32((a >> 2u) + ((high + (low >> 8u)) >> (scale - 6u)));
}

// Packs a significand from 2²³ to 2²⁴.
fn tesla_packed_result(sign: u32, significand: u32, exponent: i32) -> u32 {
    let carries = significand == 0x1000000u;
    return tesla_packed(sign, significand, exponent + select(0, 1, carries), TESLA_NEAREST_EVEN);
}

fn tesla_reciprocal(a: u32) -> u32 {
    let sign = a & BITS_SIGN;
    let t = a & 0xffffu;
    let index = (a >> 16u) & 0x7fu;
    let row = tesla_reciprocal_row(index);
    let rest = row.z * tesla_truncated_square(t << 1u) + 0x47e7;
    let exponent = tesla_exponent(a);
    var result = tesla_packed_result(sign, tesla_quotient(row.x, -row.y, t, rest, 13u), 253 - exponent);
    result = select(result, sign, exponent == 255);
    result = select(result, sign | BITS_INFINITY, exponent == 0);
    return select(result, BITS_NAN, tesla_is_nan(a));
}

fn tesla_reciprocal_square_root(a: u32) -> u32 {
    let exponent = tesla_exponent(a) - 127;
    let fraction = (a & BITS_FRACTION) | ((u32(exponent) & 1u) << 23u);
    let half = exponent >> 1u;
    let t = fraction & 0x1ffffu;
    let index = fraction >> 17u;
    let row = tesla_row(tesla_reciprocal_square_root_value(index), tesla_reciprocal_square_root_slope(index));
    let rest = 4 * row.c * tesla_truncated_square(t) + 0x7fff;
    var result = tesla_packed_result(0u, tesla_quotient(row.a, -row.b, t, rest, 14u), 126 - half);
    result = select(result, u32(127 - half) << 23u, fraction == 0u);
    result = select(result, 0u, a == BITS_INFINITY);
    result = select(result, BITS_NAN, tesla_is_nan(a) | (a >= BITS_SIGN));
    return select(result, (a & BITS_SIGN) | BITS_INFINITY, exponent == -127);
}

// The 24 leading bits of 32 bits that begin with `zeros` zeros and go on with fewer than 16 bits: `low` of `bits`.
fn tesla_leading(high: u32, low: u32, bits: u32, zeros: u32) -> u32 {
    let right = low >> ((bits - zeros) & 31u);
    let left = low << ((zeros - bits) & 31u);
    return ((high << zeros) | select(right, left, zeros > bits)) >> 8u;
}

fn tesla_log2(a: u32) -> u32 {
    let exponent = tesla_exponent(a) - 127;
    let t = a & 0x1ffffu;
    let index = (a >> 17u) & 0x3fu;
    let row = tesla_row(tesla_logarithm_value(index), tesla_logarithm_slope(index));
    let slope = row.b * i32(t >> 8u);
    // Units of 2²⁰, and the rest.
    let curve = 2 * row.c * tesla_truncated_square(t);
    let low = ((row.a & 0xff) << 12u) + ((slope & 0xfff) << 8u) + row.b * i32(t & 0xffu) - curve + 0x3345;
    let high = (row.a >> 8u) + (slope >> 12u) + (low >> 20u);
    // Units of 2¹⁸ of the logarithm, and the rest.
    let is_one = a == BITS_ONE;
    let whole = select(high, 0, is_one) + exponent * 0x40000;
    let rest = select((low >> 2u) & 0x3ffff, 0, is_one);
    let is_negative = whole < 0;
    let high_bits = u32(select(whole, ~whole, is_negative));
    let low_bits = u32(select(rest, ~rest & 0x3ffff, is_negative));
    // Just below 1, only the rest is left.
    let is_short = (high_bits | (low_bits >> 11u)) == 0u;
    let rest_bits = (low_bits & 0x7ffu) << 21u;
    let leading = select((high_bits << 7u) | (low_bits >> 11u), rest_bits, is_short);
    let zeros = countLeadingZeros(leading) & 31u;
    let significand = tesla_leading(leading, select(low_bits & 0x7ffu, 0u, is_short), 11u, zeros);
    let magnitude = ((132u - zeros - select(0u, 32u, is_short)) << 23u) + significand;
    var result = select(0u, BITS_SIGN, is_negative) | select(magnitude, 0u, leading == 0u);
    result = select(result, BITS_INFINITY, a == BITS_INFINITY);
    result = select(result, BITS_NAN, tesla_is_nan(a) | (a >= BITS_SIGN));
    return select(result, BITS_SIGN | BITS_INFINITY, exponent == -127);
}

// Multiplies by 2^exponent: what leaves the word is lost.
fn tesla_scaled(value: u32, exponent: i32) -> u32 {
    let count = u32(abs(exponent));
    let scaled = select(value >> (count & 31u), value << (count & 31u), exponent >= 0);
    return select(scaled, 0u, count >= 32u);
}

fn tesla_prepared(a: u32, finite: u32, is_infinite: bool) -> u32 {
    let magnitude = select(finite, TESLA_PREPARED_INFINITY, is_infinite);
    return (a & BITS_SIGN) | select(magnitude, TESLA_PREPARED_NAN, tesla_is_nan(a));
}

fn tesla_prepare_sine(a: u32) -> u32 {
    let exponent = tesla_exponent(a);
    let significand = select((a & BITS_FRACTION) | BITS_MIN_NORMAL, 0u, exponent == 0);
    let product = tesla_multiply_24_high(significand, 0xa2f983u, false);
    return tesla_prepared(a, tesla_scaled(product, exponent - 135) & 0x1ffffffu, exponent == 255);
}

fn tesla_prepare_exponential(a: u32) -> u32 {
    let exponent = tesla_exponent(a);
    let significand = select((a & BITS_FRACTION) | BITS_MIN_NORMAL, 0u, exponent == 0);
    return tesla_prepared(a, tesla_scaled(significand, exponent - 127), exponent >= 134);
}

fn tesla_sine(prepared: u32) -> u32 {
    return tesla_sine_of_quarters((prepared >> 23u) & 0xffu, prepared & BITS_FRACTION, prepared & BITS_SIGN);
}

fn tesla_cosine(prepared: u32) -> u32 {
    let quarters = (prepared >> 23u) & 0xffu;
    return tesla_sine_of_quarters(((quarters + 1u) & 0x7fu) | (quarters & 0x80u), prepared & BITS_FRACTION, 0u);
}

fn tesla_sine_of_quarters(quarters: u32, rising: u32, turned: u32) -> u32 {
    let fraction = select(rising, ~rising & BITS_FRACTION, (quarters & 1u) != 0u);
    let sign = turned ^ ((quarters & 2u) << 30u);
    let t = fraction & 0x1ffffu;
    let index = fraction >> 17u;
    let row = tesla_row(tesla_sine_value(index), tesla_sine_slope(index));
    // Units of 2¹⁶, and the rest.
    let slope = u32(row.b) * t;
    let low = ((row.a & 0x1f) << 11u) + i32(slope & 0xffffu) - row.c * tesla_truncated_square(t);
    let high = u32((row.a >> 5u) + i32(slope >> 16u) + (low >> 16u));
    // Only zero is below 2⁻²³, so that the leading bits tell it.
    let leading = (high << 10u) | ((u32(low) & 0xffffu) >> 6u);
    let zeros = countLeadingZeros(leading) & 31u;
    let significand = tesla_leading(leading, u32(low) & 0x3fu, 6u, zeros);
    let magnitude = select(((126u - zeros) << 23u) + significand, 0u, leading == 0u);
    return select(sign | magnitude, BITS_NAN, (quarters & 0x80u) != 0u);
}

fn tesla_exp2(prepared: u32) -> u32 {
    let is_negative = prepared >= BITS_SIGN;
    let quotient = (prepared >> 23u) & 0xffu;
    let magnitude = prepared & BITS_FRACTION;
    let is_complement = is_negative & (magnitude != 0u);
    let fraction = select(magnitude, ~magnitude & BITS_FRACTION, is_complement);
    let floor = select(i32(quotient), -i32(quotient), is_negative) - select(0, 1, is_complement);
    let t = fraction & 0x1ffffu;
    let index = fraction >> 17u;
    let row = tesla_row(tesla_exponential_value(index), tesla_exponential_slope(index));
    let rest = row.c * tesla_truncated_square(t) + 0x77e2;
    let result = tesla_packed_result(0u, tesla_quotient(row.a, row.b, t, rest, 13u), floor + 127);
    let special = select(BITS_NAN, select(BITS_INFINITY, 0u, is_negative), (quotient & 1u) != 0u);
    return select(result, special, (quotient & 0x80u) != 0u);
}
