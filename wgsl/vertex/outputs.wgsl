// Reads the outputs of vertex programs.

import package::memory::vector::{StoredVector, vector_of};
import package::vertex::output_place::output_place;

// Sixteen output registers per vertex.
@group(0) @binding(4)
var<storage, read> vertices: array<StoredVector>;

// Output register `number` of a vertex.
fn vertex_output(vertex: u32, number: u32) -> vec4u {
    return vector_of(vertices[output_place(vertex, number)]);
}
