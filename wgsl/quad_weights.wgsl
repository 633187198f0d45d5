// Shares of a primitive's vertices at the four pixels of a quad; twin of `Weights` in Rust.

import package::numeric_fragment::{fp_add, fp_mul, fp_rcp};
import package::set_up_record::linear_floats_at;
import package::quad::QuadVector;

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
    let p0 = fp_mul(e0, perspective.xxxx);
    let p1 = fp_mul(e1, perspective.yyyy);
    let p2 = fp_mul(e2, perspective.zzzz);
    let sum = fp_add(fp_add(p0, p1), p2);
    var share1 = p1;
    var share2 = p2;
    if is_clipped {
        let s1 = shares[0];
        let s2 = shares[1];
        share1 = fp_add(fp_add(fp_mul(p0, s1.xxxx), fp_mul(p1, s1.yyyy)), fp_mul(p2, s1.zzzz));
        share2 = fp_add(fp_add(fp_mul(p0, s2.xxxx), fp_mul(p1, s2.yyyy)), fp_mul(p2, s2.zzzz));
    }
    let per_sum = fp_rcp(sum);
    var weights: QuadWeights;
    weights.share1 = fp_mul(share1, per_sum);
    weights.share2 = fp_mul(share2, per_sum);
    weights.reciprocal_w = fp_mul(sum, perspective.wwww);
    weights.depth = weighted_depth(e1, e2, perspective, depth);
    return weights;
}

fn weighted_depth(e1: vec4u, e2: vec4u, perspective: vec4u, depth: vec4u) -> vec4u {
    let along1 = fp_mul(fp_mul(e1, perspective.wwww), depth.yyyy);
    let along2 = fp_mul(fp_mul(e2, perspective.wwww), depth.zzzz);
    return fp_add(fp_add(depth.xxxx, along1), along2);
}

// One component of an attribute, from its value at vertex 0 and the differences of vertices 1 and 2.
fn interpolate_component(weights: QuadWeights, a0: u32, d1: u32, d2: u32) -> vec4u {
    let first = fp_add(vec4u(a0), fp_mul(weights.share1, vec4u(d1)));
    return fp_add(first, fp_mul(weights.share2, vec4u(d2)));
}

fn interpolate_differences(weights: QuadWeights, a0: vec4u, d1: vec4u, d2: vec4u) -> QuadVector {
    var value: QuadVector;
    value.x = interpolate_component(weights, a0.x, d1.x, d2.x);
    value.y = interpolate_component(weights, a0.y, d1.y, d2.y);
    value.z = interpolate_component(weights, a0.z, d1.z, d2.z);
    value.w = interpolate_component(weights, a0.w, d1.w, d2.w);
    return value;
}
