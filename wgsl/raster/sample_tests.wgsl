// Tests the samples of a quad's pixels against stipples and user clip planes. `HAS_STIPPLE` and `HAS_USER_CLIP` are constants
// of the kernel.

import package::arith::convert::fp_float_to_int_floor;
import package::arith::fragment::fp_mul;
import package::raster::parameters::{raster, LINE_STIPPLE};
import package::setup::primitive_setup::{linear_floats_at, KIND_LINE, KIND_MASK};
import package::setup::load_setup::{stored_span, stored_weight};
import package::raster::user_clip::in_user_clip;

// Stipples lines by units of length.
fn in_line_stipple(index: u32, header: vec4u, x: i32, y: i32, offset: vec2i) -> vec4<bool> {
    if (header.x & KIND_MASK) != KIND_LINE || (raster.flags & LINE_STIPPLE) == 0u {
        return vec4<bool>(true);
    }
    let span = stored_span(index);
    let distance = linear_floats_at(stored_weight(index, 1u), x, y, offset.xxxx, offset.yyyy);
    let steps = fp_float_to_int_floor(fp_mul(distance, span.wwww));
    let counter = (span.zzzz + bitcast<vec4u>(steps)) / raster.shapes.zzzz;
    return ((raster.shapes.wwww >> (counter & vec4u(15u))) & vec4u(1u)) != vec4u(0u);
}

// Bit i: the sample of pixel i at this offset passes all tests.
fn sample_bits(index: u32, header: vec4u, x: i32, y: i32, offset: vec2i, passes: vec4<bool>) -> u32 {
    var inside = passes;
    if HAS_STIPPLE {
        inside &= in_line_stipple(index, header, x, y, offset);
    }
    if HAS_USER_CLIP {
        inside &= in_user_clip(index, header, x, y, offset);
    }
    let bits = select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), inside);
    return bits.x | bits.y | bits.z | bits.w;
}
