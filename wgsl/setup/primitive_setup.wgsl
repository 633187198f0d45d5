// Describes a primitive's setup and evaluates its integer functions of the pixel; the twin of `PrimitiveSetup` in
// Rust.

import package::arith::optimization_barrier::opaque4;

struct PrimitiveSetup {
    header: vec4u,
    vertices: vec4u,
    // Linear functions: a, b, high, low.
    weights: array<vec4i, 3>,
    perspective: vec4u,
    depth: vec4u,
    shares: array<vec4u, 2>,
    span: vec4u,
    edges: array<vec4i, 4>,
}

const KIND_POINT: u32 = 0u;
const KIND_LINE: u32 = 1u;
const KIND_TRIANGLE: u32 = 2u;
const KIND_MASK: u32 = 3u;
const RECORD_VALID: u32 = 4u;
const RECORD_FRONT: u32 = 8u;
const RECORD_CLIPPED: u32 = 16u;
const RECORD_NOT_FINITE: u32 = 32u;
const RECORD_Y_MAJOR: u32 = 64u;
const RECORD_BACKWARD: u32 = 128u;
const RECORD_RESTARTS_STIPPLE: u32 = 256u;
const RECORD_CULLED: u32 = 512u;
// The first of four bits of the viewport that the primitive selects.
const RECORD_VIEWPORT_SHIFT: u32 = 10u;
// The first bit, here and in a primitive's flags, of the index of its draw among merged draws.
const RECORD_DRAW_SHIFT: u32 = 16u;

// Integers of up to 48 bits: x × 65536 + y, with y in 0..65535.

fn wide_carry(high: i32, low: i32) -> vec2i {
    return vec2i(high + (low >> 16u), low & 0xffff);
}

fn wide_from(value: i32) -> vec2i {
    return vec2i(value >> 16u, value & 0xffff);
}

fn wide_add(a: vec2i, b: vec2i) -> vec2i {
    return wide_carry(a.x + b.x, a.y + b.y);
}

fn wide_negate(a: vec2i) -> vec2i {
    return wide_carry(-a.x - 1, 65536 - a.y);
}

fn wide_magnitude(value: vec2i) -> vec2i {
    return select(value, wide_negate(value), value.x < 0);
}

fn wide_is_less(a: vec2i, b: vec2i) -> bool {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// The product of two integers of up to 20 bits; each half of the product fits 32 bits.
fn wide_product(a: i32, b: i32) -> vec2i {
    let upper = a * (b >> 8u);
    let lower = a * (b & 0xff);
    return wide_carry((upper >> 8u) + (lower >> 16u), ((upper & 0xff) << 8u) + (lower & 0xffff));
}

// The value of a linear function at the center of a pixel. a × x and b × y have up to 31 bits, so each is split
// before the multiplication by 16.
fn linear_at(function: vec4i, x: i32, y: i32) -> vec2i {
    let along = function.x * x;
    let down = function.y * y;
    let high = function.z + (along >> 12u) + (down >> 12u);
    let low = function.w + ((along & 0xfff) << 4u) + ((down & 0xfff) << 4u);
    return wide_carry(high, low);
}

// The function minus 1.
fn linear_exclusive(function: vec4i) -> vec4i {
    return vec4i(function.xy, wide_add(function.zw, wide_from(-1)));
}

// Whether pixels where the function is zero are outside: the edge is neither left nor top.
fn linear_is_exclusive(function: vec4i) -> bool {
    return function.x < 0 || (function.x == 0 && function.y < 0);
}

// A function that is non-negative where this one is positive, and where this one is zero on a left or top edge.
fn linear_without_ties(function: vec4i) -> vec4i {
    if linear_is_exclusive(function) {
        return linear_exclusive(function);
    }
    return function;
}

// The change of a function from the first pixel of a quad to each pixel.
fn quad_steps(function: vec4i) -> vec4i {
    let a = 16 * function.x;
    let b = 16 * function.y;
    return vec4i(0, a, b, a + b);
}

// Rounds once: both parts have at most 24 bits and are exact as floats, whatever converts or scales them. Sums of
// integers are never denormal.
fn wide_float(high: vec4i, low: vec4i) -> vec4u {
    let scaled = opaque4(vec4f(high) * 65536.0);
    return bitcast<vec4u>(opaque4(scaled + opaque4(vec4f(low))));
}

// The values of a linear function at the four pixels of a quad, rounded to floats.
fn linear_floats(function: vec4i, x: i32, y: i32) -> vec4u {
    return linear_floats_at(function, x, y, vec4i(0), vec4i(0));
}

// The values at offsets of up to 8 subpixels from the centers.
fn linear_floats_at(function: vec4i, x: i32, y: i32, columns: vec4i, rows: vec4i) -> vec4u {
    let first = linear_at(function, x, y);
    let steps = quad_steps(function) + function.x * columns + function.y * rows;
    let low = vec4i(first.y) + (steps & vec4i(0xffff));
    let high = vec4i(first.x) + (steps >> vec4u(16u)) + (low >> vec4u(16u));
    return wide_float(high, low & vec4i(0xffff));
}
