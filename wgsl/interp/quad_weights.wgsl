// Computes the weights of a primitive's vertices at the four pixels of a quad; the twin of `Weights` in Rust.
//
// `IS_FAST_PATH` is a constant of the kernel. Where it is set, `fast_path_range.wgsl` has established that no step
// gives a denormal, an infinity or a NaN, and operations need not handle them.

import package::arith::fragment::{fp_add, fp_flush, fp_canonical, fp_saturate, fp_add_ftz, fp_mul_ftz};
import package::arith::special::special_rcp;
import package::arith::optimization_barrier::opaque4;
import package::setup::primitive_setup::{linear_floats_at, quad_steps};
import package::fragment::quad::QuadVector;

// The shares have no denormals; a NaN may have any bits.
struct QuadWeights {
    share1: vec4u,
    share2: vec4u,
    reciprocal_w: vec4u,
    // The whole that the shares are parts of.
    sum: vec4u,
}

fn weight_clean(a: vec4u) -> vec4u {
    if IS_FAST_PATH {
        return a;
    }
    return fp_flush(a);
}

fn weight_canonical(a: vec4u) -> vec4u {
    if IS_FAST_PATH {
        return a;
    }
    return fp_canonical(a);
}

fn weight_add(a: vec4u, b: vec4u) -> vec4u {
    if IS_FAST_PATH {
        return bitcast<vec4u>(opaque4(bitcast<vec4f>(a) + bitcast<vec4f>(b)));
    }
    return fp_add_ftz(a, b);
}

fn weight_mul(a: vec4u, b: vec4u) -> vec4u {
    if IS_FAST_PATH {
        return bitcast<vec4u>(opaque4(bitcast<vec4f>(a) * bitcast<vec4f>(b)));
    }
    return fp_mul_ftz(a, b);
}

// Clamped to 0..1.
fn weight_saturate(a: vec4u) -> vec4u {
    if IS_FAST_PATH {
        return vec4u(clamp(vec4i(a), vec4i(0), vec4i(0x3f800000)));
    }
    return fp_saturate(a);
}

// A linear function of 32 bits may wrap in intermediate sums; one conversion rounds the result.
fn weight_function(function: vec4i, x: i32, y: i32, columns: vec4i, rows: vec4i) -> vec4u {
    if IS_FAST_PATH {
        let first = function.z * 65536 + function.w + 16 * (function.x * x + function.y * y);
        return bitcast<vec4u>(vec4f(vec4i(first) + quad_steps(function)));
    }
    return linear_floats_at(function, x, y, columns, rows);
}

fn fp_difference(a: vec4u, b: vec4u) -> vec4u {
    return fp_add(a, b ^ vec4u(0x80000000u));
}

// The weight functions of a primitive at the four pixels, as floats.
fn quad_functions(functions: array<vec4i, 3>, x: i32, y: i32) -> array<vec4u, 3> {
    return quad_functions_at(functions, x, y, vec4i(0), vec4i(0));
}

// The same functions at offsets from the centers, in subpixels.
fn quad_functions_at(functions: array<vec4i, 3>, x: i32, y: i32, columns: vec4i, rows: vec4i) -> array<vec4u, 3> {
    return array<vec4u, 3>(
        weight_function(functions[0], x, y, columns, rows),
        weight_function(functions[1], x, y, columns, rows),
        weight_function(functions[2], x, y, columns, rows),
    );
}

// The same functions for primitives on the fast path, whose functions are integers that fit 32 bits.
fn fast_functions(functions: array<vec4i, 3>) -> array<vec4u, 3> {
    return array<vec4u, 3>(
        bitcast<vec4u>(vec4f(functions[0])),
        bitcast<vec4u>(vec4f(functions[1])),
        bitcast<vec4u>(vec4f(functions[2])),
    );
}

// `shares` is only read for clipped primitives.
fn quad_weights(
    is_clipped: bool,
    functions: array<vec4u, 3>,
    perspective: vec4u,
    shares: array<vec4u, 2>,
) -> QuadWeights {
    let reciprocals = weight_clean(perspective);
    let p0 = weight_mul(functions[0], reciprocals.xxxx);
    let p1 = weight_mul(functions[1], reciprocals.yyyy);
    let p2 = weight_mul(functions[2], reciprocals.zzzz);
    let sum = weight_add(weight_add(p0, p1), p2);
    var share1 = p1;
    var share2 = p2;
    if is_clipped && !IS_FAST_PATH {
        let s1 = weight_clean(shares[0]);
        let s2 = weight_clean(shares[1]);
        share1 = weight_add(weight_add(weight_mul(p0, s1.xxxx), weight_mul(p1, s1.yyyy)), weight_mul(p2, s1.zzzz));
        share2 = weight_add(weight_add(weight_mul(p0, s2.xxxx), weight_mul(p1, s2.yyyy)), weight_mul(p2, s2.zzzz));
    }
    let per_sum = special_rcp(sum);
    var weights: QuadWeights;
    weights.share1 = weight_mul(share1, per_sum);
    weights.share2 = weight_mul(share2, per_sum);
    weights.reciprocal_w = weight_canonical(weight_mul(sum, reciprocals.wwww));
    weights.sum = sum;
    return weights;
}

// Depth at the four pixels by the second and third function; depth is linear in the window.
fn weighted_depth(e1: vec4u, e2: vec4u, perspective: vec4u, depth: vec4u) -> vec4u {
    let reciprocal = weight_clean(perspective.wwww);
    let corners = weight_clean(depth);
    let along1 = weight_mul(weight_mul(e1, reciprocal), corners.yyyy);
    let along2 = weight_mul(weight_mul(e2, reciprocal), corners.zzzz);
    return weight_canonical(weight_add(weight_add(corners.xxxx, along1), along2));
}

// One component of an attribute, from its value at vertex 0 and the differences of vertices 1 and 2; without
// denormals.
fn interpolate_component(weights: QuadWeights, a0: u32, d1: u32, d2: u32) -> vec4u {
    let first = weight_add(vec4u(a0), weight_mul(weights.share1, vec4u(d1)));
    return weight_canonical(weight_add(first, weight_mul(weights.share2, vec4u(d2))));
}

fn interpolate_differences(weights: QuadWeights, a0: vec4u, d1: vec4u, d2: vec4u) -> QuadVector {
    let first = weight_clean(a0);
    var value: QuadVector;
    value.x = interpolate_component(weights, first.x, d1.x, d2.x);
    value.y = interpolate_component(weights, first.y, d1.y, d2.y);
    value.z = interpolate_component(weights, first.z, d1.z, d2.z);
    value.w = interpolate_component(weights, first.w, d1.w, d2.w);
    return value;
}
