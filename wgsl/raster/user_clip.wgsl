// Tests which pixels of a quad lie inside the user clip planes, by interpolated distances. `USER_CLIP_PLANES`, the
// number of planes tested, is a constant of the kernel.

import package::arith::fragment::{fp_flush, fp_less, fp_less_equal};
import package::interp::quad_weights::{quad_functions_at, quad_weights, fp_difference, interpolate_component};
import package::raster::parameters::{raster, CLIP_CULLS, CLIP_KEEPS_NEGATIVE, CLIP_MODE_SHIFT};
import package::setup::primitive_setup::{RECORD_CLIPPED};
import package::setup::load_setup::{stored_perspective, stored_shares, stored_vertices, stored_weights};
import package::vertex::outputs::vertex_output;

// Tests at an offset from the pixel centers, in subpixels.
fn in_user_clip(index: u32, header: vec4u, x: i32, y: i32, offset: vec2i) -> vec4<bool> {
    let functions = quad_functions_at(stored_weights(index), x, y, offset.xxxx, offset.yyyy);
    let is_clipped = (header.x & RECORD_CLIPPED) != 0u;
    let weights = quad_weights(is_clipped, functions, stored_perspective(index), stored_shares(index));
    let numbers = stored_vertices(index);
    var inside = vec4<bool>(true);
    for (var plane = 0u; plane < USER_CLIP_PLANES; plane += 1u) {
        let source = raster.clip_planes[plane >> 2u][plane & 3u];
        let mode = source >> CLIP_MODE_SHIFT;
        if mode != 0u && mode != CLIP_CULLS {
            let result_number = (source >> 2u) & 15u;
            let component = source & 3u;
            let a0 = vertex_output(numbers.x, result_number)[component];
            let a1 = vertex_output(numbers.y, result_number)[component];
            let a2 = vertex_output(numbers.z, result_number)[component];
            let differences = fp_difference(vec4u(a1, a2, 0u, 0u), vec4u(a0, a0, 0u, 0u));
            let distance = interpolate_component(weights, fp_flush(vec4u(a0)).x, differences.x, differences.y);
            if mode == CLIP_KEEPS_NEGATIVE {
                inside &= fp_less(distance, vec4u(0u));
            } else {
                inside &= fp_less_equal(vec4u(0u), distance);
            }
        }
    }
    return inside;
}
