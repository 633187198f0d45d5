//! Defines the state of a vertex texture unit, and the geometry of its mip levels.

use super::Wrap;
use crate::arith::fragment;
use crate::memory::MemoryWindow;

/// The texel formats that vertex texture units read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VertexTextureFormat {
    /// One float.
    X32F,
    /// Four floats.
    W32Z32Y32X32F,
}

impl VertexTextureFormat {
    /// Both formats.
    pub const ALL: [Self; 2] = [Self::X32F, Self::W32Z32Y32X32F];

    /// Floats per texel.
    #[must_use]
    pub const fn channels(self) -> u32 {
        match self {
            Self::X32F => 1,
            Self::W32Z32Y32X32F => 4,
        }
    }
}

/// One enabled vertex texture unit: rows of floats, read at the nearest texel of the nearest level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexTexture {
    /// The start of the texture, and the extent of its DMA object.
    pub window: MemoryWindow,
    /// The texel format.
    pub format: VertexTextureFormat,
    /// Width and height in texels; both count for one-dimensional textures too.
    pub size: [u32; 2],
    /// Bytes from one row to the next, in every level.
    pub pitch_bytes: u32,
    /// Number of mip levels, 1..13.
    pub levels: u32,
    /// Wrap modes of s and t.
    pub wrap: [Wrap; 2],
    /// Level-of-detail bias, in 1/256 of a level.
    pub lod_bias: i32,
    /// Smallest level of detail, in 1/256 of a level.
    pub min_lod: u32,
    /// Largest level of detail, in 1/256 of a level.
    pub max_lod: u32,
    /// Border color, ARGB8.
    pub border_color: u32,
}

/// One mip level of a vertex texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VertexTextureLevel {
    /// The number of rows in the levels before it.
    pub first_row: u32,
    /// Width and height in texels.
    pub size: [u32; 2],
}

impl VertexTexture {
    /// Largest width and height.
    pub const MAX_SIZE: u32 = 4096;
    /// Most mip levels.
    pub const MAX_LEVELS: u32 = 13;

    /// The last mip level.
    #[must_use]
    pub fn last_level(&self) -> u32 {
        self.levels.clamp(1, Self::MAX_LEVELS) - 1
    }

    /// Width and height of the base level, limited to what the chip can address.
    #[must_use]
    pub fn base_size(&self) -> [u32; 2] {
        self.size.map(|texels| texels.clamp(1, Self::MAX_SIZE))
    }

    /// A level; levels are stored consecutively, row by row.
    #[must_use]
    pub fn level(&self, index: u32) -> VertexTextureLevel {
        let size_of = |level: u32| self.base_size().map(|texels| (texels >> level).max(1));
        let index = index.min(self.last_level());
        VertexTextureLevel { first_row: (0..index).map(|level| size_of(level)[1]).sum(), size: size_of(index) }
    }

    /// The memory that fetches may read: all levels.
    #[must_use]
    pub fn sampled_window(&self) -> MemoryWindow {
        let VertexTextureLevel { first_row, size: [_, rows] } = self.level(self.last_level());
        let [columns, _] = self.base_size();
        let row_bytes = u64::from(columns) * u64::from(4 * self.format.channels());
        let last_row = u64::from(first_row + rows - 1) * u64::from(self.pitch_bytes);
        match u32::try_from(last_row + row_bytes) {
            Ok(bytes) => self.window.truncated(bytes),
            // Offsets wrap around, so texels may lie anywhere.
            Err(_) => self.window,
        }
    }

    /// The border color as bits of floats: red, green, blue, alpha.
    #[must_use]
    pub fn border(&self) -> [u32; 4] {
        [16, 8, 0, 24].map(|shift| fragment::unorm_to_float(self.border_color >> shift & 0xff, 8))
    }

    /// Bias, smallest and largest level of detail, each small enough that sums cannot overflow.
    #[must_use]
    pub fn lod_limits(&self) -> [i32; 3] {
        const LIMIT: i32 = 1 << 20;
        let limit = |value: u32| i32::try_from(value).unwrap_or(LIMIT).min(LIMIT);
        [self.lod_bias.clamp(-LIMIT, LIMIT), limit(self.min_lod), limit(self.max_lod)]
    }
}
