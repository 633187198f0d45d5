// Assembles emitted vertices into primitives; the twin of `assemble_primitives.rs`. One invocation per vertex that may be
// emitted: it writes the primitives that the vertex completes, or ones that draw nothing.

import package::setup::primitive::Primitive;
import package::setup::primitive_setup::{KIND_LINE, KIND_POINT, KIND_TRIANGLE};

// The number of vertices, primitives per vertex, corners of a primitive, flags.
@group(0) @binding(1) var<storage, read> assembly: vec4u;
// The place of each vertex in its strip, from 1; 0 if it is not emitted.
@group(0) @binding(21) var<storage, read> strips: array<u32>;
@group(0) @binding(22) var<storage, read_write> assembled: array<Primitive>;

const HAS_FACE: u32 = 4u;
const RESTARTS_STIPPLE: u32 = 8u;
// Above the kinds that are drawn.
const KIND_NONE: u32 = 3u;
const ALL_EDGES: u32 = 0x70u;
// Flags: the first vertex provokes; polygons are filled, drawn as lines, drawn as points.
const FIRST_PROVOKES: u32 = 1u;
const FILLS: u32 = 2u;
const DRAWS_LINES: u32 = 4u;
const DRAWS_POINTS: u32 = 8u;

fn has(flag: u32) -> bool {
    return (assembly.w & flag) != 0u;
}

fn line(place: u32, ends: vec2u, provoking: u32, face: vec3u, flags: u32) {
    assembled[place] = Primitive(vec4u(ends.xyx, provoking), vec4u(face, KIND_LINE | flags));
}

fn point(place: u32, vertex: u32, provoking: u32, face: vec3u, flags: u32) {
    assembled[place] = Primitive(vec4u(vec3u(vertex), provoking), vec4u(face, KIND_POINT | RESTARTS_STIPPLE | flags));
}

fn triangle(first: u32, corners: vec3u, provoking: u32) {
    var place = first;
    if has(FILLS) {
        assembled[place] = Primitive(vec4u(corners, provoking), vec4u(corners, KIND_TRIANGLE | RESTARTS_STIPPLE | ALL_EDGES));
        place += 1u;
    }
    if has(DRAWS_LINES) {
        line(place, corners.xy, provoking, corners, HAS_FACE | RESTARTS_STIPPLE);
        line(place + 1u, corners.yz, provoking, corners, HAS_FACE);
        line(place + 2u, corners.zx, provoking, corners, HAS_FACE);
        place += 3u;
    }
    if has(DRAWS_POINTS) {
        point(place, corners.x, provoking, corners, HAS_FACE);
        point(place + 1u, corners.y, provoking, corners, HAS_FACE);
        point(place + 2u, corners.z, provoking, corners, HAS_FACE);
    }
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let vertex = id.y * (groups.x * 64u) + id.x;
    if vertex >= assembly.x {
        return;
    }
    let corners = assembly.z;
    let first = vertex * assembly.y;
    let length = strips[vertex];
    if length < corners {
        for (var form = 0u; form < assembly.y; form += 1u) {
            assembled[first + form] = Primitive(vec4u(vertex), vec4u(vec3u(vertex), KIND_NONE));
        }
        return;
    }
    if corners == 1u {
        point(first, vertex, vertex, vec3u(vertex), 0u);
    } else if corners == 2u {
        let start = vertex - 1u;
        let provoking = select(vertex, start, has(FIRST_PROVOKES));
        line(first, vec2u(start, vertex), provoking, vec3u(start), select(0u, RESTARTS_STIPPLE, length == 2u));
    } else {
        // Every other triangle of a strip winds the other way.
        let even = vec3u(vertex - 2u, vertex - 1u, vertex);
        triangle(first, select(even, even.yxz, (length & 1u) == 0u), select(vertex, vertex - 2u, has(FIRST_PROVOKES)));
    }
}
