// Writes the vertices of primitives to the buffers of stream output; the twin of `stream_out.rs`. One invocation per
// primitive.

import package::memory::vector::{StoredVector, vector_of};
import package::memory::write::memory;
import package::setup::assembled_primitive::primitives;
import package::setup::primitive_setup::{KIND_MASK, KIND_TRIANGLE};
import package::vertex::output_place::output_place;

// The number of primitives, vertices of each, vertices that the buffers have room for, words of each, with bit 31 set if
// primitives begin with the provoking vertex. Then each word: its place in the first vertex in words of the mirror, words to the next vertex, 1 if it is an output, and the number of the
// output or the value.
@group(0) @binding(1) var<storage, read> stream: array<vec4u>;
@group(0) @binding(4) var<storage, read> vertices: array<StoredVector>;
@group(0) @binding(20) var<storage, read> places: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let number = id.y * (groups.x * 64u) + id.x;
    if number >= stream[0].x {
        return;
    }
    let primitive = primitives[number];
    let corners = stream[0].y;
    let first = places[4u + number];
    if (primitive.face.w & KIND_MASK) > KIND_TRIANGLE || first + corners > stream[0].z {
        return;
    }
    let words = stream[0].w & 0x7fffffffu;
    var rotation = 0u;
    if (stream[0].w >> 31u) != 0u {
        let provoke = primitive.vertices.xyz == primitive.vertices.www;
        rotation = select(select(0u, 2u, provoke.z && corners > 2u), 1u, provoke.y && corners > 1u);
        rotation = select(rotation, 0u, provoke.x);
    }
    for (var corner = 0u; corner < corners; corner += 1u) {
        let vertex = primitive.vertices[(corner + rotation) % corners];
        for (var word = 1u; word <= words; word += 1u) {
            let source = stream[word];
            var value = source.w;
            if source.z == 1u {
                value = vector_of(vertices[output_place(vertex, (source.w >> 2u) & 15u)])[source.w & 3u];
            }
            memory[source.x + (first + corner) * source.y] = value;
        }
    }
}
