// An assembled primitive; the twin of `Primitive` in Rust.

struct Primitive {
    // Three vertices, provoking vertex.
    vertices: vec4u,
    // The triangle that decides the face; kind and flags.
    face: vec4u,
}
