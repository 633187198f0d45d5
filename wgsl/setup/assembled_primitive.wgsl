// A primitive as the host assembles it; the twin of `Primitive` in Rust.

struct Primitive {
    // Three vertices, provoking vertex.
    vertices: vec4u,
    // The triangle that decides the face; kind and flags.
    face: vec4u,
}

@group(0) @binding(5)
var<storage, read> primitives: array<Primitive>;
