// Computes the share of each pixel that a smooth polygon covers, and its fading edges; the twin of
// `polygon_coverage.rs`.

import package::arith::convert::{fp_float_to_fixed, fp_int_to_float};
import package::arith::fragment::{fp_add, fp_mul, fp_rsq, fp_saturate};
import package::setup::primitive_setup::{PrimitiveSetup, linear_floats, wide_add, wide_float, wide_from, wide_product};

// The distance over which edges fade beyond the polygon, in subpixels.
const POLYGON_FADE: i32 = 8;
// The first of three flags of triangles: edge i is an edge of the polygon.
const OUTLINE_SHIFT: u32 = 4u;

// Moves outline edges half a pixel outward and stores 1 / (length × 16) of each in the span.
fn soften_edges(setup: ptr<function, PrimitiveSetup>, flags: u32) {
    for (var edge = 0u; edge < 3u; edge += 1u) {
        let function = (*setup).edges[edge];
        if ((flags >> (OUTLINE_SHIFT + edge)) & 1u) == 0u || all(function.xy == vec2i(0)) {
            continue;
        }
        let square = wide_add(wide_product(function.x, function.x), wide_product(function.y, function.y));
        let squared = wide_float(vec4i(square.x), vec4i(square.y));
        let per_length = fp_rsq(squared);
        let length = fp_mul(squared, per_length);
        let reach = fp_float_to_fixed(fp_mul(fp_int_to_float(vec4i(POLYGON_FADE)), length), 0u).x;
        let is_top_left = function.x > 0 || (function.x == 0 && function.y >= 0);
        let raise = wide_from(reach + select(1, 0, is_top_left));
        (*setup).edges[edge] = vec4i(function.xy, wide_add(function.zw, raise));
        (*setup).span[edge] = fp_mul(per_length, vec4u(0x3d800000u)).x;
    }
}

// The coverage of the pixels of a quad, 0..1.
fn polygon_coverage(edges: array<vec4i, 4>, span: vec4u, x: i32, y: i32) -> vec4u {
    let functions = edges;
    var coverage = vec4u(0x3f800000u);
    for (var edge = 0u; edge < 3u; edge += 1u) {
        if span[edge] != 0u {
            let kept = fp_saturate(fp_mul(linear_floats(functions[edge], x, y), vec4u(span[edge])));
            coverage = fp_add(coverage, fp_add(kept, vec4u(0xbf800000u)));
        }
    }
    return fp_saturate(coverage);
}
