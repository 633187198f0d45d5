//! What the generated text of a texture unit depends on.

use crate::format::TextureFormat;
use crate::work::{Dimensions, EngineError, MipFilter, RemappedChannel, TextureState, Wrap};

/// Everything that the text of a unit depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextureKey {
    /// The texel format.
    pub format: TextureFormat,
    /// Its dimensionality; one-dimensional textures are two-dimensional.
    pub dimensions: Dimensions,
    /// Linear rows instead of swizzled order.
    pub is_linear: bool,
    /// Coordinates in texels.
    pub is_unnormalized: bool,
    /// Whether elements lie at multiples of their size, up to 4.
    pub is_aligned: bool,
    /// Wrap modes of s, t, r.
    pub wrap: [Wrap; 3],
    /// Whether minification and magnification weight texels.
    pub filters_linearly: (bool, bool),
    /// Between levels; `None` also for a single level.
    pub mip_filter: MipFilter,
    /// Minified pixels are averaged over an ellipse.
    pub is_anisotropic: bool,
    /// Filtered as 16-bit fractions instead of floats.
    pub filters_integers: bool,
    /// Shadow comparison code, for depth formats.
    pub shadow_compare: Option<u8>,
    /// Signed flags: bit 0 B, 1 G, 2 R, 3 A.
    pub signed: u8,
    /// Gamma flags: bit 0 R, 1 G, 2 B, 3 A.
    pub gamma: u8,
    /// Expands 0..1 to −1..1.
    pub expand_normal: bool,
    /// Sources of red, green, blue, alpha.
    pub remap: [RemappedChannel; 4],
}

impl TextureKey {
    /// The key of a unit's state.
    ///
    /// # Errors
    /// When the state asks for something that is not executed.
    pub fn new(state: &TextureState) -> Result<Self, EngineError> {
        if let Some(what) = state.unsupported() {
            return Err(EngineError::Unsupported { what });
        }
        let alignment = state.format.element_bytes().min(4);
        let pitch = if state.is_linear { state.pitch_bytes } else { 0 };
        let is_cube = state.dimensions == Dimensions::Cube;
        Ok(Self {
            format: state.format,
            dimensions: if state.dimensions == Dimensions::One { Dimensions::Two } else { state.dimensions },
            is_linear: state.is_linear,
            is_unnormalized: state.is_unnormalized,
            is_aligned: (state.window.start | pitch).is_multiple_of(alignment),
            wrap: if is_cube { [Wrap::ClampToEdge; 3] } else { state.wrap },
            filters_linearly: state.filters_linearly(),
            mip_filter: if state.last_level() == 0 { MipFilter::None } else { state.mip_filter },
            is_anisotropic: state.is_anisotropic(),
            filters_integers: state.filters_integers(),
            shadow_compare: state.compares_depth().then_some(state.shadow_compare & 7),
            signed: if state.filters_integers() { 0 } else { state.signed & 15 },
            gamma: if state.removes_gamma() { state.gamma & 15 } else { 0 },
            expand_normal: state.expand_normal && !state.filters_integers(),
            remap: state.remapped_channels(),
        })
    }

    /// Whether the level of detail makes a difference.
    pub(super) const fn uses_lod(&self) -> bool {
        !matches!(self.mip_filter, MipFilter::None)
            || self.filters_linearly.0 != self.filters_linearly.1
            || self.is_anisotropic
    }

    pub(super) const fn has_slices(&self) -> bool {
        matches!(self.dimensions, Dimensions::Three)
    }

    /// Whether texels may lie outside the image.
    pub(super) fn has_border(&self) -> bool {
        let axes = if self.has_slices() { 3 } else { 2 };
        self.wrap[..axes].iter().any(|&wrap| self.reaches_border(wrap))
    }

    fn reaches_border(&self, wrap: Wrap) -> bool {
        match wrap {
            Wrap::ClampToBorder | Wrap::MirrorClampToBorder => true,
            Wrap::Clamp | Wrap::MirrorClamp => self.filters_linearly.0 || self.filters_linearly.1,
            Wrap::Repeat | Wrap::MirroredRepeat | Wrap::ClampToEdge | Wrap::MirrorClampToEdge => false,
        }
    }

    /// The channels that are computed at all: those that the remap takes.
    pub(super) fn used_channels(&self) -> Vec<usize> {
        if self.shadow_compare.is_some() {
            return vec![0];
        }
        let is_used = |channel: &usize| {
            self.remap
                .iter()
                .any(|remap| matches!(remap, RemappedChannel::Source(source) if usize::from(*source) == *channel))
        };
        (0..4).filter(is_used).collect()
    }
}
