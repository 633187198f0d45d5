//! Pixel formats of the 2D classes: source images, images from the processor, solid colors and 2D surfaces.

/// Pixel formats of the 2D classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ImageFormat {
    /// 16 bits with one bit of alpha.
    A1R5G5B5,
    /// 16 bits, the top bit ignored.
    X1R5G5B5,
    /// 16 bits, the top bit ignored when read and written 0.
    X1R5G5B5Zero,
    /// 16 bits.
    R5G6B5,
    /// 32 bits.
    A8R8G8B8,
    /// 32 bits, the top byte ignored.
    X8R8G8B8,
    /// 32 bits, the top byte ignored when read and written 0.
    X8R8G8B8Zero,
    /// 32 bits with seven bits of alpha, the top bit ignored.
    X1A7R8G8B8,
    /// 32 bits with seven bits of alpha, the top bit ignored when read and written 0.
    X1A7R8G8B8Zero,
    /// 32 bits, red in the lowest byte.
    A8B8G8R8,
    /// 32 bits, red in the lowest byte, the top byte ignored.
    X8B8G8R8,
    /// Two pixels in 32 bits: luminance of the left one lowest, U, luminance of the right one, V.
    V8YB8U8YA8,
    /// Two pixels in 32 bits: U lowest, luminance of the left one, V, luminance of the right one.
    YB8V8YA8U8,
    /// One byte of luminance.
    Y8,
    /// One byte that is luminance and alpha.
    AY8,
    /// Two bytes without channels.
    Y16,
    /// Four bytes without channels.
    Y32,
    /// 32 bits: R5G6B5 in the low half, alpha in the top byte.
    A16R5G6B5,
    /// 32 bits: R5G5B5 in the low half, alpha in the top byte.
    A16X1R5G5B5,
}

/// The codes of a format in method fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageFormatRow {
    /// The format.
    pub format: ImageFormat,
    /// The documented name.
    pub name: &'static str,
    /// Bytes per pixel.
    pub bytes: u32,
    /// Code as the source of a scaled image.
    pub source: Option<u32>,
    /// Code as a 2D surface.
    pub surface: Option<u32>,
    /// Code as an image from the processor.
    pub upload: Option<u32>,
    /// Code as a solid color, one word each.
    pub solid: Option<u32>,
}

impl ImageFormat {
    /// Every format, with its codes.
    ///
    /// The codes of images from the processor that the register database leaves unnamed (6, 7, and 4 of solid colors)
    /// share the chip's internal numbers with the scaled image's 0xc and 0xd.
    pub const TABLE: &'static [ImageFormatRow] = &[
        row(Self::A1R5G5B5, "A1R5G5B5", 2, [1, 0, 2, 0]),
        row(Self::X1R5G5B5, "X1R5G5B5", 2, [2, 3, 3, 0]),
        row(Self::X1R5G5B5Zero, "X1R5G5B5_Z", 2, [0, 2, 0, 0]),
        row(Self::R5G6B5, "R5G6B5", 2, [7, 4, 1, 0]),
        row(Self::A8R8G8B8, "A8R8G8B8", 4, [3, 10, 4, 0]),
        row(Self::X8R8G8B8, "X8R8G8B8", 4, [4, 7, 5, 3]),
        row(Self::X8R8G8B8Zero, "X8R8G8B8_Z", 4, [0, 6, 0, 0]),
        row(Self::X1A7R8G8B8, "X1A7R8G8B8", 4, [0, 9, 0, 0]),
        row(Self::X1A7R8G8B8Zero, "X1A7R8G8B8_Z", 4, [0, 8, 0, 0]),
        row(Self::A8B8G8R8, "A8B8G8R8", 4, [12, 0, 6, 0]),
        row(Self::X8B8G8R8, "X8B8G8R8", 4, [13, 0, 7, 4]),
        row(Self::V8YB8U8YA8, "V8YB8U8YA8", 2, [5, 0, 0, 0]),
        row(Self::YB8V8YA8U8, "YB8V8YA8U8", 2, [6, 0, 0, 0]),
        row(Self::Y8, "Y8", 1, [8, 1, 0, 0]),
        row(Self::AY8, "AY8", 1, [9, 0, 0, 0]),
        row(Self::Y16, "Y16", 2, [0, 5, 0, 0]),
        row(Self::Y32, "Y32", 4, [0, 11, 0, 0]),
        row(Self::A16R5G6B5, "X16R5G6B5", 4, [0, 0, 0, 1]),
        row(Self::A16X1R5G5B5, "X17R5G5B5", 4, [0, 0, 0, 2]),
    ];

    /// The row of this format.
    #[must_use]
    pub fn row(self) -> &'static ImageFormatRow {
        Self::TABLE.iter().find(|row| row.format == self).expect("the table has every format")
    }

    fn find(code: u32, code_of: impl Fn(&ImageFormatRow) -> Option<u32>) -> Option<Self> {
        Self::TABLE.iter().find(|row| code_of(row) == Some(code)).map(|row| row.format)
    }

    /// The format of a source image.
    #[must_use]
    pub fn from_source_code(code: u32) -> Option<Self> {
        Self::find(code, |row| row.source)
    }

    /// The format of a 2D surface.
    #[must_use]
    pub fn from_surface_code(code: u32) -> Option<Self> {
        Self::find(code, |row| row.surface)
    }

    /// The format of an image from the processor.
    #[must_use]
    pub fn from_upload_code(code: u32) -> Option<Self> {
        Self::find(code, |row| row.upload)
    }

    /// The format of a solid color.
    #[must_use]
    pub fn from_solid_code(code: u32) -> Option<Self> {
        Self::find(code, |row| row.solid)
    }

    /// The documented name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Bytes per pixel.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Y8 | Self::AY8 => 1,
            Self::A1R5G5B5
            | Self::X1R5G5B5
            | Self::X1R5G5B5Zero
            | Self::R5G6B5
            | Self::V8YB8U8YA8
            | Self::YB8V8YA8U8
            | Self::Y16 => 2,
            _ => 4,
        }
    }

    /// Whether two pixels share their chrominance.
    #[must_use]
    pub const fn is_yuv(self) -> bool {
        matches!(self, Self::V8YB8U8YA8 | Self::YB8V8YA8U8)
    }

    /// Whether a surface of this format stores the low bits of a source pixel unchanged.
    #[must_use]
    pub const fn takes_bits(self) -> bool {
        matches!(self, Self::Y8 | Self::AY8 | Self::Y16 | Self::Y32)
    }

    /// Shift and width of red, green, blue, alpha. A width of 0 reads 1 and writes nothing.
    ///
    /// Pixels of packed YUV are converted to A8R8G8B8 first; those without channels are copied byte by byte.
    #[must_use]
    pub const fn fields(self) -> [(u32, u32); 4] {
        const RGB8: [(u32, u32); 3] = [(16, 8), (8, 8), (0, 8)];
        let ([red, green, blue], alpha) = match self {
            Self::A1R5G5B5 => ([(10, 5), (5, 5), (0, 5)], (15, 1)),
            Self::X1R5G5B5 | Self::X1R5G5B5Zero => ([(10, 5), (5, 5), (0, 5)], (0, 0)),
            Self::R5G6B5 => ([(11, 5), (5, 6), (0, 5)], (0, 0)),
            Self::A8R8G8B8 | Self::V8YB8U8YA8 | Self::YB8V8YA8U8 => (RGB8, (24, 8)),
            Self::X8R8G8B8 | Self::X8R8G8B8Zero => (RGB8, (0, 0)),
            Self::X1A7R8G8B8 | Self::X1A7R8G8B8Zero => (RGB8, (24, 7)),
            Self::A8B8G8R8 => ([(0, 8), (8, 8), (16, 8)], (24, 8)),
            Self::X8B8G8R8 => ([(0, 8), (8, 8), (16, 8)], (0, 0)),
            Self::Y8 => ([(0, 8), (0, 8), (0, 8)], (0, 0)),
            Self::AY8 => ([(0, 8), (0, 8), (0, 8)], (0, 8)),
            Self::Y16 => ([(0, 0), (8, 8), (0, 8)], (0, 0)),
            Self::Y32 => (RGB8, (24, 8)),
            Self::A16R5G6B5 => ([(11, 5), (5, 6), (0, 5)], (24, 8)),
            Self::A16X1R5G5B5 => ([(10, 5), (5, 5), (0, 5)], (24, 8)),
        };
        [red, green, blue, alpha]
    }
}

/// A row from its codes; 0 means none.
const fn row(format: ImageFormat, name: &'static str, bytes: u32, codes: [u32; 4]) -> ImageFormatRow {
    const fn code(code: u32) -> Option<u32> {
        if code == 0 { None } else { Some(code) }
    }
    let [source, surface, upload, solid] = codes;
    ImageFormatRow {
        format,
        name,
        bytes,
        source: code(source),
        surface: code(surface),
        upload: code(upload),
        solid: code(solid),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique() {
        for codes in [
            ImageFormat::TABLE.iter().map(|row| row.source).collect::<Vec<_>>(),
            ImageFormat::TABLE.iter().map(|row| row.surface).collect(),
            ImageFormat::TABLE.iter().map(|row| row.upload).collect(),
            ImageFormat::TABLE.iter().map(|row| row.solid).collect(),
        ] {
            let mut codes: Vec<_> = codes.into_iter().flatten().collect();
            codes.sort_unstable();
            let before = codes.len();
            codes.dedup();
            assert_eq!(codes.len(), before);
        }
    }
}
