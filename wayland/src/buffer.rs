//! Checks what a program says of a buffer, and gives its layout.

use std::ops::Range;

/// Columns or rows that a buffer may have.
const MOST_SIDE: u32 = 8192;

/// Bytes of a pixel.
const PIXEL_BYTES: u32 = 4;

/// A format, as a word with the highest bits first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Alpha, red, green, blue.
    Argb8888,
    /// A byte without meaning, red, green, blue.
    Xrgb8888,
}

impl Format {
    /// All formats.
    pub(crate) const ALL: [Self; 2] = [Self::Argb8888, Self::Xrgb8888];

    /// The code of `drm_fourcc.h`: AR24, XR24.
    pub(crate) const fn code(self) -> u32 {
        u32::from_le_bytes(match self {
            Self::Argb8888 => *b"AR24",
            Self::Xrgb8888 => *b"XR24",
        })
    }

    fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.code() == code)
    }
}

/// How the pixels of a buffer are laid out. Every value lies inside the buffer's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Bytes from one row to the next, as the program says.
    pub stride: u32,
    /// The first byte.
    pub offset: u32,
    /// The format.
    pub format: Format,
}

impl Layout {
    /// Checks a buffer in a file of this many bytes; an error is what is wrong.
    pub(crate) fn new(size: [i32; 2], format: u32, offset: i32, stride: i32, file_bytes: u64) -> Result<Self, String> {
        let format = Format::from_code(format).ok_or_else(|| format!("format {format:#x} is not AR24 or XR24"))?;
        let [width, height] = size.map(|side| u32::try_from(side).unwrap_or(0));
        if width == 0 || height == 0 || width.max(height) > MOST_SIDE {
            return Err(format!("a buffer of {} × {} pixels, at most {MOST_SIDE} a side", size[0], size[1]));
        }
        let row_bytes = width * PIXEL_BYTES;
        let stride = u32::try_from(stride).ok().filter(|found| *found >= row_bytes && found % PIXEL_BYTES == 0);
        let stride =
            stride.ok_or_else(|| format!("the stride of {width} pixels is not a multiple of 4 from {row_bytes}"))?;
        let offset = u32::try_from(offset).map_err(|_| "the offset of a buffer is negative".to_owned())?;
        let layout = Self { width, height, stride, offset, format };
        let end = layout.range().end;
        if end > file_bytes {
            return Err(format!("a buffer that ends at byte {end} of a file of {file_bytes}"));
        }
        Ok(layout)
    }

    /// The bytes of the file that hold the pixels.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        let start = u64::from(self.offset);
        start..start + u64::from(self.stride) * u64::from(self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const XR24: u32 = 0x3432_5258;

    #[test]
    fn a_good_buffer_has_a_range() {
        let layout = Layout::new([5, 3], XR24, 128, 64, 128 + 192).expect("it is good");
        assert_eq!((layout.format, layout.range()), (Format::Xrgb8888, 128..320));
    }

    #[test]
    fn nothing_reaches_out_of_the_file() {
        let bad = [
            Layout::new([5, 3], XR24, 128, 64, 128 + 191),
            Layout::new([5, 3], XR24, 0, 16, 4096),
            Layout::new([5, 3], XR24, 0, 22, 4096),
            Layout::new([5, 3], XR24, 0, -64, 4096),
            Layout::new([5, 3], XR24, -4, 64, 4096),
            Layout::new([0, 3], XR24, 0, 64, 4096),
            Layout::new([5, -3], XR24, 0, 64, 4096),
            Layout::new([8193, 1], XR24, 0, 40000, u64::MAX),
            Layout::new([5, 3], XR24 + 1, 0, 64, 4096),
            Layout::new([5, 8192], XR24, 0, i32::MAX - 3, 1 << 40),
        ];
        for layout in bad {
            assert!(layout.is_err(), "{layout:?}");
        }
    }
}
