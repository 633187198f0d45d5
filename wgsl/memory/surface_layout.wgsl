// Computes the offset of a texel in linear rows or swizzled (Morton) order; the two-dimensional twin of
// `src/memory/layout.rs`. `wgsl/texture/texel.wgsl` handles four texels at once, and volumes.

// The offset of a position outside the surface.
const OUTSIDE: u32 = 0xffffffffu;

// Moves bit i of the low 16 bits to bit 2i.
fn spread_by_two(value: u32) -> u32 {
    var v = value & 0xffffu;
    v = (v | (v << 8u)) & 0x00ff00ffu;
    v = (v | (v << 4u)) & 0x0f0f0f0fu;
    v = (v | (v << 2u)) & 0x33333333u;
    return (v | (v << 1u)) & 0x55555555u;
}

// Index of a texel in two-dimensional swizzled order; x and y lie inside the surface.
fn swizzled_index_2d(x: u32, y: u32, log2_width: u32, log2_height: u32) -> u32 {
    let both = min(log2_width, log2_height);
    let mask = (1u << both) - 1u;
    let inside = spread_by_two(x & mask) | (spread_by_two(y & mask) << 1u);
    return inside | (((x >> both) | (y >> both)) << (2u * both));
}

// Position of the pixel with this index in two-dimensional swizzled order.
fn swizzled_position_2d(index: u32, log2_width: u32, log2_height: u32) -> vec2u {
    let both = min(log2_width, log2_height);
    var position = vec2u(0u);
    for (var bit = 0u; bit < both; bit++) {
        position |= vec2u((index >> (2u * bit)) & 1u, (index >> (2u * bit + 1u)) & 1u) << vec2u(bit);
    }
    let rest = (index >> (2u * both)) << both;
    return position | select(vec2u(0u, rest), vec2u(rest, 0u), log2_width > log2_height);
}

// Byte offset of a pixel of a linear surface, modulo 2^32.
fn linear_offset(x: u32, y: u32, pitch_bytes: u32, pixel_bytes: u32) -> u32 {
    return y * pitch_bytes + x * pixel_bytes;
}

// Byte offset of a pixel of a swizzled surface; OUTSIDE beyond its size.
fn swizzled_offset(x: u32, y: u32, log2_width: u32, log2_height: u32, pixel_bytes: u32) -> u32 {
    if (x >> log2_width) != 0u || (y >> log2_height) != 0u {
        return OUTSIDE;
    }
    return swizzled_index_2d(x, y, log2_width, log2_height) * pixel_bytes;
}
