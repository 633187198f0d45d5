// Transforms positions to window coordinates and clips to the range of setup; the twin of `clip_primitives.rs`.

import package::arith::convert::fp_float_to_fixed;
import package::arith::fragment::{fp_add, fp_mul, fp_sub, fp_less_equal};
import package::arith::special::special_rcp;
import package::raster::parameters::{raster, CLIPS_DEPTH, SKIPS_TRANSFORM};

const VERTEX_VISIBLE: u32 = 0u;
const VERTEX_NOT_FINITE: u32 = 1u;
const VERTEX_INVISIBLE: u32 = 2u;

struct WindowVertex {
    // x, y, z, 1/w.
    window: vec4u,
    // x, y, z, w before the division.
    homogeneous: vec4u,
    outside: u32,
    state: u32,
}

struct PlaneDistances {
    first: vec4u,
    second: vec4u,
}

const SIGN_BIT: u32 = 0x80000000u;
const GUARD_BITS: u32 = 0x46000000u;
const MIN_W: u32 = 0x2b800000u;

// w, depth, right, left; bottom, top.
fn plane_distances(position: vec4u) -> PlaneDistances {
    let w = position.w;
    let guard = fp_mul(position.wwww, vec4u(GUARD_BITS)).x;
    var distances: PlaneDistances;
    distances.first = fp_add(
        vec4u(w, position.z, guard, guard),
        vec4u(MIN_W ^ SIGN_BIT, w, position.x ^ SIGN_BIT, position.x),
    );
    if (raster.flags & CLIPS_DEPTH) == 0u {
        distances.first.y = 0u;
    }
    distances.second = fp_add(vec4u(guard, guard, 0u, 0u), vec4u(position.y ^ SIGN_BIT, position.y, 0u, 0u));
    return distances;
}

fn plane_distance(position: vec4u, plane: u32) -> u32 {
    let distances = plane_distances(position);
    if plane < 4u {
        return distances.first[plane];
    }
    return distances.second[plane - 4u];
}

fn outside_planes(position: vec4u) -> u32 {
    let distances = plane_distances(position);
    let first = select(vec4u(1u, 2u, 4u, 8u), vec4u(0u), fp_less_equal(vec4u(0u), distances.first));
    let second = select(vec4u(16u, 32u, 0u, 0u), vec4u(0u), fp_less_equal(vec4u(0u), distances.second));
    return first.x | first.y | first.z | first.w | second.x | second.y;
}

fn transform_position(position: vec4u) -> WindowVertex {
    var vertex: WindowVertex;
    let infinite = (position & vec4u(0x7f800000u)) == vec4u(0x7f800000u);
    if any(infinite) {
        vertex.state = VERTEX_NOT_FINITE;
        return vertex;
    }
    if (raster.flags & SKIPS_TRANSFORM) != 0u {
        vertex.window = vec4u(fp_add(position, raster.translate).xy, position.zw);
        vertex.homogeneous = vec4u(vertex.window.xyz, 0x3f800000u);
        if (outside_planes(vertex.homogeneous) & 0xfffffffdu) != 0u {
            vertex.state = VERTEX_INVISIBLE;
        }
        return vertex;
    }
    let reciprocal = special_rcp(position.wwww);
    vertex.window = fp_add(fp_mul(fp_mul(position, reciprocal), raster.scale), raster.translate);
    vertex.window.w = reciprocal.x;
    vertex.homogeneous = fp_add(fp_mul(position, raster.scale), fp_mul(position.wwww, raster.translate));
    vertex.homogeneous.w = position.w;
    vertex.outside = outside_planes(vertex.homogeneous);
    return vertex;
}

// A corner of a clipped primitive. Tag bits 1:0: the vertex that it is (3 none); bits 3:2: its edge to the next
// corner (3 none).
struct ClipCorner {
    position: vec4u,
    shares: vec2u,
    tag: u32,
}

fn cut_edge(inside: ClipCorner, outside: ClipCorner, here: u32, there: u32, edge: u32) -> ClipCorner {
    let length = fp_sub(vec4u(here), vec4u(there));
    let share = fp_mul(vec4u(here), special_rcp(length));
    var corner: ClipCorner;
    let delta = fp_sub(outside.position, inside.position);
    corner.position = fp_add(inside.position, fp_mul(share, delta));
    let origin = vec4u(inside.shares, 0u, 0u);
    let change = fp_sub(vec4u(outside.shares, 0u, 0u), origin);
    corner.shares = fp_add(origin, fp_mul(share, change)).xy;
    corner.tag = 3u | (edge << 2u);
    return corner;
}

const CLIP_CORNERS: u32 = 9u;
var<private> polygon: array<ClipCorner, 9>;
var<private> kept: array<ClipCorner, 9>;
var<private> kept_count: u32;

fn keep_corner(corner: ClipCorner) {
    if kept_count < CLIP_CORNERS {
        kept[kept_count] = corner;
        kept_count += 1u;
    }
}

fn plane_keeps(distance: u32) -> bool {
    return fp_less_equal(vec4u(0u), vec4u(distance)).x;
}

// Clips the first three corners of `polygon` by the planes of `code`; returns the number of remaining corners.
fn clip_polygon(code: u32) -> u32 {
    var count = 3u;
    for (var planes = code; planes != 0u; planes &= planes - 1u) {
        let plane = firstTrailingBit(planes);
        kept_count = 0u;
        for (var index = 0u; index < count; index += 1u) {
            let corner = polygon[index];
            let next = polygon[select(index + 1u, 0u, index + 1u == count)];
            let here = plane_distance(corner.position, plane);
            let there = plane_distance(next.position, plane);
            let keeps_here = plane_keeps(here);
            let keeps_there = plane_keeps(there);
            if keeps_here {
                keep_corner(corner);
                if !keeps_there {
                    keep_corner(cut_edge(corner, next, here, there, 3u));
                }
            } else if keeps_there {
                keep_corner(cut_edge(next, corner, there, here, corner.tag >> 2u));
            }
        }
        count = kept_count;
        for (var index = 0u; index < count; index += 1u) {
            polygon[index] = kept[index];
        }
    }
    return count;
}

// Clips the line between the first two corners of `polygon`; returns whether anything remains.
fn clip_line(code: u32) -> bool {
    var remains = true;
    for (var planes = code; planes != 0u; planes &= planes - 1u) {
        let plane = firstTrailingBit(planes);
        let here = plane_distance(polygon[0].position, plane);
        let there = plane_distance(polygon[1].position, plane);
        let keeps_here = plane_keeps(here);
        let keeps_there = plane_keeps(there);
        if keeps_here && !keeps_there {
            polygon[1] = cut_edge(polygon[0], polygon[1], here, there, 3u);
        } else if !keeps_here && keeps_there {
            polygon[0] = cut_edge(polygon[1], polygon[0], there, here, 3u);
        } else if !keeps_here {
            remains = false;
        }
    }
    return remains;
}

fn snap_window(window: vec4u) -> vec2i {
    return clamp(fp_float_to_fixed(window, 4u).xy, vec2i(-131072), vec2i(131072));
}

// A corner's position in subpixels; depth and 1/w as bits.
struct SetUpCorner {
    point: vec2i,
    depth: u32,
    reciprocal: u32,
}

fn set_up_corner(corner: ClipCorner, a: vec4u, b: vec4u, c: vec4u) -> SetUpCorner {
    let original = corner.tag & 3u;
    var window = select(select(a, b, original == 1u), c, original == 2u);
    if original == 3u {
        let reciprocal = special_rcp(corner.position.wwww);
        window = fp_mul(corner.position, reciprocal);
        window.w = reciprocal.x;
    }
    return SetUpCorner(snap_window(window), window.z, window.w);
}
