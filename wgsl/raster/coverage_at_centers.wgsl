// Computes the coverage of a quad at pixel centers. `HAS_STIPPLE` and `HAS_USER_CLIP` are constants of the kernel.

import package::raster::parameters::{raster, LINE_SMOOTH, LINE_STIPPLE};
import package::setup::primitive_setup::{KIND_LINE, KIND_MASK, RECORD_BACKWARD, RECORD_Y_MAJOR};
import package::setup::load_setup::stored_span;
import package::raster::user_clip::in_user_clip;

// Stipples lines by steps along their major axis.
fn in_line_stipple(index: u32, header: vec4u, columns: vec4u, rows: vec4u) -> vec4<bool> {
    // The stipple of smooth lines is part of their coverage.
    if (header.x & KIND_MASK) == KIND_LINE && (raster.flags & (LINE_STIPPLE | LINE_SMOOTH)) == LINE_STIPPLE {
        let span = stored_span(index);
        let position = select(columns, rows, (header.x & RECORD_Y_MAJOR) != 0u);
        let steps = select(position - span.xxxx, span.xxxx - position, (header.x & RECORD_BACKWARD) != 0u);
        let counter = (span.zzzz + steps) / raster.shapes.zzzz;
        return ((raster.shapes.wwww >> (counter & vec4u(15u))) & vec4u(1u)) != vec4u(0u);
    }
    return vec4<bool>(true);
}

// Bit i: pixel i is set in `passes`, is inside the four half planes (`values` at the centers) and passes the other
// tests.
fn covered_bits(
    index: u32,
    header: vec4u,
    columns: vec4u,
    rows: vec4u,
    passes: vec4<bool>,
    edges: array<vec4i, 4>,
    values: array<vec4i, 4>,
) -> u32 {
    var inside = passes & ((values[0] | values[1] | values[2] | values[3]) >= vec4i(0));
    if HAS_STIPPLE {
        inside &= in_line_stipple(index, header, columns, rows);
    }
    if HAS_USER_CLIP {
        inside &= in_user_clip(index, header, i32(columns.x), i32(rows.x), vec2i(0));
    }
    let bits = select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), inside);
    return bits.x | bits.y | bits.z | bits.w;
}
