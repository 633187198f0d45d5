//! Buffers of programs: checks what a program says of one, and gives its layout.

use std::fmt;
use std::ops::Range;
use std::os::fd::OwnedFd;

use crate::FileIdentity;

/// Columns or rows that a buffer may have.
const MAX_SIDE: u32 = 8192;

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
    /// Checks a buffer in a file of this many bytes.
    pub(crate) fn new(
        size: [i32; 2],
        format: u32,
        offset: i64,
        stride: i64,
        file_bytes: u64,
    ) -> Result<Self, BufferError> {
        let format = Format::from_code(format).ok_or(BufferError::Format(format))?;
        let [width, height] = size.map(|side| u32::try_from(side).unwrap_or(0));
        if width == 0 || height == 0 {
            return Err(BufferError::NoPixels(size));
        }
        if width.max(height) > MAX_SIDE {
            return Err(BufferError::TooLarge(size));
        }
        let row_bytes = width * PIXEL_BYTES;
        let stride = u32::try_from(stride).ok().filter(|found| *found >= row_bytes && found % PIXEL_BYTES == 0);
        let stride = stride.ok_or(BufferError::Stride { width, row_bytes })?;
        let offset = u32::try_from(offset).map_err(|_| BufferError::Offset(offset))?;
        let layout = Self { width, height, stride, offset, format };
        let end = layout.range().end;
        if end > file_bytes {
            return Err(BufferError::End { end, file_bytes });
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

/// What is wrong with a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BufferError {
    /// The format is unknown.
    Format(u32),
    /// A side is not positive.
    NoPixels([i32; 2]),
    /// A side is longer than this server takes.
    TooLarge([i32; 2]),
    /// The stride is shorter than a row, or cuts a pixel.
    Stride { width: u32, row_bytes: u32 },
    /// The offset is negative, or not a word.
    Offset(i64),
    /// The buffer ends after its file.
    End { end: u64, file_bytes: u64 },
    /// The file cannot be looked at.
    File(rustix::io::Errno),
}

impl fmt::Display for BufferError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(format) => write!(formatter, "format {format:#x} is not AR24 or XR24"),
            Self::NoPixels([width, height]) | Self::TooLarge([width, height]) => {
                write!(formatter, "a buffer of {width} × {height} pixels, at most {MAX_SIDE} a side")
            }
            Self::Stride { width, row_bytes } => {
                write!(formatter, "the stride of {width} pixels is not a multiple of 4 from {row_bytes}")
            }
            Self::Offset(offset) => write!(formatter, "the offset of a buffer is {offset}"),
            Self::End { end, file_bytes } => {
                write!(formatter, "a buffer that ends at byte {end} of a file of {file_bytes}")
            }
            Self::File(error) => write!(formatter, "the file of a buffer: {error}"),
        }
    }
}

/// A buffer of the program's driver.
#[derive(Debug)]
pub(crate) struct PrimeBuffer {
    pub(crate) layout: Layout,
    pub(crate) identity: FileIdentity,
    /// While the file is open, no other has its number.
    _file: OwnedFd,
}

impl PrimeBuffer {
    /// Checks a buffer in this file.
    pub(crate) fn new(
        file: OwnedFd,
        size: [i32; 2],
        format: u32,
        offset: i64,
        stride: i64,
    ) -> Result<Self, BufferError> {
        let found = rustix::fs::fstat(&file).map_err(BufferError::File)?;
        let file_bytes = u64::try_from(found.st_size).unwrap_or(0);
        let layout = Layout::new(size, format, offset, stride, file_bytes)?;
        let identity = FileIdentity { device: found.st_dev, inode: found.st_ino };
        Ok(Self { layout, identity, _file: file })
    }
}

/// What a buffer is.
#[derive(Debug)]
pub(crate) enum Buffer {
    /// Memory that the program fills itself.
    Shared,
    /// A buffer of the program's driver.
    Prime(PrimeBuffer),
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
        let stride = BufferError::Stride { width: 5, row_bytes: 20 };
        let bad = [
            (Layout::new([5, 3], XR24, 128, 64, 128 + 191), BufferError::End { end: 320, file_bytes: 319 }),
            (Layout::new([5, 3], XR24, 0, 16, 4096), stride.clone()),
            (Layout::new([5, 3], XR24, 0, 22, 4096), stride.clone()),
            (Layout::new([5, 3], XR24, 0, -64, 4096), stride.clone()),
            (Layout::new([5, 3], XR24, 0, (1 << 32) + 64, 4096), stride),
            (Layout::new([5, 3], XR24, -4, 64, 4096), BufferError::Offset(-4)),
            (Layout::new([0, 3], XR24, 0, 64, 4096), BufferError::NoPixels([0, 3])),
            (Layout::new([5, -3], XR24, 0, 64, 4096), BufferError::NoPixels([5, -3])),
            (Layout::new([8193, 1], XR24, 0, 40000, u64::MAX), BufferError::TooLarge([8193, 1])),
            (Layout::new([5, 3], XR24 + 1, 0, 64, 4096), BufferError::Format(XR24 + 1)),
            (
                Layout::new([5, 8192], XR24, 0, i64::from(u32::MAX - 3), 1 << 40),
                BufferError::End { end: 8192 * ((1 << 32) - 4), file_bytes: 1 << 40 },
            ),
            (
                Layout::new([5, 3], XR24, u32::MAX.into(), 64, 4096),
                BufferError::End { end: (1 << 32) - 1 + 192, file_bytes: 4096 },
            ),
        ];
        for (layout, expected) in bad {
            assert_eq!(layout, Err(expected));
        }
    }
}
