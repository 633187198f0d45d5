//! Brings the pixels of a picture in an exported buffer into rows, as displays take them.

use crate::memory::block_linear::{BlockLinear, MAX_LOG2_BLOCK};
use crate::memory::layout::swizzled_offset;

/// Bytes of a pixel.
const PIXEL_BYTES: u32 = 4;

/// Where a program says that the pixels of a picture are in a buffer, in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureRows {
    /// The first byte.
    pub offset: u32,
    /// Columns and rows.
    pub size: [u32; 2],
    /// Bytes from one row to the next.
    pub stride: u32,
}

/// The order of the pixels in memory, whatever the program says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PixelOrder {
    Rows,
    /// Swizzled, with these base-2 logarithms of its sides.
    Swizzled([u32; 2]),
    /// Blocks of gobs.
    Blocks(BlockLinear),
}

impl PixelOrder {
    /// The order of a picture in a buffer of these flags and mode of tiling, if the flags have a kind of pages. Of the Tesla
    /// generation, the kind tells of blocks, whose height and depth are the mode. Drivers of the NV40 draw to every window whose sides are powers of two in swizzled order.
    ///
    /// Sources: libdrm's `abi16.c` for the flags and the mode; Mesa's `nv30_miptree_create`, which makes only other sizes
    /// linear.
    pub(super) fn of(tiling: Option<[u32; 2]>, picture: &PictureRows) -> Self {
        let [width, height] = picture.size;
        let Some([flags, mode]) = tiling else {
            let has_binary_sides = width.is_power_of_two() && height.is_power_of_two();
            return if has_binary_sides { Self::Swizzled([width.ilog2(), height.ilog2()]) } else { Self::Rows };
        };
        let log2_block = [0, (mode & 0xf) as u8, (mode >> 4 & 0xf) as u8];
        if flags >> 8 == 0 || log2_block.iter().any(|log2| *log2 > MAX_LOG2_BLOCK) {
            return Self::Rows;
        }
        Self::Blocks(BlockLinear { size: [picture.stride, height, 1], log2_block })
    }

    /// The bytes that hold the picture, from its first one on.
    pub(super) fn bytes(&self, picture: &PictureRows) -> u64 {
        match self {
            Self::Rows | Self::Swizzled(_) => u64::from(picture.stride) * u64::from(picture.size[1]),
            Self::Blocks(blocks) => blocks.bytes(),
        }
    }

    /// Rows of a stride of these bytes; missing ones are zero.
    pub(super) fn rows(&self, picture: &PictureRows, bytes: Vec<u8>) -> Vec<u8> {
        let ([width, height], stride) = (picture.size, picture.stride as usize);
        let mut rows = vec![0; stride * height as usize];
        match *self {
            Self::Rows => return bytes,
            Self::Blocks(blocks) => {
                for (row, y) in rows.chunks_exact_mut(stride).zip(0..) {
                    let mut rest = row;
                    for piece in blocks.pieces([0, y, 0], picture.stride) {
                        let own;
                        (own, rest) = rest.split_at_mut(piece.len());
                        if let Some(bytes) = bytes.get(piece) {
                            own.copy_from_slice(bytes);
                        }
                    }
                }
            }
            Self::Swizzled([log2_width, log2_height]) => {
                for (row, y) in rows.chunks_exact_mut(stride).zip(0..) {
                    for (pixel, x) in row.chunks_exact_mut(PIXEL_BYTES as usize).zip(0..width) {
                        let at = swizzled_offset(x, y, log2_width, log2_height, PIXEL_BYTES) as usize;
                        if let Some(bytes) = bytes.get(at..at + PIXEL_BYTES as usize) {
                            pixel.copy_from_slice(bytes);
                        }
                    }
                }
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32) -> PictureRows {
        PictureRows { offset: 0, size: [width, height], stride: (width * PIXEL_BYTES).next_multiple_of(64) }
    }

    /// A buffer that has the number of each pixel at these places.
    fn numbered(bytes: u64, places: impl Iterator<Item = usize>) -> Vec<u8> {
        let mut buffer = vec![0xee; usize::try_from(bytes).unwrap()];
        for (number, place) in (0_u32..).zip(places) {
            buffer[place * 4..place * 4 + 4].copy_from_slice(&number.to_le_bytes());
        }
        buffer
    }

    /// Whether the pixels of rows have their numbers.
    fn are_numbered(picture: &PictureRows, rows: &[u8]) -> bool {
        let pixels = rows
            .chunks_exact(picture.stride as usize)
            .flat_map(|row| row[..4 * picture.size[0] as usize].as_chunks().0);
        pixels.zip(0_u32..).all(|(pixel, number)| u32::from_le_bytes(*pixel) == number)
    }

    /// The place of a pixel in Morton order: it takes bits of x and y in turn while both have some left, then the rest of the
    /// longer side's.
    fn morton([x, y]: [u32; 2], [width, height]: [u32; 2]) -> usize {
        let (mut place, mut bit) = (0, 0);
        let mut side = 1;
        while side < width.max(height) {
            for (coordinate, sides) in [(x, width), (y, height)] {
                if side < sides {
                    place |= usize::from(coordinate & side != 0) << bit;
                    bit += 1;
                }
            }
            side *= 2;
        }
        place
    }

    fn pixels([width, height]: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
        (0..height).flat_map(move |y| (0..width).map(move |x| [x, y]))
    }

    #[test]
    fn powers_of_two_are_swizzled_on_the_nv40() {
        assert_eq!([[1, 0], [0, 1], [2, 0], [3, 1]].map(|place| morton(place, [4, 2])), [1, 2, 4, 7]);
        for size in [[4, 2], [2, 8], [16, 16], [64, 8], [1, 1]] {
            let picture = picture(size[0], size[1]);
            let order = PixelOrder::of(None, &picture);
            let bytes = numbered(order.bytes(&picture), pixels(size).map(|place| morton(place, size)));
            assert!(are_numbered(&picture, &order.rows(&picture, bytes)), "{size:?}");
        }
        // A planted difference: the same bytes in rows are another picture.
        let picture = picture(16, 8);
        let order = PixelOrder::of(None, &picture);
        assert!(!are_numbered(&picture, &order.rows(&picture, numbered(512, 0..128))));
        assert_eq!(PixelOrder::of(None, &self::picture(3, 2)), PixelOrder::Rows);
    }

    /// 20 × 10 pixels with rows of 128 bytes, in blocks of two gobs: pixel (17, 9) lies in the second column of gobs and, as a
    /// block has eight rows, in the second row of blocks.
    #[test]
    fn kinds_of_pages_tell_of_blocks() {
        let picture = picture(20, 10);
        let order = PixelOrder::of(Some([0x7000, 1]), &picture);
        assert_eq!(order.bytes(&picture), 4 * 512);
        let place = |[x, y]: [u32; 2]| {
            let (block, gob) = (x / 16 + 2 * (y / 8), y % 8 / 4);
            (block * 128 + gob * 64 + y % 4 * 16 + x % 16) as usize
        };
        assert_eq!(place([17, 9]), 3 * 128 + 16 + 1);
        let bytes = numbered(order.bytes(&picture), pixels(picture.size).map(place));
        assert!(are_numbered(&picture, &order.rows(&picture, bytes)));
        for rows in [[0, 1], [0x7000, 6]] {
            assert_eq!(PixelOrder::of(Some(rows), &picture), PixelOrder::Rows);
        }
    }

    #[test]
    fn bytes_that_are_missing_are_zero() {
        for (tiling, [width, height]) in [(Some([0x7000, 1]), [3, 2]), (None, [4, 2])] {
            let picture = picture(width, height);
            let rows = PixelOrder::of(tiling, &picture).rows(&picture, Vec::new());
            assert!(rows.len() == 64 * height as usize && rows.iter().all(|byte| *byte == 0));
        }
    }
}
