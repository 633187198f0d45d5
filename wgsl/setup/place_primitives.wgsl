// Finds where the vertices of primitives go in the buffers of stream output: behind those of the primitives before. One
// workgroup; each invocation takes a part of the primitives.

import package::setup::assembled_primitive::primitives;
import package::setup::primitive_setup::{KIND_MASK, KIND_TRIANGLE};

// The number of primitives, vertices of each, vertices that the buffers have room for.
@group(0) @binding(1) var<storage, read> stream: vec4u;
// The vertices in the buffers, the primitives of all draws, those that were written, an unused word; then the first vertex of
// each primitive.
@group(0) @binding(20) var<storage, read_write> places: array<u32>;

const LANES: u32 = 64u;
var<workgroup> counts: array<u32, 64>;

fn is_drawn(primitive: u32) -> bool {
    return (primitives[primitive].face.w & KIND_MASK) <= KIND_TRIANGLE;
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    let part = (stream.x + LANES - 1u) / LANES;
    let first = min(lane * part, stream.x);
    let end = min(first + part, stream.x);
    var count = 0u;
    for (var primitive = first; primitive < end; primitive += 1u) {
        count += select(0u, 1u, is_drawn(primitive));
    }
    counts[lane] = count;
    workgroupBarrier();
    let written = places[0];
    var before = 0u;
    var all = 0u;
    for (var other = 0u; other < LANES; other += 1u) {
        before += select(0u, counts[other], other < lane);
        all += counts[other];
    }
    for (var primitive = first; primitive < end; primitive += 1u) {
        places[4u + primitive] = written + before * stream.y;
        before += select(0u, 1u, is_drawn(primitive));
    }
    storageBarrier();
    workgroupBarrier();
    if lane == 0u {
        let room = select(0u, (stream.z - written) / stream.y, stream.z > written);
        places[0] = written + min(all, room) * stream.y;
        places[1] += all;
        places[2] += min(all, room);
    }
}
