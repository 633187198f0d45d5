// Sums and products of plain kernels by single float operations: the twins of `clean_add` and `clean_mul`, and of what is made of
// them.
//
// They take and give coarse values: multiples of 2⁻¹²⁶, infinities and NaN. A sum of coarse values is coarse: below 2⁻¹⁰² it is
// exact, above it is rounded to a multiple of 2⁻¹²⁵ or more. So no sum is a denormal. A product is coarse where it is zero or at
// least 2⁻¹⁰³, or where its factors are multiples of 2⁻ⁿ and 2ⁿ⁻¹²⁶. Other products and values from elsewhere are watched: where one
// is too small, `values_are_coarse` says so at the end, and what was computed from it is not to be used. The recompiler knows
// which need it (`src/shader/analysis/underflow.rs`).
//
// Each result passes `opaque4`, so that no compiler finds two float operations side by side. Operands that a compiler could
// know are passed through `coarse` first, as it may take a sum with 0 for the other term, which it is not for −0.

import package::arith::bits::BITS_SIGN;
import package::arith::convert::fp_half_bits_to;
import package::arith::optimization_barrier::{opaque_zero, opaque4};

// The least magnitude, doubled and less one, so that zero is the greatest.
var<private> least_value: vec4u;
// That of the products that further ones are made of.
var<private> least_narrow: vec4u;

// 2⁻¹⁰³ and 2⁻⁴⁰ likewise.
const LEAST_COARSE: u32 = 0x17ffffffu;
const LEAST_NARROW: u32 = 0x56ffffffu;

fn begin_values() {
    least_value = vec4u(0xffffffffu);
    least_narrow = vec4u(0xffffffffu);
}

fn watch(value: vec4u) {
    least_value = min(least_value, (value << vec4u(1u)) - vec4u(1u));
}

fn values_are_coarse() -> bool {
    return all(least_value >= vec4u(LEAST_COARSE)) && all(least_narrow >= vec4u(LEAST_NARROW));
}

// A value from elsewhere.
fn coarse(value: vec4u) -> vec4u {
    watch(value);
    return opaque_bits(value);
}

// The same bits, unknown to a compiler.
fn opaque_bits(value: vec4u) -> vec4u {
    return value ^ vec4u(opaque_zero);
}

fn plain_half_bits_to(half: vec4u) -> vec4u {
    return opaque_bits(fp_half_bits_to(half));
}

fn plain_add(a: vec4u, b: vec4u) -> vec4u {
    return bitcast<vec4u>(opaque4(bitcast<vec4f>(a) + bitcast<vec4f>(b)));
}

fn plain_sub(a: vec4u, b: vec4u) -> vec4u {
    return plain_add(a, b ^ vec4u(BITS_SIGN));
}

// A product that is coarse, whatever its factors.
fn sure_mul(a: vec4u, b: vec4u) -> vec4u {
    return bitcast<vec4u>(opaque4(bitcast<vec4f>(a) * bitcast<vec4f>(b)));
}

fn plain_mul(a: vec4u, b: vec4u) -> vec4u {
    let product = sure_mul(a, b);
    watch(product);
    return product;
}

// A product that is to be zero or at least 2⁻⁴⁰.
fn narrow_mul(a: vec4u, b: vec4u) -> vec4u {
    let product = sure_mul(a, b);
    least_narrow = min(least_narrow, (product << vec4u(1u)) - vec4u(1u));
    return product;
}

fn plain_flr(a: vec4u) -> vec4u {
    return bitcast<vec4u>(opaque4(floor(bitcast<vec4f>(a))));
}

// Fractions have the unit of their number, or are the number.
fn plain_frc(a: vec4u) -> vec4u {
    return plain_sub(a, plain_flr(a));
}
