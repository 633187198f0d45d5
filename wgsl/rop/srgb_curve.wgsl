// Converts floats to bytes on the sRGB curve and back, by the tables of `crates/isa/src/format/srgb.rs`: thresholds, then
// values.

@group(0) @binding(22) var<storage, read> srgb_table: array<u32>;

// The bytes nearest to four linear values; negative values and NaN give 0.
fn srgb_bytes(linear: vec4u) -> vec4u {
    var bytes = vec4u(0u);
    // A fixed count, so that compilers can unroll the loop.
    for (var bit = 0u; bit < 8u; bit += 1u) {
        let next = bytes + vec4u(128u >> bit);
        let least = vec4u(srgb_table[next.x], srgb_table[next.y], srgb_table[next.z],
            srgb_table[next.w]);
        // Bits of positive floats have the order of their values.
        bytes = select(bytes, next, least <= linear);
    }
    return select(bytes, vec4u(0u), linear > vec4u(0x7f800000u));
}

// The linear values of bytes on the curve.
fn srgb_values(bytes: vec4u) -> vec4u {
    let places = bytes + vec4u(256u);
    return vec4u(srgb_table[places.x], srgb_table[places.y], srgb_table[places.z], srgb_table[places.w]);
}
