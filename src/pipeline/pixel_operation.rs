//! Defines how image copies combine source pixels with surface pixels: operations, patterns, factors, color keys.

/// Which pixels an image copy writes, and from which inputs: source, surface, pattern and factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageOperation {
    /// The source, if its alpha is not zero.
    SourceCopyAnd,
    /// A bitwise operation on pattern, source and surface, if the source's alpha is not zero.
    RopAnd,
    /// Blending by source alpha times beta, if the source's alpha is not zero.
    BlendAnd,
    /// The source.
    SourceCopy,
    /// The source times the four factors.
    SourceCopyPremultiplied,
    /// The source times the four factors over the surface.
    BlendPremultiplied,
}

impl ImageOperation {
    /// Every operation.
    pub const ALL: [Self; 6] = [
        Self::SourceCopyAnd,
        Self::RopAnd,
        Self::BlendAnd,
        Self::SourceCopy,
        Self::SourceCopyPremultiplied,
        Self::BlendPremultiplied,
    ];

    /// Whether it computes with channels rather than bits.
    #[must_use]
    pub const fn is_arithmetic(self) -> bool {
        matches!(self, Self::BlendAnd | Self::SourceCopyPremultiplied | Self::BlendPremultiplied)
    }
}

/// How eight bits of a channel are reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColorConversion {
    /// By a threshold that depends on the position.
    Dither,
    /// The low bits are dropped.
    Truncate,
    /// The high bits are subtracted from the low ones before the low bits are dropped.
    SubtractTruncate,
}

/// The arrangement of a pattern's 64 bits on the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PatternShape {
    /// Eight columns and rows.
    Square,
    /// Sixty-four columns.
    Row,
    /// Sixty-four rows.
    Column,
    /// Eight columns and rows of colors instead of bits.
    Colors,
}

/// A pattern that repeats over the surface; colors are A8R8G8B8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Its shape.
    pub shape: PatternShape,
    /// The bits, the lowest first.
    pub bitmap: [u32; 2],
    /// The colors of zero and one bits.
    pub bitmap_colors: [u32; 2],
    /// The colors of 8×8 pixels.
    pub colors: [u32; 64],
}

impl Pattern {
    /// The color at pixel (x, y) of the surface, as A8R8G8B8.
    #[must_use]
    pub fn color(&self, x: u32, y: u32) -> u32 {
        let square = (y & 7) << 3 | (x & 7);
        let bit = match self.shape {
            PatternShape::Colors => return self.colors[square as usize],
            PatternShape::Square => square,
            PatternShape::Row => x & 63,
            PatternShape::Column => y & 63,
        };
        self.bitmap_colors[(self.bitmap[(bit >> 5) as usize] >> (bit & 31) & 1) as usize]
    }
}

/// Everything besides the image that affects a written pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PixelOperation {
    /// The operation.
    pub operation: ImageOperation,
    /// How channels are reduced.
    pub conversion: ColorConversion,
    /// Truth table of the bitwise operation; bit `pattern << 2 | source << 1 | surface`.
    pub rop: u8,
    /// The blend factor.
    pub beta: u8,
    /// Factors of blue, green, red, alpha, lowest byte first.
    pub beta4: u32,
    /// The pattern, if one is bound.
    pub pattern: Option<Box<Pattern>>,
    /// A result of a bitwise operation that is not written, as A8R8G8B8.
    pub color_key: Option<u32>,
    /// Whether source pixels with zero alpha are skipped, regardless of the operation.
    pub skips_transparent: bool,
}

impl PixelOperation {
    /// Writes the unmodified source, dropping low bits.
    pub const COPY: Self = Self {
        operation: ImageOperation::SourceCopy,
        conversion: ColorConversion::Truncate,
        rop: 0xcc,
        beta: 255,
        beta4: u32::MAX,
        pattern: None,
        color_key: None,
        skips_transparent: false,
    };

    /// Whether the result is always the converted source.
    #[must_use]
    pub const fn is_copy(&self) -> bool {
        matches!(self.operation, ImageOperation::SourceCopy) && self.color_key.is_none() && !self.skips_transparent
    }
}
