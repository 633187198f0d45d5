// Vectors as buffers hold them, and as values: the same. Adapters to which a word of 64 bits is one word get
// `vector_wide.wgsl` instead.

alias StoredVector = vec4u;

fn vector_of(stored: StoredVector) -> vec4u {
    return stored;
}

fn low_half_of(stored: StoredVector) -> vec2u {
    return stored.xy;
}

fn stored_of(vector: vec4u) -> StoredVector {
    return vector;
}
