// Decodes compressed blocks of signed channels, four pixels at once; the twin of a part of `crates/isa/src/format/texel.rs`.
import package::texture::texel::texel_block_interpolated_alpha;

// The distance of a signed byte from -127; the least one counts as -127.
fn rgtc_above(byte: vec4u) -> vec4u {
    return max((byte & vec4u(255u)) ^ vec4u(128u), vec4u(1u)) - vec4u(1u);
}

// A block's signed bytes.
fn rgtc_signed_channel(low: vec4u, high: vec4u, texel: vec4u) -> vec4u {
    let ends = rgtc_above(low) | (rgtc_above(low >> vec4u(8u)) << vec4u(8u));
    let above = texel_block_interpolated_alpha((low & vec4u(0xffff0000u)) | ends, high, texel);
    return (min(above, vec4u(254u)) + vec4u(0x81u)) & vec4u(255u);
}
