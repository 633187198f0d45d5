//! Turns the content of a program's buffer into the words that a window shows.

use curie_wayland::Layout;

use crate::memory::layout::swizzled_offset;

/// Bytes of a pixel.
const PIXEL_BYTES: u32 = 4;

/// A picture that a window can show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pixels {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Red, green, blue and 255 of each pixel, first row first.
    pub(super) rgba: Vec<u8>,
}

/// Whether the chip draws to a buffer of this size in swizzled order.
///
/// The driver does so to every window whose sides are powers of two, though it announces rows: `nv30_miptree_create` of
/// Mesa 22.3 makes only other sizes linear.
const fn has_morton_order(layout: &Layout) -> bool {
    layout.width.is_power_of_two() && layout.height.is_power_of_two()
}

impl Pixels {
    /// Converts the bytes of a layout; missing ones are zero.
    pub(super) fn new(layout: &Layout, bytes: &[u8]) -> Self {
        let &Layout { width, height, stride, .. } = layout;
        let mut rgba = Vec::with_capacity(width as usize * height as usize * PIXEL_BYTES as usize);
        // Words have blue in the lowest byte. Alpha does not matter: a window has nothing behind it.
        let mut push = |word: &[u8]| rgba.extend([word[2], word[1], word[0], u8::MAX]);
        if has_morton_order(layout) {
            let (log2_width, log2_height) = (width.ilog2(), height.ilog2());
            for y in 0..height {
                for x in 0..width {
                    let at = swizzled_offset(x, y, log2_width, log2_height, PIXEL_BYTES) as usize;
                    push(bytes.get(at..at + PIXEL_BYTES as usize).unwrap_or(&[0; PIXEL_BYTES as usize]));
                }
            }
        } else {
            for y in 0..height as usize {
                let start = y * stride as usize;
                let row = bytes.get(start..start + (width * PIXEL_BYTES) as usize).unwrap_or_default();
                row.chunks_exact(PIXEL_BYTES as usize).for_each(&mut push);
            }
        }
        rgba.resize(width as usize * height as usize * PIXEL_BYTES as usize, 0);
        Self { width, height, rgba }
    }
}

#[cfg(test)]
mod tests {
    use curie_wayland::Format;

    use super::*;

    fn layout(width: u32, height: u32, stride: u32) -> Layout {
        Layout { width, height, stride, offset: 0, format: Format::Xrgb8888 }
    }

    /// The number of each pixel as its three bytes, for pixels at these places of the buffer.
    fn numbered(bytes: usize, places: &[usize]) -> Vec<u8> {
        let mut buffer = vec![0xee; bytes];
        for (number, place) in places.iter().enumerate() {
            let [low, middle, ..] = number.to_le_bytes();
            buffer[place * 4..place * 4 + 4].copy_from_slice(&[low, middle, 7, 0]);
        }
        buffer
    }

    fn expected(count: usize) -> Vec<u8> {
        (0..count).flat_map(|number| [7, number.to_le_bytes()[1], number.to_le_bytes()[0], 255]).collect()
    }

    #[test]
    fn rows_are_a_stride_apart() {
        let places = [0, 1, 2, 16, 17, 18];
        let pixels = Pixels::new(&layout(3, 2, 64), &numbered(128, &places));
        assert_eq!((pixels.width, pixels.height, pixels.rgba), (3, 2, expected(6)));
    }

    /// Computes the place of a pixel in Morton order: it takes bits of x and y in turn while both have some left, then the
    /// rest of the longer side's.
    fn morton(x: usize, y: usize, width: usize, height: usize) -> usize {
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

    #[test]
    fn powers_of_two_are_swizzled() {
        assert_eq!([morton(1, 0, 4, 2), morton(0, 1, 4, 2), morton(2, 0, 4, 2), morton(3, 1, 4, 2)], [1, 2, 4, 7]);
        for (width, height) in [(4, 2), (2, 8), (16, 16), (64, 8), (1, 1)] {
            let places: Vec<usize> =
                (0..height).flat_map(|y| (0..width).map(move |x| morton(x, y, width, height))).collect();
            let [columns, rows] = [width, height].map(|side| u32::try_from(side).expect("a small side"));
            let stride = (columns * 4).next_multiple_of(64);
            let bytes = numbered((stride * rows) as usize, &places);
            assert_eq!(Pixels::new(&layout(columns, rows, stride), &bytes).rgba, expected(width * height));
        }
        // A planted difference: the same bytes in rows are another picture.
        let bytes = numbered(256, &(0..64).collect::<Vec<_>>());
        assert_ne!(Pixels::new(&layout(8, 8, 32), &bytes).rgba, expected(64));
    }

    #[test]
    fn bytes_that_are_missing_are_black() {
        for layout in [layout(3, 2, 64), layout(4, 2, 64)] {
            let pixels = Pixels::new(&layout, &[]);
            assert!(pixels.rgba.chunks(4).all(|pixel| pixel[..3] == [0; 3]));
            assert_eq!(pixels.rgba.len(), (layout.width * layout.height * 4) as usize);
        }
    }
}
