// Supplies quads whose inputs are given instead of interpolated; the functions are those of the interpolation
// module.

import package::fragment::quad::QuadVector;

// Vectors per quad: a header, depth, then four vectors per input.
const GIVEN_QUAD_VECTORS: u32 = 58u;

@group(0) @binding(4) var<storage, read> given_quads: array<vec4u>;

// The first vector of the current quad.
var<private> given_first: u32;

fn load_quad(index: u32) {
    given_first = index * GIVEN_QUAD_VECTORS;
}

fn quad_coverage() -> u32 {
    return given_quads[given_first].x;
}

// Immediate quads never belong to smooth lines.
fn quad_alpha_coverage() -> vec4u {
    return vec4u(0x3f800000u);
}

fn quad_position_word() -> u32 {
    return given_quads[given_first].y;
}

fn quad_is_front() -> bool {
    return given_quads[given_first].z != 0u;
}

fn quad_depth() -> vec4u {
    return given_quads[given_first + 1u];
}

fn given_input(number: u32) -> QuadVector {
    let first = given_first + 2u + number * 4u;
    return QuadVector(given_quads[first], given_quads[first + 1u], given_quads[first + 2u], given_quads[first + 3u]);
}

fn input_window_position() -> QuadVector {
    return given_input(0u);
}

fn input_color0() -> QuadVector {
    return given_input(1u);
}

fn input_color1() -> QuadVector {
    return given_input(2u);
}

fn input_fog() -> QuadVector {
    return given_input(3u);
}

// Texture coordinate n, 0..9.
fn input_texcoord(n: u32) -> QuadVector {
    return given_input(4u + n);
}

fn input_facing() -> QuadVector {
    let sign = select(0xbf800000u, 0x3f800000u, quad_is_front());
    return QuadVector(vec4u(sign), vec4u(0u), vec4u(0u), vec4u(0x3f800000u));
}
