// Computes the Tesla processor's operations on single-precision floats; the twin of `crates/isa/src/arith/tesla/float.rs`.
//
// Sums and products that round to nearest are those of `fragment.wgsl`: native operations on flushed operands, kept
// apart by `opaque`. All other results come from significands in 1..2 with exponents as integers, so that no native
// operation overflows, underflows, or sees a NaN. The error of a native operation is exact there: that of a product
// from the low word of the product of significands, that of a sum from two more native operations.
import package::arith::bits::{BITS_ONE, BITS_SIGN, BITS_INFINITY, BITS_NAN, BITS_FRACTION, BITS_MAGNITUDE};
import package::arith::bits::BITS_MIN_NORMAL;
import package::arith::optimization_barrier::opaque;

// Rounding modes, as instructions number them.
const TESLA_NEAREST_EVEN: u32 = 0u;
const TESLA_DOWN: u32 = 1u;
const TESLA_UP: u32 = 2u;
const TESLA_TOWARD_ZERO: u32 = 3u;

// Comparisons, numbered as the flags that tell them.
const TESLA_GREATER: u32 = 0u;
const TESLA_EQUAL: u32 = 1u;
const TESLA_LESS: u32 = 2u;
const TESLA_UNORDERED: u32 = 3u;

const TESLA_LARGEST: u32 = 0x7f7fffffu;

fn tesla_is_nan(a: u32) -> bool {
    return (a & BITS_MAGNITUDE) > BITS_INFINITY;
}

fn tesla_exponent(a: u32) -> i32 {
    return i32((a >> 23u) & 0xffu);
}

fn tesla_flush(a: u32) -> u32 {
    return select(a, a & BITS_SIGN, (a & BITS_INFINITY) == 0u);
}

fn tesla_canonical(a: u32) -> u32 {
    return select(a, BITS_NAN, tesla_is_nan(a));
}

// Adds, rounding to nearest.
fn tesla_add(a: u32, b: u32) -> u32 {
    let left = opaque(bitcast<f32>(tesla_flush(a)));
    let right = opaque(bitcast<f32>(tesla_flush(b)));
    return tesla_canonical(tesla_flush(bitcast<u32>(opaque(left + right))));
}

// Multiplies, rounding to nearest. What is below 2⁻¹²⁶ after rounding to 24 bits becomes zero: there the product
// itself is rounded to fewer bits, so the test uses the product of 2²⁴·a.
fn tesla_multiply(a: u32, b: u32) -> u32 {
    let left = opaque(bitcast<f32>(tesla_flush(a)));
    let right = opaque(bitcast<f32>(tesla_flush(b)));
    let product = bitcast<u32>(opaque(left * right));
    let greater = bitcast<u32>(opaque(opaque(left * 16777216.0) * right));
    let is_small = (greater & BITS_MAGNITUDE) < 0x0c800000u;
    return tesla_canonical(select(product, product & BITS_SIGN, is_small));
}

// A factor of a product in which zero wins over infinity and NaN: zero if either factor is.
fn tesla_zero_factor(a: u32, other: u32) -> u32 {
    return select(a, 0u, (a & BITS_INFINITY) == 0u || (other & BITS_INFINITY) == 0u);
}

// The product of two significands in 1..2, rounded to nearest, and its error: the exact product less the rounded one
// in units of 2⁻⁴⁶.
struct TeslaProduct {
    nearest: u32,
    error: i32,
}

fn tesla_significand_product(a: u32, b: u32) -> TeslaProduct {
    let left = opaque(bitcast<f32>((a & BITS_FRACTION) | BITS_ONE));
    let right = opaque(bitcast<f32>((b & BITS_FRACTION) | BITS_ONE));
    let nearest = bitcast<u32>(opaque(left * right));
    // Both sides are exact modulo 2³², and their difference is shorter.
    let exact = ((a & BITS_FRACTION) | BITS_MIN_NORMAL) * ((b & BITS_FRACTION) | BITS_MIN_NORMAL);
    let rounded = ((nearest & BITS_FRACTION) | BITS_MIN_NORMAL) << ((nearest >> 23u) - 104u);
    return TeslaProduct(nearest, i32(exact - rounded));
}

// Moves a rounded result to the neighbor that a directed rounding takes. `error` has the sign of the exact result's
// magnitude less the rounded one's.
fn tesla_directed(nearest: u32, error: i32, is_negative: bool, rounding: u32) -> u32 {
    let away = select(TESLA_UP, TESLA_DOWN, is_negative);
    let is_away = rounding == away;
    let is_inward = (rounding != TESLA_NEAREST_EVEN) & !is_away;
    return nearest + select(0u, 1u, is_away & (error > 0)) - select(0u, 1u, is_inward & (error < 0));
}

// A float of the sign, significand and exponent: zero below the range, infinite or the largest number above it.
fn tesla_packed(sign: u32, significand: u32, exponent: i32, rounding: u32) -> u32 {
    let away = select(TESLA_UP, TESLA_DOWN, sign != 0u);
    let is_infinite = (rounding == TESLA_NEAREST_EVEN) | (rounding == away);
    var magnitude = (significand & BITS_FRACTION) | (u32(exponent) << 23u);
    magnitude = select(magnitude, select(TESLA_LARGEST, BITS_INFINITY, is_infinite), exponent >= 255);
    return sign | select(magnitude, 0u, exponent < 1);
}

// Whether an operand is infinite or NaN.
fn tesla_is_special(a: u32, b: u32) -> bool {
    return max(a & BITS_INFINITY, b & BITS_INFINITY) == BITS_INFINITY;
}

// Multiplies with any rounding. Rounding does not change products with zero, infinity and NaN.
fn tesla_multiply_rounded(a: u32, b: u32, rounding: u32) -> u32 {
    let sign = (a ^ b) & BITS_SIGN;
    let product = tesla_significand_product(a, b);
    let rounded = tesla_directed(product.nearest, product.error, sign != 0u, rounding);
    let exponent = tesla_exponent(a) + tesla_exponent(b) + tesla_exponent(rounded) - 254;
    let has_zero = min(a & BITS_INFINITY, b & BITS_INFINITY) == 0u;
    let result = tesla_packed(sign, rounded, exponent, rounding);
    return select(result, tesla_multiply(a, b), tesla_is_special(a, b) | has_zero);
}

// A term of a sum for native operations: scaled so that the greater exponent is that of 1. A far lesser term only
// has to be smaller than what a rounding distinguishes.
fn tesla_term(a: u32, sign: u32, exponent: i32, greater: i32) -> u32 {
    let scaled = 127 - min(greater - exponent, 60);
    return sign | (a & BITS_FRACTION) | (u32(scaled) << 23u);
}

// The sum of a greater and a lesser term, rounded to nearest.
fn tesla_native_sum(a: u32, b: u32) -> u32 {
    return bitcast<u32>(opaque(opaque(bitcast<f32>(a)) + opaque(bitcast<f32>(b))));
}

// The lesser term as it is in the rounded sum: the sum less the greater term, which is exact.
fn tesla_added(sum: u32, greater: u32) -> u32 {
    return tesla_native_sum(sum, greater ^ BITS_SIGN);
}

// Adds with any rounding. Rounding does not change sums with infinity and NaN, and sums of zeros or to zero.
fn tesla_add_rounded(left: u32, right: u32, rounding: u32) -> u32 {
    // With one zero, the other term is the sum.
    let is_swapped = (left & BITS_MAGNITUDE) < (right & BITS_MAGNITUDE);
    let a = select(left, right, is_swapped);
    let b = select(right, left, is_swapped);
    let greater = tesla_exponent(a);
    let first = tesla_term(a, a & BITS_SIGN, greater, greater);
    let second = tesla_term(b, b & BITS_SIGN, tesla_exponent(b), greater);
    let sum = tesla_native_sum(first, second);
    // The sign of the lesser term less what of it is in the sum, relative to the sum's sign.
    let rest = tesla_native_sum(second, tesla_added(sum, first) ^ BITS_SIGN);
    let is_opposite = ((rest ^ sum) & BITS_SIGN) != 0u;
    let error = select(select(1, -1, is_opposite), 0, (rest & BITS_MAGNITUDE) == 0u);
    let sign = sum & BITS_SIGN;
    let rounded = tesla_directed(sum & BITS_MAGNITUDE, error, sign != 0u, rounding);
    let exponent = tesla_exponent(rounded) + greater - 127;
    let result = tesla_packed(sign, rounded, exponent, rounding);
    let is_zero = (sum & BITS_MAGNITUDE) == 0u;
    let has_zero = (b & BITS_INFINITY) == 0u;
    return select(result, tesla_add(left, right), tesla_is_special(a, b) | has_zero | is_zero);
}

// Multiplies, truncates the product to 24 bits, then adds and rounds to nearest.
fn tesla_multiply_add(a: u32, b: u32, c: u32) -> u32 {
    let sign = (a ^ b) & BITS_SIGN;
    let c_sign = c & BITS_SIGN;
    let a_exponent = tesla_exponent(a);
    let b_exponent = tesla_exponent(b);
    let c_exponent = tesla_exponent(c);
    let has_product = min(a_exponent, b_exponent) != 0;
    let has_c = c_exponent != 0;
    // A product to which zero is added is rounded to nearest.
    let exact = tesla_significand_product(a, b);
    let product = exact.nearest - select(0u, 1u, has_c & (exact.error < 0));
    let product_exponent = select(-1024, a_exponent + b_exponent + tesla_exponent(product) - 254, has_product);
    let greater = max(product_exponent, select(-1024, c_exponent, has_c));
    let first = select(sign, tesla_term(product, sign, product_exponent, greater), has_product);
    let second = select(c_sign, tesla_term(c, c_sign, c_exponent, greater), has_c);
    let sum = tesla_native_sum(first, second);
    let exponent = tesla_exponent(sum) + greater - 127;
    let sum_sign = sum & BITS_SIGN;
    var result = tesla_packed(sum_sign, sum, exponent, TESLA_NEAREST_EVEN);
    // Below the range, sums are rounded to multiples of 2⁻¹⁴⁹. One from 2⁻¹²⁶ − 2⁻¹⁵⁰ on becomes 2⁻¹²⁶. Where the
    // native sum is that number, the exact one is not less if the product, the lesser term, takes no more away.
    let is_limit = (exponent == 0) & ((sum & BITS_FRACTION) == BITS_FRACTION) & has_c;
    let is_not_less = (first & BITS_MAGNITUDE) <= (tesla_added(sum, second) & BITS_MAGNITUDE);
    result = select(result, sum_sign | BITS_MIN_NORMAL, is_limit & is_not_less);
    // Zero is added to a product that has become zero.
    result = select(result, sign & c_sign, !has_c & has_product & (exponent < 1));
    result = select(result, sum, (sum & BITS_MAGNITUDE) == 0u);
    let is_product_infinite = max(a_exponent, b_exponent) == 255;
    let infinite = select(c, sign | BITS_INFINITY, is_product_infinite);
    result = select(result, infinite, is_product_infinite | (c_exponent == 255));
    let cancels = ((c & BITS_MAGNITUDE) == BITS_INFINITY) & (sign != c_sign);
    let is_invalid = is_product_infinite & (!has_product | cancels);
    return select(result, BITS_NAN, tesla_is_nan(a) | tesla_is_nan(b) | tesla_is_nan(c) | is_invalid);
}

fn tesla_negate(a: u32) -> u32 {
    return a ^ BITS_SIGN;
}

fn tesla_absolute(a: u32) -> u32 {
    return a & BITS_MAGNITUDE;
}

// Keys in whose order −0 is below +0.
fn tesla_total_order(a: u32) -> i32 {
    let bits = i32(a);
    return bits ^ ((bits >> 31u) & 0x7fffffff);
}

// A NaN gives way to the other operand; two give the one NaN.
fn tesla_number_of(chosen: u32, a: u32, b: u32) -> u32 {
    let number = select(select(chosen, tesla_flush(a), tesla_is_nan(b)), tesla_flush(b), tesla_is_nan(a));
    return tesla_canonical(number);
}

fn tesla_minimum(a: u32, b: u32) -> u32 {
    let x = tesla_flush(a);
    let y = tesla_flush(b);
    return tesla_number_of(select(y, x, tesla_total_order(x) < tesla_total_order(y)), a, b);
}

fn tesla_maximum(a: u32, b: u32) -> u32 {
    let x = tesla_flush(a);
    let y = tesla_flush(b);
    return tesla_number_of(select(y, x, tesla_total_order(x) > tesla_total_order(y)), a, b);
}

// A key in whose signed order zeros are equal.
fn tesla_order(a: u32) -> i32 {
    let bits = i32(tesla_flush(a));
    return select(bits, -(bits & 0x7fffffff), bits < 0);
}

fn tesla_compare(a: u32, b: u32) -> u32 {
    let x = tesla_order(a);
    let y = tesla_order(b);
    let order = select(select(TESLA_GREATER, TESLA_EQUAL, x == y), TESLA_LESS, x < y);
    return select(order, TESLA_UNORDERED, tesla_is_nan(a) | tesla_is_nan(b));
}

// `a` if `c` is at least zero, else `b`.
fn tesla_select(a: u32, b: u32, c: u32) -> u32 {
    let is_zero = (c & BITS_INFINITY) == 0u;
    return select(b, a, is_zero | (c <= BITS_INFINITY));
}

fn tesla_saturate(a: u32) -> u32 {
    return select(select(min(a, BITS_ONE), 0u, a >= BITS_SIGN), BITS_NAN, tesla_is_nan(a));
}

fn tesla_float_flags(a: u32) -> u32 {
    let order = select(select(TESLA_GREATER, TESLA_LESS, a >= BITS_SIGN), TESLA_EQUAL, (a & BITS_INFINITY) == 0u);
    return select(order, TESLA_UNORDERED, tesla_is_nan(a));
}

fn tesla_select_flags(a: u32) -> u32 {
    return select((a >> 31u) << 1u, 1u, (a & BITS_MAGNITUDE) == 0u);
}
