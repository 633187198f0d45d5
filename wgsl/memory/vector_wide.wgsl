// Stores vectors as two 64-bit words instead of four 32-bit ones; replaces `vector.wgsl`.

alias StoredVector = vec2<u64>;

fn vector_of(stored: StoredVector) -> vec4u {
    return vec4u(u32(stored.x), u32(stored.x >> 32u), u32(stored.y), u32(stored.y >> 32u));
}

fn low_half_of(stored: StoredVector) -> vec2u {
    return vec2u(u32(stored.x), u32(stored.x >> 32u));
}

fn stored_of(vector: vec4u) -> StoredVector {
    return StoredVector(u64(vector.x) | (u64(vector.y) << 32u), u64(vector.z) | (u64(vector.w) << 32u));
}
