//! The key of a texture unit: everything that its generated text depends on.

use crate::counters::CountedLookups;
use crate::format::TextureFormat;
use crate::pipeline::{
    ChannelRule, ColorKeyMode, Compare, Convolution, Dimensions, EngineError, LayoutKind, MipFilter, RemappedChannel,
    TextureLayout, TextureState, Wrap,
};

/// What a program does with a unit besides sampling in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct UnitUses {
    /// Some fetches add texels to their places, which `texture_offsets_{unit}` holds.
    pub offsets: bool,
    /// Some gather texels.
    pub gathers: bool,
    /// Some ask for the level of detail.
    pub lods: bool,
    /// Some prepare coordinates of cube maps.
    pub cubes: bool,
}

/// Everything that the text of a unit depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextureKey {
    /// The texel format.
    pub format: TextureFormat,
    /// Its dimensionality; one-dimensional textures are two-dimensional.
    pub dimensions: Dimensions,
    /// How levels are stored.
    pub layout: LayoutKind,
    /// Coordinates in texels.
    pub is_unnormalized: bool,
    /// Whether elements are aligned to their size, up to 4 bytes.
    pub is_aligned: bool,
    /// Whether all texels lie in memory, so that accesses need no check.
    pub is_whole: bool,
    /// Border texels on each side, per axis.
    pub border_texels: [u32; 3],
    /// Levels are stored with power-of-two sides.
    pub is_padded: bool,
    /// Groups of four slices are stored block by block.
    pub has_bricks: bool,
    /// Wrap modes of s, t, r; those of seamless cube maps reach beyond the edge.
    pub wrap: [Wrap; 3],
    /// Whether minification and magnification weight texels.
    pub filters_linearly: (bool, bool),
    /// The convolution filter.
    pub convolution: Option<Convolution>,
    /// The filter between levels; `None` also for a single level.
    pub mip_filter: MipFilter,
    /// Levels take several samples along long footprints.
    pub is_anisotropic: bool,
    /// Filtered as bytes or 16-bit fractions instead of floats.
    pub filters_integers: bool,
    /// Shadow comparison, for depth formats.
    pub shadow_compare: Option<Compare>,
    /// A comparison gives −1 and 1 instead of 0 and 1.
    pub expands_depth: bool,
    /// How red, green, blue, alpha become numbers.
    pub rules: [ChannelRule; 4],
    /// The results that gamma is removed from: bit 0 R, 1 G, 2 B, 3 A.
    pub gamma: u8,
    /// The effect of the color key.
    pub color_key: ColorKeyMode,
    /// The color key includes alpha.
    pub keys_alpha: bool,
    /// Discards fragments whose sampled alpha is 0.
    pub alpha_kill: bool,
    /// Sources of red, green, blue, alpha.
    pub remap: [RemappedChannel; 4],
    /// Texels are remapped before they are filtered.
    pub remaps_texels: bool,
    /// The dimensions of the layers of an array.
    pub layers: Option<Dimensions>,
    /// What a program does with it besides sampling in place.
    pub uses: UnitUses,
    /// Texels may lie outside the image: in the border, or on adjacent faces of a cube map.
    pub has_border: bool,
    /// The counted work of fetches.
    pub counts: Option<CountedLookups>,
}

impl TextureKey {
    /// The key of a unit's state; `bytes` of its window exist, and nothing is counted.
    ///
    /// # Errors
    /// If the state needs something unsupported.
    pub fn new(state: &TextureState, bytes: u32) -> Result<Self, EngineError> {
        match state.view.unsupported() {
            Some(what) => Err(EngineError::Unsupported { what }),
            None => Ok(Self::of(state, bytes)),
        }
    }

    /// The same for a state that was checked. Sides may be longer if only texels are read.
    pub(crate) fn of(state: &TextureState, bytes: u32) -> Self {
        let alignment = state.view.format.element_bytes().min(4);
        let pitch = if let TextureLayout::Linear { pitch_bytes } = state.view.layout { pitch_bytes } else { 0 };
        Self {
            format: state.view.format,
            dimensions: if state.view.dimensions == Dimensions::One { Dimensions::Two } else { state.view.dimensions },
            layout: state.view.layout.kind(),
            is_unnormalized: state.view.is_unnormalized,
            is_aligned: (state.view.window.start | pitch).is_multiple_of(alignment),
            is_whole: state.view.reached_bytes() <= u64::from(bytes),
            wrap: state.wrap_modes(),
            border_texels: state.view.border_texels(),
            is_padded: state.view.is_padded(),
            has_bricks: state.view.has_bricks(),
            filters_linearly: state.filters_linearly(),
            convolution: state.convolution(),
            mip_filter: if state.view.last_level() == 0 { MipFilter::None } else { state.sampler.mip_filter },
            is_anisotropic: state.is_anisotropic(),
            filters_integers: state.view.filters_integers(),
            shadow_compare: state.view.compares_depth().then_some(state.sampler.shadow_compare),
            expands_depth: state.view.expands_depth(),
            rules: state.view.channel_rules(),
            gamma: state.view.gamma_channels(),
            color_key: state.effective_color_key(),
            keys_alpha: state.effective_color_key() != ColorKeyMode::Off && state.view.color_key_mask() >> 24 != 0,
            alpha_kill: state.sampler.alpha_kill,
            remap: state.view.remap,
            remaps_texels: state.remaps_texels(),
            layers: state.view.layers.map(|_| state.view.dimensions),
            uses: UnitUses::default(),
            has_border: state.reaches_border(),
            counts: None,
        }
    }

    /// The same for a program that uses the unit so.
    #[must_use]
    pub fn used(self, uses: UnitUses) -> Self {
        // A gather reads four texels even if filters weight none.
        let reaches = |axis: usize| self.border_texels[axis] == 0 && self.wrap[axis].reaches_border(true);
        let has_border = self.has_border || uses.gathers && (0..3).any(reaches);
        Self { uses, has_border, ..self }
    }

    /// Whether it is an array of cube maps. Its images are the faces of all.
    #[must_use]
    pub(crate) const fn is_cube_array(&self) -> bool {
        matches!(self.layers, Some(Dimensions::Cube))
    }

    /// Whether linear filters and gathers read adjacent faces beyond the edges of a cube map's faces.
    pub(crate) fn is_seamless(&self) -> bool {
        self.dimensions == Dimensions::Cube && self.wrap[0].reaches_border(true)
    }

    /// Whether fetches of this key do, because some weight or gather texels.
    pub(crate) fn has_seams(&self) -> bool {
        self.is_seamless() && self.has_border
    }

    /// Whether these integers are bytes.
    pub(crate) const fn filters_bytes(&self) -> bool {
        self.filters_integers && self.shadow_compare.is_none() && self.format.has_byte_channels()
    }

    /// Whether the level of detail makes a difference.
    pub(crate) const fn uses_lod(&self) -> bool {
        !matches!(self.mip_filter, MipFilter::None)
            || self.filters_linearly.0 != self.filters_linearly.1
            || matches!(self.convolution, Some(Convolution { applies: (true, false) | (false, true), .. }))
            || self.is_anisotropic
    }

    pub(crate) const fn has_slices(&self) -> bool {
        matches!(self.dimensions, Dimensions::Three)
    }

    pub(crate) const fn color_key_mask(&self) -> u32 {
        if self.keys_alpha { 0xffff_ffff } else { 0x00ff_ffff }
    }

    /// Whether fetches can discard fragments.
    pub(crate) const fn can_discard(&self) -> bool {
        self.alpha_kill || matches!(self.color_key, ColorKeyMode::Discard)
    }

    /// The channels that are filtered.
    pub(crate) fn used_channels(&self) -> Vec<usize> {
        if self.remaps_texels { vec![0, 1, 2, 3] } else { self.stored_channels() }
    }

    /// The channels of texels that are computed: those that the remap reads, or all for the color key.
    pub(crate) fn stored_channels(&self) -> Vec<usize> {
        if self.shadow_compare.is_some() {
            return vec![0];
        }
        if self.color_key != ColorKeyMode::Off {
            return vec![0, 1, 2, 3];
        }
        let is_used = |channel: &usize| {
            self.remap
                .iter()
                .any(|remap| matches!(remap, RemappedChannel::Source(source) if usize::from(*source) == *channel))
        };
        (0..4).filter(is_used).collect()
    }
}
