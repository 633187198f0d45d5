// Bounds the depth of the current primitive on a rectangle of pixels, to test many pixels at once.
//
// Only for primitives on the fast path (`fast_path_range.wgsl`). Floats here are not exact: a margin of 2⁻¹⁹ of
// the largest terms is many times the sum of their rounding errors and those of the exact depth.

import package::interp::interpolate::{setup_depth, setup_perspective, setup_weights};

// The function at the centers of the four corners of a rectangle, `first` to `last`.
fn at_corners(function: vec4i, first: vec2u, last: vec2u) -> vec4f {
    let x = i32(first.x);
    let y = i32(first.y);
    let start = function.z * 65536 + function.w + 16 * (function.x * x + function.y * y);
    let right = 16 * function.x * (i32(last.x) - x);
    let down = 16 * function.y * (i32(last.y) - y);
    return vec4f(vec4i(start) + vec4i(0, right, down, right + down));
}

// A depth of `bits` bits that is a lower bound of all pixels' depths, or an upper bound where `is_greatest`.
fn depth_bound(first: vec2u, last: vec2u, bits: u32, is_greatest: bool) -> u32 {
    let per_area = bitcast<f32>(setup_perspective.w);
    let corners = bitcast<vec4f>(setup_depth);
    let along1 = at_corners(setup_weights[1], first, last) * (per_area * corners.y);
    let along2 = at_corners(setup_weights[2], first, last) * (per_area * corners.z);
    let terms = max(abs(along1), abs(along2));
    let largest = max(max(terms.x, terms.y), max(terms.z, terms.w)) + abs(corners.x) + abs(corners.w);
    let depths = along1 + along2;
    let least = min(min(depths.x, depths.y), min(depths.z, depths.w));
    let greatest = max(max(depths.x, depths.y), max(depths.z, depths.w));
    let margin = largest * 0x1.0p-19;
    let bound = corners.x + corners.w + select(least - margin, greatest + margin, is_greatest);
    // Adds sixteen units, as the product is rounded too.
    let units = i32(clamp(bound, 0.0, 1.0) * f32((1u << bits) - 1u));
    return u32(max(units + select(-16, 16, is_greatest), 0));
}
