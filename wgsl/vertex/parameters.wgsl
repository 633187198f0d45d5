// Parameters of the vertex stage besides the program and the layout of its arrays.

// One attribute: an array in the mirror, or one value for all vertices.
struct VertexArray {
    // First byte in the mirror.
    start: u32,
    // How many elements lie completely inside the window.
    element_count: u32,
    // Bytes from one element to the next.
    stride: u32,
    // Frequency divider, at least 1.
    divider: u32,
    // The value if there is no array.
    value: vec4u,
}

// One vertex texture unit.
struct VertexTextureParameters {
    // First byte in the mirror, and how many may be read.
    start: u32,
    bytes: u32,
    // Width | height << 16.
    size: u32,
    // Bytes from one row to the next.
    pitch: u32,
    last_level: u32,
    // In 1/256 of a level.
    lod_bias: i32,
    min_lod: i32,
    max_lod: i32,
    // Wrap mode of s | wrap mode of t << 8.
    wrap: u32,
    // Floats per texel: 1 or 4; 0 where the unit is disabled.
    channels: u32,
    padding: vec2u,
    // Red, green, blue, alpha.
    border: vec4u,
}

struct VertexParameters {
    // Always 0.
    zero: u32,
    // One past the last shaded vertex.
    vertex_count: u32,
    // Added to every index.
    base_index: u32,
    // The booleans of BRB and CLB.
    booleans: u32,
    // The most instructions that one vertex executes.
    instruction_limit: u32,
    // Lowest constant that indexed reads reach.
    first_indexed_constant: u32,
    // Highest constant that indexed reads reach.
    last_indexed_constant: u32,
    // The first shaded vertex.
    first_vertex: u32,
    // 1 if all constants that are factors are in the normal range.
    has_normal_range_constants: u32,
    padding: array<u32, 3>,
    arrays: array<VertexArray, 16>,
    textures: array<VertexTextureParameters, 4>,
}
