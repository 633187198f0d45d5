// Parameters of kernels that run geometry programs; the twin of `GeometryParameters` in Rust.

struct GeometryParameters {
    zero: u32,
    primitive_count: u32,
    // Where the primitives begin in their buffer.
    first_primitive: u32,
    // The number of the first one in the draw.
    first_number: u32,
}
