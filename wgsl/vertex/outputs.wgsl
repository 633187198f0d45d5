// Reads the outputs of vertex programs.

import package::memory::vector::{StoredVector, vector_of};

// Sixteen output registers per vertex.
@group(0) @binding(4)
var<storage, read> vertices: array<StoredVector>;

// Output register `number` of a vertex.
fn vertex_output(vertex: u32, number: u32) -> vec4u {
    return vector_of(vertices[vertex * 16u + number]);
}
