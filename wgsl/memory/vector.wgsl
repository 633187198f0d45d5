// Stores vectors as they are. Adapters that handle a 64-bit word as one word use `vector_wide.wgsl` instead.

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
