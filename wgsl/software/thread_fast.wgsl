// Float arithmetic of single threads on the fast path: the twins of `tesla_add`, `tesla_multiply` and `tesla_multiply_add`, from
// native operations.
//
// No product of values besides zero is below 2⁻¹²⁶, and terms of sums are multiples of 2⁻¹²⁶, so that no result is a denormal or
// zero in place of one. The recompiler knows which magnitudes values have (`src/recompiler/compute/fast_registers.rs`); the kernel
// checks those of values from outside, and of results where they are not enough: if one is too small, the exact path computes the
// quad again. What is infinite or NaN stays so in sums and products and is checked where anything else reads it, because NaN has
// other bits here.
//
// Planes are checked where they are set up. There, a product may be natively zero: it is zero in the exact path, too, for its exact
// value is below 2⁻¹²⁶.

import package::arith::bits::{BITS_FRACTION, BITS_MIN_NORMAL, BITS_SIGN};
import package::arith::optimization_barrier::{float_zero, opaque};
import package::arith::tesla_float::tesla_total_order;

// The least magnitude of a program's checked values, doubled, less one: so zero counts as the greatest.
var<private> least_value: u32;
// The same of planes.
var<private> least_float: u32;
// The greatest magnitude of values that must be finite, doubled.
var<private> greatest_float: u32;
// The least magnitude among what the quads of a primitive share, in the same form.
var<private> least_of_primitive: u32;

// 2⁻⁵¹ and 2⁻¹⁰⁰ in this form.
const MIN_THREAD_VALUE: u32 = 0x4bffffffu;
const MIN_PLANE_FLOAT: u32 = 0x1affffffu;
// Infinity, doubled.
const DOUBLED_INFINITY: u32 = 0xff000000u;

// The least magnitude among constants, in the same form.
var<private> least_of_constants: u32;

// Begins the checks of constants.
fn begin_constant_floats() {
    least_of_constants = 0xffffffffu;
}

fn check_constant(value: u32) {
    least_of_constants = min(least_of_constants, (value << 1u) - 1u);
}

// Begins the checks of a primitive.
fn begin_primitive_floats() {
    least_of_primitive = 0xffffffffu;
}

// Checks a value that the quads of a primitive share.
fn check_of_primitive(value: u32) {
    least_of_primitive = min(least_of_primitive, (value << 1u) - 1u);
}

// Begins the checks of a quad.
fn begin_floats() {
    least_value = least_of_constants;
    least_float = least_of_primitive;
    greatest_float = 0u;
}

fn floats_are_exact() -> bool {
    return least_value >= MIN_THREAD_VALUE && least_float >= MIN_PLANE_FLOAT && greatest_float < DOUBLED_INFINITY;
}

fn check_value(value: u32) {
    least_value = min(least_value, (value << 1u) - 1u);
}

fn check_wide(value: u32) {
    least_float = min(least_float, (value << 1u) - 1u);
}

fn check_finite(value: u32) {
    greatest_float = max(greatest_float, value << 1u);
}

// The same bits, hidden from the compiler.
fn hidden_bits(value: u32) -> u32 {
    return value | float_zero;
}

// A value from outside, checked, and hidden from the compiler: it may replace a sum with 0 by the other term, which is wrong for −0.
fn fast_operand(value: u32) -> u32 {
    check_value(value);
    return hidden_bits(value);
}

fn fast_add(a: u32, b: u32) -> u32 {
    return bitcast<u32>(opaque(bitcast<f32>(a) + bitcast<f32>(b)));
}

fn fast_multiply(a: u32, b: u32) -> u32 {
    return bitcast<u32>(opaque(bitcast<f32>(a) * bitcast<f32>(b)));
}

// A product of planes.
fn fast_plane_multiply(a: u32, b: u32) -> u32 {
    let product = fast_multiply(a, b);
    check_wide(product);
    return product;
}

// A product in which zero wins over infinity, NaN and the sign of the other factor: +0 turns −0 into +0. Zero times infinity is NaN
// here, and so left to the exact path.
fn fast_zero_multiply(a: u32, b: u32) -> u32 {
    return bitcast<u32>(opaque(bitcast<f32>(fast_multiply(a, b)) + bitcast<f32>(float_zero)));
}

fn fast_zero_multiply_add(a: u32, b: u32, c: u32) -> u32 {
    return fast_product_add(fast_zero_multiply(a, b), a, b, c);
}

fn fast_multiply_add(a: u32, b: u32, c: u32) -> u32 {
    return fast_product_add(fast_multiply(a, b), a, b, c);
}

// The product is truncated to 24 bits if anything but zero is added. Its last bit before that is bit 24 of the product of the
// significands; bit 23 where that is below 2, which it is where the exponents of product and factors have the parity of the bias.
// Rounding up has changed that bit.
fn fast_product_add(product: u32, a: u32, b: u32, c: u32) -> u32 {
    let exact = ((a & BITS_FRACTION) | BITS_MIN_NORMAL) * ((b & BITS_FRACTION) | BITS_MIN_NORMAL);
    let is_below_two = ((product ^ a ^ b) >> 23u) & 1u;
    let is_rounded_up = (product ^ ((exact << is_below_two) >> 24u)) & 1u;
    let magnitude = product << 1u;
    greatest_float = max(greatest_float, magnitude);
    // An infinite product fails the check before. Neither product nor term is zero if it is truncated. Where the product may be below
    // 2⁻¹²⁶ or no multiple of it, the sum is checked, and one that passes is that of the exact path.
    return fast_add(product - min(is_rounded_up, min(magnitude, c << 1u)), c);
}

fn fast_floor(a: u32) -> u32 {
    return bitcast<u32>(opaque(floor(bitcast<f32>(a))));
}

// The following take finite values. −0 is below +0.

fn fast_minimum(a: u32, b: u32) -> u32 {
    return select(b, a, tesla_total_order(a) < tesla_total_order(b));
}

fn fast_maximum(a: u32, b: u32) -> u32 {
    return select(b, a, tesla_total_order(a) > tesla_total_order(b));
}

fn fast_saturate(a: u32) -> u32 {
    return bitcast<u32>(clamp(bitcast<i32>(a), 0, 0x3f800000));
}
