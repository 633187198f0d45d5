//! How a launch samples textures: what belongs to the sampler of a unit, not to its texture.

use super::LaunchTextureError;
use crate::pipeline::{Filter, TextureState, Wrap};

/// A sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchSampler {
    /// The wrap modes of x, y and z.
    pub wrap: [Wrap; 3],
    /// The minification filter; integers are not filtered.
    pub min_filter: Filter,
    /// The magnification filter.
    pub mag_filter: Filter,
    /// The smallest level of detail, in 1/256 of a level.
    pub min_lod: u32,
    /// The largest level of detail, in 1/256 of a level.
    pub max_lod: u32,
    /// The border color, ARGB8.
    pub border_color: u32,
}

impl LaunchSampler {
    /// Clamps to the edge and reads the nearest texel.
    pub const PLAIN: Self = Self {
        wrap: [Wrap::ClampToEdge; 3],
        min_filter: Filter::Nearest,
        mag_filter: Filter::Nearest,
        min_lod: 0,
        max_lod: 0,
        border_color: 0,
    };

    /// Wrap modes and filters belong to the sampler, all else to the texture (envytools `g80_texture.xml`, `TIC` and
    /// `TSC`).
    pub(super) fn applied_to(&self, texture: &TextureState) -> TextureState {
        let Self { wrap, min_filter, mag_filter, min_lod, max_lod, border_color } = *self;
        TextureState { wrap, min_filter, mag_filter, min_lod, max_lod, border_color, ..texture.clone() }
    }

    pub(super) const fn check(&self) -> Result<(), LaunchTextureError> {
        match (self.min_filter, self.mag_filter) {
            (Filter::Convolution(_), _) | (_, Filter::Convolution(_)) => Err(LaunchTextureError::Kind),
            _ => Ok(()),
        }
    }
}
