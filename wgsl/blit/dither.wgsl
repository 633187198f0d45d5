// Dithers for the 2D classes; the twin of `dither` in `src/reference/blit/pixel_operation.rs`.

// Reduces eight bits to a channel of five to seven bits at a position of the surface.
fn image_dithered(value: u32, width: u32, position: vec2u, is_green: bool) -> u32 {
    let eighths = (value << (width - 5u)) & 7u;
    let block = (position.y & 12u) + ((position.x >> 2u) & 3u);
    // Four rows of four bits: 0110, 0100, 1100, 1111, the first in the lowest bits.
    var flips = ((0xfc46u >> block) & 1u) ^ select(0u, 1u, is_green);
    flips ^= eighths & ((position.x ^ position.y) >> 1u) & 1u;
    let column = position.x & 1u;
    let row = position.y & 1u;
    let diagonal = 1u - (column ^ row);
    var more = column | (1u - row) | flips;
    switch eighths {
        case 0u: { more = 0u; }
        case 1u: { more = (1u - column) & (1u - row) & flips; }
        case 2u: { more = diagonal & (column ^ flips); }
        case 3u: { more = diagonal & ((1u - column) | flips); }
        case 4u: { more = diagonal; }
        case 5u: { more = diagonal | (column & (1u - row) & flips); }
        case 6u: { more = diagonal | (row ^ flips); }
        default: {}
    }
    return min((value >> (8u - width)) + more, (1u << width) - 1u);
}
