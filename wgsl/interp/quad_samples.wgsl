// Computes coverage and depth of the samples of a quad's pixels, and centroid weights; the twin of parts of
// `src/reference/interp/interpolate.rs`.

import package::interp::interpolate::{are_in_depth_range, bits_of, final_depth};
import package::interp::quad_weights::{QuadWeights, quad_functions_at, quad_weights, weighted_depth};
import package::setup::primitive_setup::{linear_floats_at, RECORD_CLIPPED};
import package::setup::load_setup::{stored_depth, stored_header, stored_perspective, stored_shares, stored_weight};
import package::setup::load_setup::stored_weights;

// One sample of each pixel.
struct QuadSample {
    // Bit i: pixel i's sample is covered and inside the depth range.
    coverage: u32,
    depth: vec4u,
}

// Weights at the positions that `load_centroid` found.
var<private> centroid_share: QuadWeights;

// Sample `number` of the pixels of a quad, at these offsets from their centers; the quad is as the rasterizer lists it.
fn quad_sample(quad: vec4u, number: u32, column: i32, row: i32) -> QuadSample {
    let x = i32(quad.y & 0xffffu);
    let y = i32(quad.y >> 16u);
    let e1 = linear_floats_at(stored_weight(quad.x, 1u), x, y, vec4i(column), vec4i(row));
    let e2 = linear_floats_at(stored_weight(quad.x, 2u), x, y, vec4i(column), vec4i(row));
    let corners = stored_depth(quad.x);
    let depth = weighted_depth(e1, e2, stored_perspective(quad.x), corners);
    let coverage = (quad.z >> (4u * number)) & bits_of(are_in_depth_range(depth));
    return QuadSample(coverage, final_depth(depth, corners.w));
}

// Finds a covered position in each pixel: the center if the pixel is covered wholly or not at all, else the first
// covered sample. `columns` and `rows` are the offsets of the samples, the first `count` of four.
fn load_centroid(quad: vec4u, count: u32, columns: vec4i, rows: vec4i) {
    let pixels = vec4u(quad.z) >> vec4u(0u, 1u, 2u, 3u);
    let first = (pixels & vec4u(0x1u)) != vec4u(0u);
    let second = (pixels & vec4u(0x10u)) != vec4u(0u);
    let third = (pixels & vec4u(0x100u)) != vec4u(0u);
    let fourth = (pixels & vec4u(0x1000u)) != vec4u(0u);
    var column = select(vec4i(0), columns.wwww, fourth);
    var row = select(vec4i(0), rows.wwww, fourth);
    column = select(select(select(column, columns.zzzz, third), columns.yyyy, second), columns.xxxx, first);
    row = select(select(select(row, rows.zzzz, third), rows.yyyy, second), rows.xxxx, first);
    let is_whole = first & second & ((third & fourth) | vec4<bool>(count == 2u));
    load_weights_at(quad, select(column, vec4i(0), is_whole), select(row, vec4i(0), is_whole));
}

// Takes the weights at these offsets from the pixels' centers.
fn load_weights_at(quad: vec4u, column: vec4i, row: vec4i) {
    let x = i32(quad.y & 0xffffu);
    let y = i32(quad.y >> 16u);
    let functions = quad_functions_at(stored_weights(quad.x), x, y, column, row);
    let is_clipped = (stored_header(quad.x).x & RECORD_CLIPPED) != 0u;
    centroid_share = quad_weights(is_clipped, functions, stored_perspective(quad.x), stored_shares(quad.x));
}
