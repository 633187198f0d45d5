//! Counts the filter taps of texture lookups, and determines which units must be counted per fetch.

use std::ops::AddAssign;

use super::instructions::Instructions;
use crate::pipeline::TextureState;

/// Counts of a texture unit's fetches, summed over pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LookupCounts {
    /// Samples: of each level with nonzero weight one, or several along an anisotropic footprint.
    pub samples: u32,
    /// Texels of the image that these samples weighted.
    pub texels: u32,
    /// Fetches that mixed two levels.
    pub trilinear: u32,
    /// Fetches that took several samples of a level.
    pub anisotropic: u32,
}

impl LookupCounts {
    /// Their number of words on a device.
    pub const WORDS: usize = 4;
    /// A texel.
    pub const TEXEL: Self = Self { samples: 0, texels: 1, trilinear: 0, anisotropic: 0 };

    /// So many samples of a pixel's first level, their texels left out.
    #[must_use]
    pub const fn first_level(samples: u32) -> Self {
        Self { samples, texels: 0, trilinear: 0, anisotropic: (samples > 1) as u32 }
    }

    /// The same of the level that is mixed with the first. It never takes more samples than the first.
    #[must_use]
    pub const fn second_level(samples: u32) -> Self {
        Self { samples, texels: 0, trilinear: 1, anisotropic: 0 }
    }

    /// The words, in the order of the fields.
    #[must_use]
    pub const fn words(&self) -> [u32; Self::WORDS] {
        [self.samples, self.texels, self.trilinear, self.anisotropic]
    }
}

impl AddAssign for LookupCounts {
    fn add_assign(&mut self, other: Self) {
        self.samples += other.samples;
        self.texels += other.texels;
        self.trilinear += other.trilinear;
        self.anisotropic += other.anisotropic;
    }
}

/// What kernels count per fetch of a unit, besides fetches that mix levels or take several samples of one. The rest
/// follows from the number of fetches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CountedLookups {
    /// Whether samples of levels are counted. If not, each fetch takes one, and one more to mix levels.
    pub level_samples: bool,
    /// Whether their texels are counted. If not, each sample reads [`TextureState::sample_texels`].
    pub level_texels: bool,
}

/// What is counted for each unit's fetches: nothing if they all cost the same. Programs with flow count
/// everything, as pixels may have left a block that is counted as a whole; so do anisotropic units.
#[must_use]
pub fn counted_lookups(blocks: &[Instructions], textures: &[Option<TextureState>; 16]) -> [Option<CountedLookups>; 16] {
    let has_flow = blocks.iter().any(|block| block.flow != 0);
    std::array::from_fn(|unit| {
        let state = textures[unit].as_ref().filter(|_| blocks.iter().any(|block| block.lookups[unit] != 0))?;
        let level_samples = has_flow || state.is_anisotropic();
        let level_texels = level_samples || state.sample_texels().is_none();
        (level_samples || state.fixed_texels().is_none()).then_some(CountedLookups { level_samples, level_texels })
    })
}
