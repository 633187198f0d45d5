//! Samples of a surface by tiles, and the formats and classes of tiles.

use bytemuck::{Pod, Zeroable};

use crate::ParameterError;
use crate::format::SampleMode;

/// Samples in a row of a tile.
pub const TILE_COLUMNS: u32 = 8;

/// Rows of a tile.
pub const TILE_ROWS: u32 = 4;

/// Bytes of a tile that is not compressed.
pub const TILE_BYTES: u32 = 128;

/// Samples of a tile.
pub const TILE_SAMPLES: usize = 32;

/// How tiles of a surface are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TileFormat {
    /// Depth of Z24S8 as gradients (codes 10, 11 and 12 for 1, 2 and 4 samples).
    Depth(SampleMode),
    /// Color of 32 bits with four samples in squares of 2×2 (code 8): a tile fits if the samples of each pixel are
    /// equal.
    FlatColor,
    /// A8R8G8B8 with two samples side by side (code 7). Only part of its condition is known. Tiles count as
    /// fitting if the samples of each pixel are equal; all fitting tiles satisfy this, so the count is an upper
    /// bound. Tiles of one color surely fit.
    PairedColor,
}

impl TileFormat {
    /// The format of a color surface of 32 bits; `None` with one sample, which is never compressed.
    #[must_use]
    pub const fn of_color(samples: SampleMode) -> Option<Self> {
        match samples.count() {
            1 => None,
            2 => Some(Self::PairedColor),
            _ => Some(Self::FlatColor),
        }
    }

    /// Bytes moved per tile; for depth surfaces they depend on whether stencil is needed as well.
    #[must_use]
    pub const fn tile_bytes(self, is_compressed: bool, with_stencil: bool) -> u32 {
        match (self, is_compressed, with_stencil) {
            (Self::Depth(_), true, true) => 64,
            (_, true, _) => 32,
            // Stencil is stored apart from depth even in uncompressed tiles.
            (Self::Depth(_), false, false) => 96,
            _ => TILE_BYTES,
        }
    }
}

/// A surface of samples of 32 bits in rows; depth is in bits 31:8.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct SampleSurface {
    /// The memory word of its first sample.
    pub first_word: u32,
    /// Samples in a row, up to 65536.
    pub width: u32,
    /// Rows of samples, up to 65536.
    pub height: u32,
    /// Words from one row to the next, at least the width.
    pub pitch_words: u32,
}

impl SampleSurface {
    /// Tiles in a row and in a column; the last ones may reach beyond the surface.
    #[must_use]
    pub const fn tiles(&self) -> [u32; 2] {
        [self.width.div_ceil(TILE_COLUMNS), self.height.div_ceil(TILE_ROWS)]
    }

    /// The memory word of a sample.
    pub(super) const fn word(&self, x: u32, y: u32) -> usize {
        self.first_word as usize + y as usize * self.pitch_words as usize + x as usize
    }

    /// Checks that it lies inside memory of this many words.
    ///
    /// # Errors
    /// With the first field that does not fit.
    pub fn check(&self, words: u64) -> Result<(), ParameterError> {
        let Self { first_word, width, height, pitch_words } = *self;
        ParameterError::unless(width <= 1 << 16, "width", width, "at most 65536")?;
        ParameterError::unless(height <= 1 << 16, "height", height, "at most 65536")?;
        ParameterError::unless(pitch_words >= width, "pitch_words", pitch_words, "at least the width")?;
        let rows = u64::from(pitch_words) * u64::from(height.saturating_sub(1));
        let end = if width == 0 || height == 0 { 0 } else { u64::from(first_word) + rows + u64::from(width) };
        ParameterError::unless(
            end <= words && end <= 1 << 32,
            "first_word",
            first_word,
            "such that memory holds all rows",
        )
    }
}

/// Class of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum TileClass {
    /// It does not fit.
    Plain,
    /// It fits.
    Compressed,
    /// It fits, and all of its samples are equal, as after a fast clear.
    Constant,
    /// It reaches beyond the surface; it counts as not fitting.
    Partial,
}

impl TileClass {
    /// The class of a code.
    #[must_use]
    pub const fn from_code(code: u32) -> Self {
        match code {
            0 => Self::Plain,
            1 => Self::Compressed,
            2 => Self::Constant,
            _ => Self::Partial,
        }
    }
}

/// The tiles of a surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileMap {
    /// How they are compressed.
    pub format: TileFormat,
    /// Tiles in a row.
    pub columns: u32,
    /// The tiles row by row.
    pub tiles: Vec<TileClass>,
}

impl TileMap {
    /// How many tiles are of a class.
    #[must_use]
    pub fn count(&self, class: TileClass) -> u64 {
        self.tiles.iter().filter(|tile| **tile == class).count() as u64
    }

    /// Bytes moved if every tile is moved once.
    #[must_use]
    pub fn bytes(&self, with_stencil: bool) -> u64 {
        let fitting = self.count(TileClass::Compressed) + self.count(TileClass::Constant);
        let bytes = |is_compressed| u64::from(self.format.tile_bytes(is_compressed, with_stencil));
        fitting * bytes(true) + (self.tiles.len() as u64 - fitting) * bytes(false)
    }
}
