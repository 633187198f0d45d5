// Converts floats to bytes on the sRGB curve, by the thresholds of `crates/isa/src/format/srgb.rs`.

@group(0) @binding(22) var<storage, read> srgb_thresholds: array<u32>;

// The bytes nearest to four linear values; negative values and NaN give 0.
fn srgb_bytes(linear: vec4u) -> vec4u {
    var bytes = vec4u(0u);
    // A fixed count, so that compilers can unroll the loop.
    for (var bit = 0u; bit < 8u; bit += 1u) {
        let next = bytes + vec4u(128u >> bit);
        let least = vec4u(srgb_thresholds[next.x], srgb_thresholds[next.y], srgb_thresholds[next.z],
            srgb_thresholds[next.w]);
        // Bits of positive floats have the order of their values.
        bytes = select(bytes, next, least <= linear);
    }
    return select(bytes, vec4u(0u), linear > vec4u(0x7f800000u));
}
