// Computes the offset of a texel in linear rows, swizzled (Morton) order or blocks of gobs; the two-dimensional twin of
// `src/memory/layout.rs` and `src/memory/block_linear.rs`. `wgsl/texture/texel.wgsl` handles four texels at once, and
// volumes.

// The kinds of layouts.
const LAYOUT_LINEAR: u32 = 0u;
const LAYOUT_SWIZZLED: u32 = 1u;
const LAYOUT_BLOCK_LINEAR: u32 = 2u;

// The layout of a surface.
struct SurfaceLayout {
    kind: u32,
    // Bytes from one row to the next, or blocks from one row of blocks to the next.
    row: u32,
    // Base-2 logarithms of the sides in pixels if swizzled, of a block's sides in gobs if block linear: x | y << 8 | z << 16.
    log2_size: u32,
    // Offset of the first pixel.
    first: u32,
}

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

// Byte offset of byte x of row y of a block linear surface: blocks of gobs of 64 bytes and four rows.
fn block_linear_offset(x: u32, y: u32, order: SurfaceLayout) -> u32 {
    let log2_width = order.log2_size & 0xffu;
    let log2_height = (order.log2_size >> 8u) & 0xffu;
    let log2_block = 8u + log2_width + log2_height + (order.log2_size >> 16u);
    let block = (x >> (6u + log2_width)) + order.row * (y >> (2u + log2_height));
    let gob_x = (x >> 6u) & ((1u << log2_width) - 1u);
    let gob_y = (y >> 2u) & ((1u << log2_height) - 1u);
    let gob = gob_x | (gob_y << log2_width);
    return order.first + (block << log2_block) + ((gob << 8u) | ((y & 3u) << 6u) | (x & 63u));
}

// The byte of a row and the row at an offset of a block linear surface; far outside if the offset lies in another slice.
fn block_linear_position(offset: u32, order: SurfaceLayout) -> vec2u {
    let log2_width = order.log2_size & 0xffu;
    let log2_height = (order.log2_size >> 8u) & 0xffu;
    let log2_block = 8u + log2_width + log2_height + (order.log2_size >> 16u);
    let place = offset - order.first;
    let block = place >> log2_block;
    let gob = (place >> 8u) & ((1u << (log2_block - 8u)) - 1u);
    let column = ((block % order.row) << log2_width) | (gob & ((1u << log2_width) - 1u));
    let rows = (gob >> log2_width) & ((1u << log2_height) - 1u);
    let row = ((block / order.row) << log2_height) | rows;
    let is_outside = offset < order.first || (gob >> (log2_width + log2_height)) != 0u;
    return select(vec2u((column << 6u) | (place & 63u), (row << 2u) | ((place >> 6u) & 3u)), vec2u(0xffffffffu), is_outside);
}

// Position of the part of a pixel at an offset, in parts: a pixel has 1 << log2_parts of them, each of part_bytes.
fn surface_position(offset: u32, order: SurfaceLayout, part_bytes: u32, log2_parts: u32) -> vec2u {
    if order.kind == LAYOUT_SWIZZLED {
        let log2_width = (order.log2_size & 0xffu) + log2_parts;
        return swizzled_position_2d(offset / part_bytes, log2_width, (order.log2_size >> 8u) & 0xffu);
    }
    var place = vec2u(offset % order.row, offset / order.row);
    if order.kind == LAYOUT_BLOCK_LINEAR {
        place = block_linear_position(offset, order);
    }
    return vec2u(place.x / part_bytes, place.y);
}
