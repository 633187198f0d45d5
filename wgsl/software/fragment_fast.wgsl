// Fragment arithmetic of the fast path: the twins of `fp_add_ftz`, `fp_mul_ftz` and the functions made of them, each a single
// float operation.
//
// Operands and results are "wide": multiples of 2⁻¹²⁶, infinities or NaN. A sum of wide values is wide: below 2⁻¹⁰² it is exact,
// and above, it is rounded to a multiple of 2⁻¹²⁵ or more. No sum is a denormal. A product is wide if it is zero or at least
// 2⁻¹⁰³, or if its factors are multiples of 2⁻ⁿ and 2ⁿ⁻¹²⁶. The kernel checks all other products and all values from outside: if
// one is too small, `no_value_underflowed` returns false at the end, and the exact path computes the quad again. An analysis of
// the program finds the products that need no check (`crates/isa/src/shader/analysis/underflow.rs`).
//
// Each result passes through `opaque4`, so that no compiler sees two adjacent float operations. Operands that a compiler
// could know pass through `fp_checked` first: a compiler may replace a sum with 0 by the other term, which is wrong for −0.

import package::arith::bits::BITS_SIGN;
import package::arith::convert::fp_half_bits_to;
import package::arith::optimization_barrier::{opaque_zero, float_zero, opaque4};

// The least magnitude of checked values, doubled, less one: so zero counts as the greatest.
var<private> least_product: vec4u;
// The least magnitude of products that are factors of further products.
var<private> least_narrow_product: vec4u;

// 2⁻¹⁰³ and 2⁻⁴⁰ in the same form.
const MIN_WIDE: u32 = 0x17ffffffu;
const MIN_NARROW: u32 = 0x56ffffffu;

// All ones. llvmpipe would rather make the constant anew for each use than keep it.
var<private> minus_one: u32;

fn begin_values() {
    minus_one = ~opaque_zero;
    least_product = vec4u(0xffffffffu);
    least_narrow_product = vec4u(0xffffffffu);
}

fn check_underflow(value: vec4u) {
    least_product = min(least_product, (value << vec4u(1u)) + vec4u(minus_one));
}

fn no_value_underflowed() -> bool {
    return all(least_product >= vec4u(MIN_WIDE)) && all(least_narrow_product >= vec4u(MIN_NARROW));
}

// Checks an external value.
fn fp_checked(value: vec4u) -> vec4u {
    check_underflow(value);
    return opaque_bits(value);
}

// The same bits, hidden from the compiler.
fn opaque_bits(value: vec4u) -> vec4u {
    return value | vec4u(float_zero);
}

fn fp_half_bits_to_opaque(half: vec4u) -> vec4u {
    return opaque_bits(fp_half_bits_to(half));
}

fn fp_add_unchecked(a: vec4u, b: vec4u) -> vec4u {
    return bitcast<vec4u>(opaque4(bitcast<vec4f>(a) + bitcast<vec4f>(b)));
}

fn fp_sub_unchecked(a: vec4u, b: vec4u) -> vec4u {
    return fp_add_unchecked(a, b ^ vec4u(BITS_SIGN));
}

// A product that the analysis has shown to be wide.
fn fp_mul_unchecked(a: vec4u, b: vec4u) -> vec4u {
    return bitcast<vec4u>(opaque4(bitcast<vec4f>(a) * bitcast<vec4f>(b)));
}

fn fp_mul_checked(a: vec4u, b: vec4u) -> vec4u {
    let product = fp_mul_unchecked(a, b);
    check_underflow(product);
    return product;
}

// A product that must be zero or at least 2⁻⁴⁰.
fn fp_mul_checked_narrow(a: vec4u, b: vec4u) -> vec4u {
    let product = fp_mul_unchecked(a, b);
    least_narrow_product = min(least_narrow_product, (product << vec4u(1u)) + vec4u(minus_one));
    return product;
}

fn fp_flr_unchecked(a: vec4u) -> vec4u {
    return bitcast<vec4u>(opaque4(floor(bitcast<vec4f>(a))));
}

// A fraction is the number itself or a multiple of the number's last bit.
fn fp_frc_unchecked(a: vec4u) -> vec4u {
    return fp_sub_unchecked(a, fp_flr_unchecked(a));
}
