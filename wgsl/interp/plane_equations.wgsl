// Sets up the plane equations of a quad for programs that evaluate them; the twin of
// `src/reference/interp/plane_equations.rs`.
//
// An equation is the value at the corner of the quad's upper left pixel, and the changes to the next column and row.

import package::arith::convert::fp_int_to_float;
import package::arith::fragment::{fp_add, fp_mul, fp_saturate, fp_sub};
import package::arith::tesla_float::tesla_multiply_add;
import package::interp::interpolate::{quad_header, quad_span, quad_vertices, quad_word, setup_depth, setup_perspective};
import package::interp::interpolate::{quad_is_front, setup_shares, setup_weights};
import package::interp::quad_weights::fp_difference;
import package::software::thread_fast::{check_finite, check_of_primitive, check_wide};
import package::software::thread_fast::{fast_add, fast_multiply, fast_plane_multiply};
import package::raster::parameters::{raster, CENTER_INTEGER, ORIGIN_INVERTED, TWO_SIDED};
import package::setup::primitive_setup::{linear_floats_at, KIND_MASK, KIND_POINT, KIND_TRIANGLE, RECORD_CLIPPED};
import package::vertex::outputs::vertex_output;

// What the equations of a primitive share: how the parts of corners 1 and 2 in the whole weight change to the next column and
// row.
var<private> share_slopes1: vec2u;
var<private> share_slopes2: vec2u;
// These parts at the corner of the quad's first pixel.
var<private> quad_shares: vec2u;

// A value of a primitive: that at corner 0, the differences of corners 1 and 2, and the changes to the next column and row.
struct PlaneSetup {
    corner: u32,
    differences: vec2u,
    slopes: vec2u,
}

fn share_slopes(function: vec4i) -> vec2u {
    let slopes = bitcast<vec2u>(vec2f(16 * function.xy));
    return fp_mul(vec4u(slopes, 0u, 0u), setup_perspective.wwww).xy;
}

// The functions of corners 1 and 2: points have none, lines one.
fn plane_functions() -> array<vec4i, 2> {
    let kind = quad_header.x & KIND_MASK;
    return array<vec4i, 2>(
        select(setup_weights[1], vec4i(0), kind == KIND_POINT),
        select(vec4i(0), setup_weights[2], kind == KIND_TRIANGLE),
    );
}

// Begins the equations of the current primitive.
fn enter_primitive_planes() {
    let functions = plane_functions();
    share_slopes1 = share_slopes(functions[0]);
    share_slopes2 = share_slopes(functions[1]);
}

// The weight of a corner at the corner of the current quad's first pixel.
fn weight_at_quad(function: vec4i) -> u32 {
    let x = i32(quad_word & 0xffffu);
    let y = i32(quad_word >> 16u);
    if IS_FAST_PATH {
        // It fits 32 bits.
        let first = function.z * 65536 + function.w + 16 * (function.x * x + function.y * y);
        return bitcast<u32>(f32(first - 8 * (function.x + function.y)));
    }
    return linear_floats_at(function, x, y, vec4i(-8), vec4i(-8)).x;
}

// Begins the equations of the current quad.
fn enter_quad_planes() {
    let functions = plane_functions();
    let weights = vec4u(weight_at_quad(functions[0]), weight_at_quad(functions[1]), 0u, 0u);
    quad_shares = fp_mul(weights, setup_perspective.wwww).xy;
    if IS_FAST_PATH {
        check_wide(quad_shares.x);
        check_wide(quad_shares.y);
    }
}

// The plane through a value at corner 0 and the differences of corners 1 and 2.
fn plane_between(corner: u32, difference1: u32, difference2: u32) -> PlaneSetup {
    let part1 = fp_mul(vec4u(share_slopes1, 0u, 0u), vec4u(difference1));
    let part2 = fp_mul(vec4u(share_slopes2, 0u, 0u), vec4u(difference2));
    return PlaneSetup(corner, vec2u(difference1, difference2), fp_add(part1, part2).xy);
}

fn plane_through(corners: vec4u) -> PlaneSetup {
    let differences = fp_difference(corners, corners.xxxx);
    return plane_between(corners.x, differences.y, differences.z);
}

// The equation of the current quad.
fn plane_at_quad(setup: PlaneSetup) -> vec4u {
    if IS_FAST_PATH {
        let part1 = fast_plane_multiply(quad_shares.x, setup.differences.x);
        let part2 = fast_plane_multiply(quad_shares.y, setup.differences.y);
        return vec4u(fast_add(fast_add(setup.corner, part1), part2), setup.slopes, 0u);
    }
    let parts = fp_mul(vec4u(quad_shares, 0u, 0u), vec4u(setup.differences, 0u, 0u));
    let origin = fp_add(fp_add(vec4u(setup.corner), parts.xxxx), parts.yyyy).x;
    return vec4u(origin, setup.slopes, 0u);
}

// A component of an output slot at the three corners, which are the vertices unless the primitive is clipped.
fn output_corners(slot: u32, component: u32, is_clamped: bool) -> vec4u {
    let a0 = vertex_output(quad_vertices.x, slot)[component];
    let a1 = vertex_output(quad_vertices.y, slot)[component];
    let a2 = vertex_output(quad_vertices.z, slot)[component];
    let outputs = vec4u(a0, a1, a2, 0u);
    let vertices = select(outputs, fp_saturate(outputs), is_clamped);
    let differences = fp_difference(vertices, vertices.xxxx);
    let part1 = fp_mul(setup_shares[0], differences.yyyy);
    let part2 = fp_mul(setup_shares[1], differences.zzzz);
    let clipped = fp_add(fp_add(vertices.xxxx, part1), part2);
    return select(vertices, clipped, (quad_header.x & RECORD_CLIPPED) != 0u);
}

// The slot or component of an output of front faces, or that of back faces where colors have two sides.
fn shown_output(front: u32, back: u32) -> u32 {
    return select(front, back, (raster.flags & TWO_SIDED) != 0u && !quad_is_front());
}

fn linear_plane(slot: u32, component: u32, is_clamped: bool) -> PlaneSetup {
    return plane_through(output_corners(slot, component, is_clamped));
}

fn perspective_plane(slot: u32, component: u32, is_clamped: bool) -> PlaneSetup {
    return plane_through(fp_mul(output_corners(slot, component, is_clamped), setup_perspective));
}

fn flat_output(slot: u32, component: u32, is_clamped: bool) -> u32 {
    let output = vertex_output(quad_header.w, slot)[component];
    return select(output, fp_saturate(vec4u(output)).x, is_clamped);
}

// The value of the provoking vertex, divided by w.
fn flat_perspective_plane(slot: u32, component: u32, is_clamped: bool) -> PlaneSetup {
    return plane_through(fp_mul(vec4u(flat_output(slot, component, is_clamped)), setup_perspective));
}

fn position_center() -> f32 {
    return select(0.0, 0.5, (raster.fog.z & CENTER_INTEGER) != 0u);
}

fn column_plane() -> vec4u {
    let origin = f32(quad_word & 0xffffu) - position_center();
    return vec4u(bitcast<u32>(origin), 0x3f800000u, 0u, 0u);
}

fn row_plane() -> vec4u {
    let is_inverted = (raster.fog.z & ORIGIN_INVERTED) != 0u;
    let row = i32(quad_word >> 16u);
    let start = f32(select(row, i32(raster.fog.w) - row, is_inverted));
    return vec4u(bitcast<u32>(start - position_center()), 0u, select(0x3f800000u, 0xbf800000u, is_inverted), 0u);
}

// Depth before the offset of polygons.
fn depth_plane() -> PlaneSetup {
    return plane_between(setup_depth.x, setup_depth.y, setup_depth.z);
}

// 1/w.
fn reciprocal_plane() -> PlaneSetup {
    return plane_through(setup_perspective);
}

// The equation of an interpolant, or on points that of what replaces it.
fn plane_or_sprite(plane: vec4u, sprite: vec4u) -> vec4u {
    return select(plane, sprite, (quad_header.x & KIND_MASK) == KIND_POINT);
}

// The part of a point before the quad's first pixel, and what a pixel adds.
fn sprite_part(pixel: u32, first: u32) -> vec4u {
    let subpixels = i32(pixel << 4u) - bitcast<i32>(first);
    return fp_mul(vec4u(fp_int_to_float(vec4i(subpixels)).x, 0x41800000u, 0u, 0u), quad_span.zzzz);
}

fn sprite_s() -> vec4u {
    return vec4u(sprite_part(quad_word & 0xffffu, quad_span.x).xy, 0u, 0u);
}

fn sprite_t() -> vec4u {
    let part = sprite_part(quad_word >> 16u, quad_span.y);
    return vec4u(part.x, 0u, part.y, 0u);
}

// Rows count from below.
fn sprite_t_upward() -> vec4u {
    let part = sprite_part(quad_word >> 16u, quad_span.y);
    return vec4u(fp_sub(vec4u(0x3f800000u), part).x, 0u, part.y ^ 0x80000000u, 0u);
}

// An equation divided by the w of a point.
fn sprite_by_w(sprite: vec4u) -> vec4u {
    return fp_mul(sprite, setup_perspective.xxxx);
}

// Checks for the fast path what a setup has of a primitive.
fn check_plane_setup(setup: PlaneSetup) {
    check_of_primitive(setup.corner);
    check_of_primitive(setup.differences.x);
    check_of_primitive(setup.differences.y);
    check_of_primitive(setup.slopes.x);
    check_of_primitive(setup.slopes.y);
}

// One and a half times a slope for the fast path: truncated to 24 bits, and rounded to nearest. The difference of the rounded
// product from the greater term is exact.
fn one_and_a_half(slope: u32) -> vec2u {
    let half_slope = fast_multiply(slope, 0x3f000000u);
    let nearest = fast_add(slope, half_slope);
    let rest = fast_add(half_slope, fast_add(nearest, slope ^ 0x80000000u) ^ 0x80000000u);
    let is_less = (((rest ^ nearest) >> 31u) != 0u) & ((rest << 1u) != 0u);
    check_finite(nearest);
    return vec2u(nearest - select(0u, 1u, is_less), nearest);
}

// The product is truncated if anything but zero is added.
fn plus_one_and_a_half(product: vec2u, c: u32) -> u32 {
    return fast_add(select(product.x, product.y, (c << 1u) == 0u), c);
}

// The values at the centers of the four pixels; on the fast path, those of a plane with checked values.
fn plane_at_centers(plane: vec4u) -> vec4u {
    if IS_FAST_PATH {
        let half_column = fast_multiply(plane.y, 0x3f000000u);
        let next_column = one_and_a_half(plane.y);
        let upper = fast_add(fast_multiply(plane.z, 0x3f000000u), plane.x);
        let lower = plus_one_and_a_half(one_and_a_half(plane.z), plane.x);
        return vec4u(
            fast_add(half_column, upper),
            plus_one_and_a_half(next_column, upper),
            fast_add(half_column, lower),
            plus_one_and_a_half(next_column, lower),
        );
    }
    return exact_plane_at_centers(plane);
}

fn exact_plane_at_centers(plane: vec4u) -> vec4u {
    let centers = vec2u(0x3f000000u, 0x3fc00000u);
    return plane_at_places(plane, centers, centers);
}

// The values at columns and rows of the four pixels.
fn plane_at_places(plane: vec4u, columns: vec2u, rows: vec2u) -> vec4u {
    let upper = tesla_multiply_add(plane.z, rows.x, plane.x);
    let lower = tesla_multiply_add(plane.z, rows.y, plane.x);
    return vec4u(
        tesla_multiply_add(plane.y, columns.x, upper),
        tesla_multiply_add(plane.y, columns.y, upper),
        tesla_multiply_add(plane.y, columns.x, lower),
        tesla_multiply_add(plane.y, columns.y, lower),
    );
}
