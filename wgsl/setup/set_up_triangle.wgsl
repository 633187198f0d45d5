// Converts a triangle to the weights and half planes of a primitive setup, and determines its face.

import package::arith::convert::fp_int_to_float;
import package::arith::fragment::{fp_add, fp_max, fp_min, fp_mul, fp_sub};
import package::arith::special::special_rcp;
import package::raster::parameters::{raster, CULLS_BACK, CULLS_FRONT, FRONT_IS_COUNTER_CLOCKWISE, MODE_SHIFT, OFFSET_SHIFT};
import package::raster::parameters::POLYGON_SMOOTH;
import package::setup::primitive_setup::{KIND_TRIANGLE, RECORD_CLIPPED, RECORD_CULLED, RECORD_VALID};
import package::setup::primitive_setup::{PrimitiveSetup, linear_without_ties, wide_add, wide_float, wide_from, wide_is_less};
import package::setup::primitive_setup::{wide_magnitude, wide_negate, wide_product};
import package::setup::clip_primitives::{ClipCorner, SetUpCorner, WindowVertex, polygon, clip_polygon, set_up_corner};

// The linear function with these slopes that equals `constant` where the pixel center is at `point`.
fn linear_through(a: i32, b: i32, point: vec2i, constant: i32) -> vec4i {
    let along = wide_product(a, 8 - point.x);
    let down = wide_product(b, 8 - point.y);
    return vec4i(vec2i(a, b), wide_add(wide_add(along, down), wide_from(constant)));
}

fn float_of_wide(value: vec2i) -> u32 {
    return wide_float(vec4i(value.x), vec4i(value.y)).x;
}

fn doubled_area(a: vec2i, b: vec2i, c: vec2i) -> vec2i {
    let first = b - a;
    let second = c - a;
    return wide_add(wide_product(first.x, second.y), wide_negate(wide_product(second.x, first.y)));
}

// The first and last pixels around `low` to `high` (subpixels) inside the clip rectangle.
fn bounds_of(low: vec2i, high: vec2i) -> vec4i {
    let reach = i32(raster.scalars.w);
    let first = max((low + vec2i(7 - reach)) >> vec2u(4u), vec2i(raster.clip.xy));
    let last = min((high + vec2i(reach - 8)) >> vec2u(4u), vec2i(raster.clip.zw) - vec2i(1));
    return vec4i(first, last);
}

// Narrows a primitive to the pixels around `low` to `high` (subpixels) inside the clip rectangle.
fn bound_setup(setup: ptr<function, PrimitiveSetup>, low: vec2i, high: vec2i) {
    let bounds = bounds_of(low, high);
    if any(bounds.xy > bounds.zw) {
        (*setup).header.x &= 0xfffffffbu;
        return;
    }
    (*setup).header.y = u32(bounds.x) | (u32(bounds.y) << 16u);
    (*setup).header.z = u32(bounds.z) | (u32(bounds.w) << 16u);
}

fn inner_edge(sign: i32, origin: vec2i, to: vec2i) -> vec4i {
    let delta = to - origin;
    return linear_through(-delta.y * sign, delta.x * sign, origin, 0);
}

fn triangle_offset(weight1: vec4i, weight2: vec4i, d1: u32, d2: u32, per_area: u32) -> u32 {
    let change1 = fp_mul(fp_int_to_float(vec4i(16 * weight1.xy, 0, 0)), vec4u(d1));
    let change2 = fp_mul(fp_int_to_float(vec4i(16 * weight2.xy, 0, 0)), vec4u(d2));
    let slopes = fp_mul(fp_add(change1, change2), vec4u(per_area)) & vec4u(0x7fffffffu);
    let largest = fp_max(slopes.xxxx, slopes.yyyy);
    let offset = fp_add(fp_mul(raster.depth.zzzz, largest), raster.depth.wwww);
    let limit = raster.scale.wwww;
    let limited = select(fp_max(offset, limit), fp_min(offset, limit), limit.x < 0x80000000u);
    return select(limited, offset, (limit.x << 1u) == 0u).x;
}

// Fills a primitive setup from the triangle of three vertices: all of it for a triangle, facing and depth offset
// for other kinds. Returns false if there is nothing to draw.
fn set_up_triangle(setup: ptr<function, PrimitiveSetup>, kind: u32, a: WindowVertex, b: WindowVertex, c: WindowVertex) -> bool {
    if (a.outside & b.outside & c.outside) != 0u {
        return false;
    }
    let code = a.outside | b.outside | c.outside;
    let one = 0x3f800000u;
    polygon[0] = ClipCorner(a.homogeneous, vec2u(0u, 0u), 0u);
    polygon[1] = ClipCorner(b.homogeneous, vec2u(one, 0u), 5u);
    polygon[2] = ClipCorner(c.homogeneous, vec2u(0u, one), 10u);
    let count = clip_polygon(code);
    if count < 3u {
        return false;
    }
    var corners: array<SetUpCorner, 9>;
    var low = vec2i(0x7fffffff);
    var high = vec2i(-0x7fffffff);
    for (var index = 0u; index < count; index += 1u) {
        corners[index] = set_up_corner(polygon[index], a.window, b.window, c.window);
        low = min(low, corners[index].point);
        high = max(high, corners[index].point);
    }
    var best = 0u;
    var area = vec2i(0);
    for (var index = 1u; index + 1u < count; index += 1u) {
        let candidate = doubled_area(corners[0].point, corners[index].point, corners[index + 1u].point);
        if wide_is_less(wide_magnitude(area), wide_magnitude(candidate)) {
            area = candidate;
            best = index;
        }
    }
    if all(area == vec2i(0)) {
        return false;
    }
    let is_positive = area.x >= 0;
    let is_front = is_positive != ((raster.flags & FRONT_IS_COUNTER_CLOCKWISE) != 0u);
    let mode = (raster.flags >> select(MODE_SHIFT + 2u, MODE_SHIFT, is_front)) & 3u;
    if (raster.flags & select(CULLS_BACK, CULLS_FRONT, is_front)) != 0u || mode != kind {
        (*setup).header.x |= RECORD_CULLED;
        return false;
    }
    if !is_front {
        (*setup).header.x &= 0xfffffff7u;
    }
    let c0 = corners[0];
    let c1 = corners[best];
    let c2 = corners[best + 1u];
    let sign = select(-1, 1, is_positive);
    let weight0 = inner_edge(sign, c1.point, c2.point);
    let weight1 = inner_edge(sign, c2.point, c0.point);
    let weight2 = inner_edge(sign, c0.point, c1.point);
    let differences = fp_sub(vec4u(c1.depth, c2.depth, 0u, 0u), vec4u(c0.depth, c0.depth, 0u, 0u));
    let per_area = special_rcp(vec4u(float_of_wide(wide_magnitude(area)))).x;
    if ((raster.flags >> (OFFSET_SHIFT + kind)) & 1u) != 0u {
        (*setup).depth.w = triangle_offset(weight1, weight2, differences.x, differences.y, per_area);
    }
    if kind != KIND_TRIANGLE {
        return true;
    }
    (*setup).header.x |= RECORD_VALID | select(0u, RECORD_CLIPPED, code != 0u);
    (*setup).weights = array<vec4i, 3>(weight0, weight1, weight2);
    (*setup).perspective = vec4u(c0.reciprocal, c1.reciprocal, c2.reciprocal, per_area);
    (*setup).depth = vec4u(c0.depth, differences.x, differences.y, (*setup).depth.w);
    let s0 = polygon[0].shares;
    let s1 = polygon[best].shares;
    let s2 = polygon[best + 1u].shares;
    (*setup).shares = array<vec4u, 2>(vec4u(s0.x, s1.x, s2.x, 0u), vec4u(s0.y, s1.y, s2.y, 0u));
    for (var index = 0u; index < count; index += 1u) {
        let edge = polygon[index].tag >> 2u;
        if edge < 3u {
            let next = corners[select(index + 1u, 0u, index + 1u == count)].point;
            (*setup).edges[edge] = linear_without_ties(inner_edge(sign, corners[index].point, next));
        }
    }
    // Smooth polygons fade half a pixel beyond their edges.
    let margin = vec2i(select(0, 8, (raster.flags & POLYGON_SMOOTH) != 0u));
    bound_setup(setup, low - margin, high + margin);
    return true;
}
