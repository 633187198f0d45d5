//! Turns the content of a program's buffer into the words that a window shows.

use curie_wayland::Layout;

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

impl Pixels {
    /// Converts the bytes of a layout; missing ones are zero.
    pub(super) fn new(layout: &Layout, bytes: &[u8]) -> Self {
        let &Layout { width, height, stride, .. } = layout;
        let mut rgba = Vec::with_capacity(width as usize * height as usize * PIXEL_BYTES as usize);
        // Words have blue in the lowest byte. Alpha does not matter: a window has nothing behind it.
        let mut push = |word: &[u8]| rgba.extend([word[2], word[1], word[0], u8::MAX]);
        for y in 0..height as usize {
            let start = y * stride as usize;
            let row = bytes.get(start..start + (width * PIXEL_BYTES) as usize).unwrap_or_default();
            row.chunks_exact(PIXEL_BYTES as usize).for_each(&mut push);
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

    #[test]
    fn bytes_that_are_missing_are_black() {
        for layout in [layout(3, 2, 64), layout(4, 2, 64)] {
            let pixels = Pixels::new(&layout, &[]);
            assert!(pixels.rgba.chunks(4).all(|pixel| pixel[..3] == [0; 3]));
            assert_eq!(pixels.rgba.len(), (layout.width * layout.height * 4) as usize);
        }
    }
}
