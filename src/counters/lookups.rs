//! What fetches of texture units take, and of which units that is counted fetch by fetch.

use std::ops::AddAssign;

use super::blocks::Instructions;
use crate::work::TextureState;

/// What fetches of a texture unit took, summed over pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LookupCounts {
    /// Samples: one of each level that has a weight; of anisotropic fetches as many as their footprint is long.
    pub samples: u32,
    /// Texels of the image that these weighted.
    pub texels: u32,
    /// Fetches that mixed two levels.
    pub trilinear: u32,
    /// Fetches that were averaged along a footprint.
    pub anisotropic: u32,
}

impl LookupCounts {
    /// How many words they are on a device.
    pub const WORDS: usize = 4;

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

/// The units whose fetches are counted one by one, bit by bit: those that take what depends on the fetch, and in programs with
/// flow all, as pixels may have left a block that is counted whole.
#[must_use]
pub fn counted_units(blocks: &[Instructions], textures: &[Option<TextureState>; 16]) -> u16 {
    let has_flow = blocks.iter().any(|block| block.flow != 0);
    (0..16).fold(0, |units, unit| {
        let is_sampled = blocks.iter().any(|block| block.lookups[unit] != 0);
        let varies = |state: &TextureState| has_flow || state.fixed_texels().is_none();
        units | u16::from(is_sampled && textures[unit].as_ref().is_some_and(varies)) << unit
    })
}
