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
import package::raster::parameters::{raster, CENTER_INTEGER, ORIGIN_INVERTED, TWO_SIDED};
import package::setup::primitive_setup::{linear_floats_at, KIND_MASK, KIND_POINT, KIND_TRIANGLE, RECORD_CLIPPED};
import package::vertex::outputs::vertex_output;

// The parts of corners 1 and 2 in the whole weight: at the corner of the quad's first pixel, then how they change.
var<private> plane_share1: vec4u;
var<private> plane_share2: vec4u;

fn plane_share(function: vec4i) -> vec4u {
    let x = i32(quad_word & 0xffffu);
    let y = i32(quad_word >> 16u);
    let weight = linear_floats_at(function, x, y, vec4i(-8), vec4i(-8)).x;
    let slopes = bitcast<vec2u>(vec2f(16 * function.xy));
    return fp_mul(vec4u(weight, slopes, 0u), setup_perspective.wwww);
}

// Begins the equations of the current quad.
fn enter_planes() {
    let kind = quad_header.x & KIND_MASK;
    plane_share1 = plane_share(select(setup_weights[1], vec4i(0), kind == KIND_POINT));
    plane_share2 = plane_share(select(vec4i(0), setup_weights[2], kind == KIND_TRIANGLE));
}

// The plane through a value at corner 0 and the differences of corners 1 and 2.
fn plane_between(a0: u32, difference1: u32, difference2: u32) -> vec4u {
    let part1 = fp_mul(plane_share1, vec4u(difference1));
    let part2 = fp_mul(plane_share2, vec4u(difference2));
    let slopes = fp_add(part1, part2);
    let origin = fp_add(fp_add(vec4u(a0), part1), part2);
    return vec4u(origin.x, slopes.yz, 0u);
}

fn plane_through(corners: vec4u) -> vec4u {
    let differences = fp_difference(corners, corners.xxxx);
    return plane_between(corners.x, differences.y, differences.z);
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

fn linear_plane(slot: u32, component: u32, is_clamped: bool) -> vec4u {
    return plane_through(output_corners(slot, component, is_clamped));
}

fn perspective_plane(slot: u32, component: u32, is_clamped: bool) -> vec4u {
    return plane_through(fp_mul(output_corners(slot, component, is_clamped), setup_perspective));
}

fn flat_output(slot: u32, component: u32, is_clamped: bool) -> u32 {
    let output = vertex_output(quad_header.w, slot)[component];
    return select(output, fp_saturate(vec4u(output)).x, is_clamped);
}

// The value of the provoking vertex, divided by w.
fn flat_perspective_plane(slot: u32, component: u32, is_clamped: bool) -> vec4u {
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
fn depth_plane() -> vec4u {
    return plane_between(setup_depth.x, setup_depth.y, setup_depth.z);
}

// 1/w.
fn reciprocal_plane() -> vec4u {
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

// The values at the centers of the four pixels.
fn plane_at_centers(plane: vec4u) -> vec4u {
    let upper = tesla_multiply_add(plane.z, 0x3f000000u, plane.x);
    let lower = tesla_multiply_add(plane.z, 0x3fc00000u, plane.x);
    return vec4u(
        tesla_multiply_add(plane.y, 0x3f000000u, upper),
        tesla_multiply_add(plane.y, 0x3fc00000u, upper),
        tesla_multiply_add(plane.y, 0x3f000000u, lower),
        tesla_multiply_add(plane.y, 0x3fc00000u, lower),
    );
}
