// Converts lines and points to the weights and half planes of a primitive setup; the twin of `set_up_lines.rs`.

import package::arith::convert::{fp_float_to_fixed, fp_int_to_float};
import package::arith::fragment::{fp_mul, fp_sub, fp_rsq};
import package::arith::special::special_rcp;
import package::raster::parameters::{raster, LINE_SMOOTH, POINT_SPRITE, PROGRAM_POINT_SIZE, SAMPLES_SHIFT};
import package::setup::primitive_setup::{RECORD_BACKWARD, RECORD_CLIPPED, RECORD_VALID, RECORD_Y_MAJOR};
import package::setup::primitive_setup::{linear_exclusive, linear_without_ties};
import package::setup::primitive_setup::{PrimitiveSetup, wide_add, wide_product};
import package::setup::set_up_triangle::{bound_setup, float_of_wide, linear_through};
import package::setup::clip_primitives::{ClipCorner, WindowVertex, polygon, clip_line, set_up_corner, snap_window};

// 1/16: subpixels to pixels.
const SIXTEENTH: u32 = 0x3d800000u;
// The distance over which smooth lines fade beyond their edges, in subpixels.
const FADE: i32 = 8;

// The first pixel along the major axis of a line that starts at a point, by the diamond-exit rule.
fn first_pixel(point: vec2i, is_y_major: bool, sign: i32) -> i32 {
    let pixel = (point - vec2i(1)) >> vec2u(4u);
    // Relative to the pixel's center, −7 to 8.
    let offset = ((point - vec2i(1)) & vec2i(15)) - vec2i(7);
    let distance = abs(offset.x) + abs(offset.y);
    let is_in_diamond = distance < 8 || (distance == 8 && (offset.y > 0 || (is_y_major && offset.x == 8)));
    let major_pixel = select(pixel.x, pixel.y, is_y_major);
    let major_offset = select(offset.x, offset.y, is_y_major);
    let has_passed = (major_offset > 0) == (sign > 0);
    return major_pixel + select(0, sign, has_passed && !is_in_diamond);
}

fn is_multisampled() -> bool {
    return ((raster.flags >> SAMPLES_SHIFT) & 7u) != 0u;
}

fn set_up_line(setup: ptr<function, PrimitiveSetup>, a: WindowVertex, b: WindowVertex) -> bool {
    if (a.outside & b.outside) != 0u {
        return false;
    }
    let code = a.outside | b.outside;
    polygon[0] = ClipCorner(a.homogeneous, vec2u(0u, 0u), 12u);
    polygon[1] = ClipCorner(b.homogeneous, vec2u(0x3f800000u, 0u), 13u);
    if !clip_line(code) {
        return false;
    }
    let start = set_up_corner(polygon[0], a.window, b.window, a.window);
    let end = set_up_corner(polygon[1], a.window, b.window, a.window);
    let delta = end.point - start.point;
    if all(delta == vec2i(0)) {
        return false;
    }
    let squared = float_of_wide(wide_add(wide_product(delta.x, delta.x), wide_product(delta.y, delta.y)));
    let is_y_major = abs(delta.y) > abs(delta.x);
    let major = select(delta.x, delta.y, is_y_major);
    let sign = select(-1, 1, major > 0);
    (*setup).header.x |= RECORD_VALID | select(0u, RECORD_CLIPPED, code != 0u)
        | select(0u, RECORD_Y_MAJOR, is_y_major) | select(0u, RECORD_BACKWARD, sign < 0);
    let to_end = linear_through(-delta.x, -delta.y, end.point, 0);
    let from_start = linear_through(delta.x, delta.y, start.point, 0);
    (*setup).weights = array<vec4i, 3>(to_end, from_start, vec4i(0));
    (*setup).perspective = vec4u(start.reciprocal, end.reciprocal, 0u, special_rcp(vec4u(squared)).x);
    (*setup).depth = vec4u(start.depth, fp_sub(vec4u(end.depth), vec4u(start.depth)).x, 0u, (*setup).depth.w);
    (*setup).shares = array<vec4u, 2>(vec4u(polygon[0].shares.x, polygon[1].shares.x, 0u, 0u), vec4u(0u));
    var around: i32;
    if is_multisampled() || (raster.flags & LINE_SMOOTH) != 0u {
        let fade = select(FADE, 0, is_multisampled());
        let reach = fp_int_to_float(vec4i(i32(max(raster.shapes.y, 8u)) + fade));
        let length = fp_mul(vec4u(squared), fp_rsq(vec4u(squared)));
        let scaled_reach = fp_float_to_fixed(fp_mul(reach, length), 0u).x;
        let scaled_fade = fp_float_to_fixed(fp_mul(fp_int_to_float(vec4i(fade)), length), 0u).x;
        let pixels = fp_float_to_fixed(fp_mul(length, vec4u(SIXTEENTH)), 0u).x;
        let per_unit = fp_mul(fp_rsq(vec4u(squared)), vec4u(SIXTEENTH)).x;
        (*setup).span = vec4u(fp_mul(reach, vec4u(SIXTEENTH)).x, bitcast<u32>(pixels), 0u, per_unit);
        (*setup).weights[2] = linear_through(-delta.y, delta.x, start.point, 0);
        (*setup).edges = array<vec4i, 4>(
            linear_through(-delta.y, delta.x, start.point, scaled_reach),
            linear_through(delta.y, -delta.x, start.point, scaled_reach),
            linear_through(delta.x, delta.y, start.point, scaled_fade),
            linear_through(-delta.x, -delta.y, end.point, scaled_fade),
        );
        if is_multisampled() {
            (*setup).edges = array<vec4i, 4>(
                linear_without_ties((*setup).edges[0]),
                linear_without_ties((*setup).edges[1]),
                linear_without_ties((*setup).edges[2]),
                linear_without_ties((*setup).edges[3]),
            );
        }
        around = i32(max(raster.shapes.y, 8u)) + 2 * fade;
    } else {
        around = i32(max((raster.shapes.y + 4u) / 8u, 1u)) * 8;
        let reach = around * abs(major);
        let turned = vec2i(-delta.y, delta.x);
        let across = select(turned, -turned, is_y_major) * sign;
        let along = select(vec2i(sign, 0), vec2i(0, sign), is_y_major);
        let first = first_pixel(start.point, is_y_major, sign);
        let behind = first_pixel(end.point, is_y_major, sign);
        (*setup).span = vec4u(bitcast<vec2u>(vec2i(first, (behind - first) * sign)), 0u, 0u);
        (*setup).edges = array<vec4i, 4>(
            linear_through(across.x, across.y, start.point, reach),
            linear_exclusive(linear_through(-across.x, -across.y, start.point, reach)),
            linear_through(along.x, along.y, vec2i(16 * first + 8), 0),
            linear_through(-along.x, -along.y, vec2i(16 * (behind - sign) + 8), 0),
        );
        // The line covers its first and last pixel, whose centers can lie half a pixel beyond its ends.
        around += 8;
    }
    let margin = vec2i(around + 1);
    bound_setup(setup, min(start.point, end.point) - margin, max(start.point, end.point) + margin);
    return true;
}

// `program_size` is the size that the program outputs.
fn set_up_point(setup: ptr<function, PrimitiveSetup>, vertex: WindowVertex, program_size: u32) -> bool {
    if vertex.outside != 0u {
        return false;
    }
    let chosen = select(raster.shapes.x, program_size, (raster.flags & PROGRAM_POINT_SIZE) != 0u);
    var size = clamp(fp_float_to_fixed(vec4u(chosen), 4u).x, 16, 65520);
    let center = snap_window(vertex.window);
    var low: vec2i;
    if (raster.flags & POINT_SPRITE) == 0u && !is_multisampled() {
        size = (size + 8) & -16;
        // A position between two rows belongs to the upper one.
        let place = center - vec2i(0, 1);
        let corner = select((place + vec2i(8)) & vec2i(-16), (place & vec2i(-16)) + vec2i(8), (size & 16) != 0);
        low = corner - vec2i(size >> 1u);
    } else {
        low = center - vec2i(size >> 1u);
    }
    let high = low + vec2i(size);
    (*setup).header.x |= RECORD_VALID;
    (*setup).weights[0] = vec4i(0, 0, 0, 1);
    (*setup).perspective = vec4u(vertex.window.w, 0u, 0u, 0x3f800000u);
    (*setup).depth = vec4u(vertex.window.z, 0u, 0u, (*setup).depth.w);
    (*setup).span = vec4u(bitcast<vec2u>(low), special_rcp(fp_int_to_float(vec4i(size))).x, 0u);
    (*setup).edges = array<vec4i, 4>(
        linear_through(1, 0, low, 0),
        linear_through(0, 1, low, 0),
        linear_exclusive(linear_through(-1, 0, high, 0)),
        linear_exclusive(linear_through(0, -1, high, 0)),
    );
    bound_setup(setup, low, high);
    return true;
}
