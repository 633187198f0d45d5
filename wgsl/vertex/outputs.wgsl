// What vertex programs leave for the stages after them.

import package::memory::vector::{StoredVector, vector_of};

// Sixteen output registers a vertex.
@group(0) @binding(4)
var<storage, read> vertices: array<StoredVector>;

// Output register `number` of a vertex.
fn vertex_output(vertex: u32, number: u32) -> vec4u {
    return vector_of(vertices[vertex * 16u + number]);
}
