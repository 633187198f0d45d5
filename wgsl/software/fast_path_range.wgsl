// Finds the primitives and quads that the interpolation's fast path can handle: no step gives a denormal, an
// infinity or a NaN, and the linear functions fit 32 bits.
//
// The bounds are magnitudes; each value may also be 0. Functions are integers in 1..2³⁰ and 1/w lies in 2⁻¹⁶..2¹⁶,
// so their products lie in 2⁻¹⁶..2⁴⁶. With a sum of 2⁻²⁶..2⁴⁶, weights lie in 2⁻⁶²..2⁷². Attribute values and
// differences of 2⁻⁴⁰..2⁴⁰ give terms of 2⁻¹⁰²..2¹¹². With 1/area of 2⁻⁴² or more, terms of depth are not smaller.
// So all sums are multiples of 2⁻¹²⁶, the least normal number. Depth needs no sum of weights.

import package::interp::interpolate::{Attribute, quad_header, quad_share, setup_depth, setup_perspective, setup_weights};
import package::setup::primitive_setup::{linear_at, RECORD_CLIPPED};

const EXPONENT_ONE: u32 = 0x3f800000u;

// Whether magnitudes are 0 or lie in 2^−low..2^high.
fn are_in_range(a: vec4u, low: u32, high: u32) -> bool {
    let magnitude = a & vec4u(0x7fffffffu);
    let least = EXPONENT_ONE - (low << 23u);
    let span = (low + high) << 23u;
    return all((magnitude == vec4u(0u)) | (magnitude - vec4u(least) <= vec4u(span)));
}

// Whether a function stays within ±2³⁰ on the quads that the current primitive touches.
fn function_fits(function: vec4i) -> bool {
    let first = vec2u(quad_header.y & 0xffffu, quad_header.y >> 16u);
    let last = vec2u(quad_header.z & 0xffffu, quad_header.z >> 16u);
    let start = linear_at(function, i32(first.x), i32(first.y));
    let steps = abs(vec2f(function.xy)) * vec2f(last - first + vec2u(2u));
    return (abs(f32(start.x)) + 1.0) * 65536.0 + 16.0 * (steps.x + steps.y) < 1073741824.0;
}

// Whether the current primitive's weights and depth are in range, apart from the sums of weights.
fn setup_takes_fast_path() -> bool {
    return (quad_header.x & RECORD_CLIPPED) == 0u
        && are_in_range(vec4u(setup_perspective.xyz, 0u), 16u, 16u)
        && are_in_range(setup_perspective.wwww, 42u, 16u)
        && are_in_range(setup_depth, 40u, 40u)
        && function_fits(setup_weights[0])
        && function_fits(setup_weights[1])
        && function_fits(setup_weights[2]);
}

fn attribute_takes_fast_path(corners: Attribute) -> bool {
    return are_in_range(corners.base, 40u, 40u)
        && are_in_range(corners.difference1, 40u, 40u)
        && are_in_range(corners.difference2, 40u, 40u);
}

// Whether the current quad's sums of weights are in range.
fn quad_takes_fast_path() -> bool {
    let magnitude = quad_share.sum & vec4u(0x7fffffffu);
    return all(magnitude - vec4u(EXPONENT_ONE - (26u << 23u)) <= vec4u(72u << 23u));
}
