// Shares of a primitive's vertices at the four pixels of a quad; twin of `Weights` in Rust.

import package::numeric_fragment::{fp_add, fp_rcp, fp_clean, fp_canonical, clean_add, clean_mul};
import package::set_up_record::linear_floats_at;
import package::quad::QuadVector;

// The shares hold no denormals, and a NaN of any bits.
struct QuadWeights {
    share1: vec4u,
    share2: vec4u,
    reciprocal_w: vec4u,
    depth: vec4u,
}

fn fp_difference(a: vec4u, b: vec4u) -> vec4u {
    return fp_add(a, b ^ vec4u(0x80000000u));
}

// `shares` are only read of a clipped primitive.
fn quad_weights(
    is_clipped: bool,
    functions: array<vec4i, 3>,
    perspective: vec4u,
    depth: vec4u,
    shares: array<vec4u, 2>,
    x: i32,
    y: i32,
) -> QuadWeights {
    return quad_weights_at(is_clipped, functions, perspective, depth, shares, x, y, vec4i(0), vec4i(0));
}

// The same at offsets from the centres, in subpixels.
fn quad_weights_at(
    is_clipped: bool,
    functions: array<vec4i, 3>,
    perspective: vec4u,
    depth: vec4u,
    shares: array<vec4u, 2>,
    x: i32,
    y: i32,
    columns: vec4i,
    rows: vec4i,
) -> QuadWeights {
    let e0 = linear_floats_at(functions[0], x, y, columns, rows);
    let e1 = linear_floats_at(functions[1], x, y, columns, rows);
    let e2 = linear_floats_at(functions[2], x, y, columns, rows);
    let reciprocals = fp_clean(perspective);
    let p0 = clean_mul(e0, reciprocals.xxxx);
    let p1 = clean_mul(e1, reciprocals.yyyy);
    let p2 = clean_mul(e2, reciprocals.zzzz);
    let sum = clean_add(clean_add(p0, p1), p2);
    var share1 = p1;
    var share2 = p2;
    if is_clipped {
        let s1 = fp_clean(shares[0]);
        let s2 = fp_clean(shares[1]);
        share1 = clean_add(clean_add(clean_mul(p0, s1.xxxx), clean_mul(p1, s1.yyyy)), clean_mul(p2, s1.zzzz));
        share2 = clean_add(clean_add(clean_mul(p0, s2.xxxx), clean_mul(p1, s2.yyyy)), clean_mul(p2, s2.zzzz));
    }
    let per_sum = fp_rcp(sum);
    var weights: QuadWeights;
    weights.share1 = clean_mul(share1, per_sum);
    weights.share2 = clean_mul(share2, per_sum);
    weights.reciprocal_w = fp_canonical(clean_mul(sum, reciprocals.wwww));
    weights.depth = weighted_depth(e1, e2, perspective, depth);
    return weights;
}

fn weighted_depth(e1: vec4u, e2: vec4u, perspective: vec4u, depth: vec4u) -> vec4u {
    let reciprocal = fp_clean(perspective.wwww);
    let corners = fp_clean(depth);
    let along1 = clean_mul(clean_mul(e1, reciprocal), corners.yyyy);
    let along2 = clean_mul(clean_mul(e2, reciprocal), corners.zzzz);
    return fp_canonical(clean_add(clean_add(corners.xxxx, along1), along2));
}

// One component of an attribute, from its value at vertex 0 and the differences of vertices 1 and 2, without denormals.
fn interpolate_component(weights: QuadWeights, a0: u32, d1: u32, d2: u32) -> vec4u {
    let first = clean_add(vec4u(a0), clean_mul(weights.share1, vec4u(d1)));
    return fp_canonical(clean_add(first, clean_mul(weights.share2, vec4u(d2))));
}

fn interpolate_differences(weights: QuadWeights, a0: vec4u, d1: vec4u, d2: vec4u) -> QuadVector {
    let first = fp_clean(a0);
    var value: QuadVector;
    value.x = interpolate_component(weights, first.x, d1.x, d2.x);
    value.y = interpolate_component(weights, first.y, d1.y, d2.y);
    value.z = interpolate_component(weights, first.z, d1.z, d2.z);
    value.w = interpolate_component(weights, first.w, d1.w, d2.w);
    return value;
}
