//! Computes the offset of a surface's texels in linear rows or swizzled (Morton) order.
//!
//! Swizzled order interleaves the bits of x, y and z, x lowest. A dimension without further bits is skipped, so
//! that the remaining bits of the others are adjacent. `wgsl/memory/surface_layout.wgsl` holds the same functions.

/// The offset of a position outside its surface: beyond every window, so that reads give zero and writes are
/// dropped.
pub const OUTSIDE: u32 = u32::MAX;

/// Index of a texel in swizzled order; sizes are powers of two, given by their base-2 logarithms.
///
/// Bits of a position beyond its size are ignored.
#[must_use]
pub fn swizzled_index(position: [u32; 3], log2_size: [u32; 3]) -> u32 {
    if let ([x, y, _], [log2_width, log2_height, 0]) = (position, log2_size) {
        return swizzled_index_2d(x, y, log2_width, log2_height);
    }
    let mut index = 0;
    let mut shift = 0;
    for bit in 0..16 {
        for (coordinate, log2) in position.into_iter().zip(log2_size) {
            if bit < log2 && shift < 32 {
                index |= ((coordinate >> bit) & 1) << shift;
                shift += 1;
            }
        }
    }
    index
}

/// [`swizzled_index`] in two dimensions: Morton order of the bits that both coordinates have, then the rest of the longer
/// side's.
const fn swizzled_index_2d(x: u32, y: u32, log2_width: u32, log2_height: u32) -> u32 {
    let (x, y) = (low_bits(x, log2_width), low_bits(y, log2_height));
    let both = if log2_width < log2_height { log2_width } else { log2_height };
    let inside = spread_by_two(low_bits(x, both)) | spread_by_two(low_bits(y, both)) << 1;
    match (x | y).checked_shr(both) {
        Some(rest) if both < 16 => inside | rest << (2 * both),
        _ => inside,
    }
}

/// The low bits of a coordinate, at most 16.
const fn low_bits(value: u32, count: u32) -> u32 {
    if count < 16 { value & ((1 << count) - 1) } else { value & 0xffff }
}

/// Moves bit i of the low 16 bits to bit 2i.
const fn spread_by_two(value: u32) -> u32 {
    let value = (value | value << 8) & 0x00ff_00ff;
    let value = (value | value << 4) & 0x0f0f_0f0f;
    let value = (value | value << 2) & 0x3333_3333;
    (value | value << 1) & 0x5555_5555
}

/// Byte offset of a pixel in rows of `pitch_bytes`, modulo 2³².
#[must_use]
pub const fn linear_offset(x: u32, y: u32, pitch_bytes: u32, pixel_bytes: u32) -> u32 {
    y.wrapping_mul(pitch_bytes).wrapping_add(x.wrapping_mul(pixel_bytes))
}

/// Byte offset of a pixel of a swizzled two-dimensional surface; [`OUTSIDE`] beyond its size.
#[must_use]
pub fn swizzled_offset(x: u32, y: u32, log2_width: u32, log2_height: u32, pixel_bytes: u32) -> u32 {
    if x >> log2_width.min(31) != 0 || y >> log2_height.min(31) != 0 {
        return OUTSIDE;
    }
    swizzled_index_2d(x, y, log2_width, log2_height).wrapping_mul(pixel_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Position of the texel with this index in swizzled order.
    fn swizzled_position(index: u32, log2_size: [u32; 3]) -> [u32; 3] {
        let mut position = [0; 3];
        let mut shift = 0;
        for bit in 0..16 {
            for (coordinate, log2) in position.iter_mut().zip(log2_size) {
                if bit < log2 && shift < 32 {
                    *coordinate |= ((index >> shift) & 1) << bit;
                    shift += 1;
                }
            }
        }
        position
    }

    /// The two-dimensional form of the format page: Morton order of the low bits that both coordinates have, then
    /// raster order of square tiles.
    fn tiled_morton(x: u32, y: u32, log2_width: u32, log2_height: u32) -> u32 {
        let side = log2_width.min(log2_height);
        let tiles_across = 1 << (log2_width - side);
        let mut inside = 0;
        for bit in 0..side {
            inside += (x >> bit) % 2 * 4u32.pow(bit) + (y >> bit) % 2 * 2 * 4u32.pow(bit);
        }
        inside + ((y >> side) * tiles_across + (x >> side)) * 4u32.pow(side)
    }

    #[test]
    fn documented_examples() {
        // w = 8, h = 2: from the lowest bit x0 y0 x1 x2.
        assert_eq!(swizzled_index([0b111, 0, 0], [3, 1, 0]), 0b1101);
        assert_eq!(swizzled_index([0, 1, 0], [3, 1, 0]), 0b0010);
        // Three dimensions: z0 y0 x0 per level of bits.
        assert_eq!(swizzled_index([1, 0, 0], [2, 2, 2]), 1);
        assert_eq!(swizzled_index([0, 1, 0], [2, 2, 2]), 2);
        assert_eq!(swizzled_index([0, 0, 1], [2, 2, 2]), 4);
        assert_eq!(swizzled_index([2, 0, 0], [2, 2, 2]), 8);
        // 8×2×4: x0 y0 z0 x1 z1 x2.
        assert_eq!(swizzled_index([0b100, 0, 0b10], [3, 1, 2]), 0b11_0000);
    }

    #[test]
    fn every_two_dimensional_size_agrees_with_tiles_of_morton_order() {
        for log2_width in 0..=6 {
            for log2_height in 0..=6 {
                for y in 0..1 << log2_height {
                    for x in 0..1 << log2_width {
                        let index = swizzled_index([x, y, 0], [log2_width, log2_height, 0]);
                        assert_eq!(index, tiled_morton(x, y, log2_width, log2_height), "{x},{y}");
                        assert_eq!(swizzled_position(index, [log2_width, log2_height, 0]), [x, y, 0]);
                    }
                }
            }
        }
    }

    #[test]
    fn bits_beyond_the_size_are_ignored() {
        for (log2_width, log2_height) in [(0, 0), (3, 1), (2, 11), (15, 16), (16, 16), (31, 40)] {
            let [width, height] = [log2_width, log2_height].map(|log2: u32| log2.min(16));
            for (x, y) in [(0xffff_fffe, 0xffff_fffd), (0x0001_5a5a, 0xffff_c33c), (7, 0x8000_0000)] {
                let index = swizzled_index([x, y, 0], [log2_width, log2_height, 0]);
                let inside = [x & ((1 << width) - 1), y & ((1 << height) - 1), 0];
                assert_eq!(swizzled_position(index, [width, height, 0]), inside, "{log2_width}, {log2_height}");
            }
        }
    }

    #[test]
    fn every_volume_is_filled_without_gaps() {
        for sizes in 0..125 {
            let log2_size = [sizes % 5, sizes / 5 % 5, sizes / 25];
            for index in 0..1u32 << log2_size.iter().sum::<u32>() {
                let position = swizzled_position(index, log2_size);
                assert!(position.iter().zip(log2_size).all(|(p, log2)| *p < 1 << log2));
                assert_eq!(swizzled_index(position, log2_size), index);
            }
        }
    }

    #[test]
    fn offsets_wrap_and_leave_the_surface_detectably() {
        assert_eq!(linear_offset(3, 2, 64, 4), 140);
        assert_eq!(linear_offset(1, u32::MAX, 1, 1), 0);
        assert_eq!(swizzled_offset(4, 0, 2, 2, 4), OUTSIDE);
        assert_eq!(swizzled_offset(3, 3, 2, 2, 4), 60);
        assert_eq!(swizzled_offset(0, 1, 255, 255, 2), 4);
    }
}
