//! Decides how a texture unit treats sampled texels: filters, channel rules, gamma, the color key and the remap.

use super::texture_levels::MAX_LEVELS;
use super::{
    BorderColor, ColorKeyMode, ConvolutionKernel, Dimensions, Filter, LayoutKind, RemappedChannel, Sampler,
    TextureState, TextureView, Wrap,
};
use crate::arith::fragment;
use crate::format::texel::{BlockKind, Field};
use crate::format::{PackedComponents, TexelStorage, TextureFormat};

/// How the raw bits of a channel become a number before filtering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChannelRule {
    /// A fraction 0..1.
    Unsigned,
    /// Two's complement: v/127 (v/32767 for 16 bits), so that the least is below −1.
    Signed,
    /// The same, at least −1.
    SignedClamped,
    /// A fraction with its middle shifted to zero: (v − 128)/127 (−32768)/32767, the least below −1.
    Expanded,
    /// A fraction on the sRGB curve.
    Srgb,
}

/// A convolution filter in effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Convolution {
    /// Its kernel.
    pub kernel: ConvolutionKernel,
    /// Whether it minifies and magnifies.
    pub applies: (bool, bool),
}

/// The base-2 logarithms of 1..=16 in 1/256, to the nearest.
pub(crate) const ANISOTROPY_LOGARITHMS: [i32; 16] =
    [0, 256, 406, 512, 594, 662, 719, 768, 812, 850, 886, 918, 947, 975, 1000, 1024];

impl TextureView {
    /// Whether texels are compared with a component of the coordinate.
    ///
    /// Unverified: depth formats always compare, because the open driver re-declares them to read their values.
    #[must_use]
    pub const fn compares_depth(&self) -> bool {
        matches!(self.format.storage(), TexelStorage::Depth { .. } | TexelStorage::FloatDepth { .. })
    }

    /// Whether the format is unsigned normalized.
    const fn holds_fractions(&self) -> bool {
        matches!(self.format.storage(), TexelStorage::Fields(_) | TexelStorage::Block(_) | TexelStorage::Pair(_))
    }

    /// Whether alpha is stored at all.
    const fn stores_alpha(&self) -> bool {
        match self.format.storage() {
            TexelStorage::Fields(fields) => matches!(fields[3], Field::Bits { .. }),
            TexelStorage::Pair(_) => false,
            _ => true,
        }
    }

    /// How natural channels become numbers: signed takes precedence over gamma, and gamma over expansion. A channel that is
    /// not stored has all bits set, or none.
    ///
    /// Source: results of an RSX, the console's chip of this family, in RPCS3's issue 18171; `HILO8` has no signs there.
    // Unverified: that X16 has signs, as Mesa's driver assumes; RPCS3 reports that it has not.
    #[must_use]
    pub fn channel_rules(&self) -> [ChannelRule; 4] {
        if self.format.is_of_tesla() {
            return self.gamma.map(|is_srgb| self.tesla_rule(is_srgb));
        }
        let takes_signs = self.format != TextureFormat::HiLo8;
        std::array::from_fn(|channel| {
            if !self.holds_fractions() {
                return ChannelRule::Unsigned;
            }
            if takes_signs && self.signed[channel] {
                return if self.is_signed_clamped { ChannelRule::SignedClamped } else { ChannelRule::Signed };
            }
            let is_taken = |output: usize| self.remap[output] == RemappedChannel::Source([0, 1, 2, 3][channel]);
            let has_gamma = (0..4).any(|output| self.is_gamma_wanted(output) && is_taken(output));
            if self.expand_normal && !has_gamma { ChannelRule::Expanded } else { ChannelRule::Unsigned }
        })
    }

    /// The rule of a channel of Tesla's formats. It leaves the sRGB curve before it is filtered.
    fn tesla_rule(&self, is_srgb: bool) -> ChannelRule {
        match self.format.storage() {
            TexelStorage::Block(BlockKind::Rgtc1 { is_signed: true } | BlockKind::Rgtc2 { is_signed: true }) => {
                ChannelRule::SignedClamped
            }
            TexelStorage::Block(_) if is_srgb => ChannelRule::Srgb,
            storage => match storage.packed() {
                Some(packed) if is_srgb && packed.are_short_fractions() => ChannelRule::Srgb,
                _ => ChannelRule::Unsigned,
            },
        }
    }

    /// Whether fetches read the table of the sRGB curve.
    #[must_use]
    pub fn uses_srgb(&self) -> bool {
        self.gamma_channels() != 0 || self.channel_rules().contains(&ChannelRule::Srgb)
    }

    /// Whether a comparison returns −1 and 1 instead of 0 and 1.
    ///
    /// Unverified: that expansion comes before filtering here too.
    #[must_use]
    pub const fn expands_depth(&self) -> bool {
        self.compares_depth() && self.expand_normal
    }

    /// Whether texels are filtered as bytes or 16-bit fractions rather than as floats.
    #[must_use]
    pub fn filters_integers(&self) -> bool {
        if self.compares_depth() {
            return !self.expand_normal;
        }
        let holds_unorm = self.format.storage().packed().is_some_and(PackedComponents::are_short_fractions);
        (self.holds_fractions() || holds_unorm) && self.channel_rules() == [ChannelRule::Unsigned; 4]
    }

    /// Whether they are filtered as bytes rather than as 16-bit fractions: for formats whose channels have at most 8 bits.
    ///
    /// Unverified: that comparisons are rounded to 16 bits.
    #[must_use]
    pub fn filters_bytes(&self) -> bool {
        self.filters_integers() && !self.compares_depth() && self.format.has_byte_channels()
    }

    /// Whether gamma applies: only unsigned normalized formats of at most 8 bits have it.
    fn is_gamma_wanted(&self, output: usize) -> bool {
        let has_bytes = match self.format.storage() {
            TexelStorage::Fields(fields) => {
                fields.iter().all(|field| !matches!(field, Field::Bits { width, .. } if *width > 8))
                    && self.format != TextureFormat::HiLo8
            }
            TexelStorage::Block(_) | TexelStorage::Pair(_) => true,
            _ => false,
        };
        has_bytes && !self.format.is_of_tesla() && self.gamma[output]
    }

    /// The channels of the sampled value from which gamma is removed: bit 0 red … 3 alpha.
    #[must_use]
    pub fn gamma_channels(&self) -> u8 {
        let rules = self.channel_rules();
        (0..4usize).fold(0, |mask, output| {
            let is_unsigned = match self.remap[output] {
                RemappedChannel::Source(source) => rules[usize::from(source)] == ChannelRule::Unsigned,
                RemappedChannel::Zero | RemappedChannel::One | RemappedChannel::OneInteger => false,
            };
            mask | u8::from(self.is_gamma_wanted(output) && is_unsigned) << output
        })
    }

    /// The bits of the color key that count: alpha only if it is stored.
    #[must_use]
    pub const fn color_key_mask(&self) -> u32 {
        if self.stores_alpha() { 0xffff_ffff } else { 0x00ff_ffff }
    }

    /// Returns what the chip would not accept in this state; `None` if everything is executed.
    #[must_use]
    pub fn unsupported(&self) -> Option<String> {
        let refuse = |what: &str| Some(format!("a {} texture with {what}", self.format.name()));
        let is_volume = self.dimensions == Dimensions::Three;
        // The fields of width and height go up to 4096, that of the depth up to 1023; on Tesla, the sides have these limits (Mesa,
        // `nv50_screen.c`), and a buffer is a row of up to 2²⁷ texels.
        let [longest, most_slices] = match (self.format.is_of_tesla(), self.layout.kind(), self.dimensions) {
            (false, ..) => [4096, 1023],
            (true, LayoutKind::Linear, Dimensions::One) => [1 << 27, 1],
            (true, ..) => [8192, 2048],
        };
        if self.size.contains(&0)
            || self.size[0].max(self.size[1]) > longest
            || self.size[2] > most_slices
            || self.layers == Some(0)
        {
            return refuse(&format!("a size of {}×{}×{}", self.size[0], self.size[1], self.size[2]));
        }
        if self.levels == 0 || self.levels > MAX_LEVELS {
            return refuse(&format!("{} levels", self.levels));
        }
        if !is_volume && self.size[2] != 1 {
            return refuse("slices, but not three dimensions");
        }
        if self.is_unnormalized && (self.levels != 1 || self.dimensions == Dimensions::Cube) {
            return refuse("unnormalised coordinates and mip levels or faces");
        }
        if self.layout.kind() != LayoutKind::Linear && matches!(self.format.storage(), TexelStorage::Pair(_)) {
            return refuse("an order other than rows");
        }
        None
    }
}

impl Sampler {
    /// The bias of the level of detail in 1/256, small enough that sums cannot overflow.
    #[must_use]
    pub fn limited_lod_bias(&self) -> i32 {
        self.lod_bias.clamp(-(1 << 20), 1 << 20)
    }

    /// The base-2 logarithm of the largest anisotropy, in 1/256.
    #[must_use]
    pub fn anisotropy_limit(&self) -> i32 {
        ANISOTROPY_LOGARITHMS[usize::from(self.max_anisotropy.clamp(1, 16)) - 1]
    }
}

impl TextureState {
    /// Minification and magnification within a level. NV40's single floats and integers are never filtered.
    #[must_use]
    pub const fn filters(&self) -> (Filter, Filter) {
        if matches!(self.view.format.storage(), TexelStorage::Float(_)) || self.view.format.holds_integers() {
            return (Filter::Nearest, Filter::Nearest);
        }
        (self.sampler.min_filter, self.sampler.mag_filter)
    }

    /// Whether minification and magnification weight texels by distance.
    #[must_use]
    pub fn filters_linearly(&self) -> (bool, bool) {
        let (minification, magnification) = self.filters();
        (minification == Filter::Linear, magnification == Filter::Linear)
    }

    /// Whether linear filters read texels beyond the edges of faces from adjacent faces. No chip has that and border texels or
    /// convolutions.
    #[must_use]
    pub fn is_seamless(&self) -> bool {
        let view = &self.view;
        let has_square_faces = view.dimensions == Dimensions::Cube && view.size[0] == view.size[1];
        self.sampler.is_seamless && has_square_faces && !view.has_border_texels && self.convolution().is_none()
    }

    /// The wrap modes in effect. Cube maps have those of `ARB_seamless_cube_map`: they clamp to the edge, where linear filters of
    /// seamless ones reach beyond it.
    // Unverified: that samples of an anisotropic footprint beyond the edge of a face are taken at it.
    #[must_use]
    pub fn wrap_modes(&self) -> [Wrap; 3] {
        match self.view.dimensions {
            Dimensions::Cube if self.is_seamless() => [Wrap::Clamp; 3],
            Dimensions::Cube => [Wrap::ClampToEdge; 3],
            _ => self.sampler.wrap,
        }
    }

    /// The convolution filter, if one is in effect.
    #[must_use]
    pub const fn convolution(&self) -> Option<Convolution> {
        match self.filters() {
            (Filter::Convolution(kernel), Filter::Convolution(_)) => {
                Some(Convolution { kernel, applies: (true, true) })
            }
            (Filter::Convolution(kernel), _) => Some(Convolution { kernel, applies: (true, false) }),
            (_, Filter::Convolution(kernel)) => Some(Convolution { kernel, applies: (false, true) }),
            _ => None,
        }
    }

    /// Whether minified pixels use anisotropic filtering. Volumes never do (GPU Gems 2, section 30.3.1).
    #[must_use]
    pub fn is_anisotropic(&self) -> bool {
        self.view.dimensions != Dimensions::Three && self.sampler.max_anisotropy > 1 && self.filters_linearly().0
    }

    /// The color key mode: it applies only to fractions, neither signed nor expanded.
    #[must_use]
    pub fn effective_color_key(&self) -> ColorKeyMode {
        if self.view.compares_depth() || !self.view.filters_integers() {
            ColorKeyMode::Off
        } else {
            self.sampler.color_key_mode
        }
    }

    /// The border as texels are before they are filtered; of a comparison, its depth in x.
    ///
    /// Source: OpenGL 3.3, section 3.8.8: colors are clamped to the range of fixed-point formats.
    // Unverified: that the border's depth is its red channel.
    #[must_use]
    pub fn filtered_border(&self) -> [u32; 4] {
        let (view, format) = (&self.view, self.view.format);
        let fractions = match self.sampler.border_color {
            BorderColor::Argb8(color) => {
                let channel = |shift: u32| (color >> shift) & 0xff;
                if view.compares_depth() {
                    return [format.border_depth_bits(channel(16)), 0, 0, 0];
                }
                let fractions = [16, 8, 0, 24].map(|shift| channel(shift) * 0x101);
                if !view.filters_integers() {
                    return fractions.map(|fraction| fragment::unorm_to_float(fraction, 16));
                }
                fractions
            }
            BorderColor::Words(words) if view.compares_depth() => {
                return [format.reference_depth_bits(words[0]), 0, 0, 0];
            }
            BorderColor::Words(words) if !view.filters_integers() => return words.map(|word| format.clamped(word)),
            BorderColor::Words(words) => words.map(|word| fragment::float_to_unorm(word, 16)),
        };
        if view.filters_bytes() { fractions.map(|fraction| fraction >> 8) } else { fractions }
    }

    /// Whether texels are remapped before they are filtered, because the border is not.
    ///
    /// Source: Gallium's `PIPE_QUIRK_TEXTURE_BORDER_COLOR_SWIZZLE_NV50`: the border of this chip has no sources.
    #[must_use]
    pub fn remaps_texels(&self) -> bool {
        matches!(self.sampler.border_color, BorderColor::Words(_))
            && self.view.format.is_of_tesla()
            && self.view.dimensions != Dimensions::Cube
            && !self.view.compares_depth()
            && self.view.remap != RemappedChannel::IDENTITY
            && self.reaches_border()
    }

    /// Whether fetches can discard fragments.
    #[must_use]
    pub fn can_discard(&self) -> bool {
        self.sampler.alpha_kill || self.effective_color_key() == ColorKeyMode::Discard
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::{TextureLayout, plain_texture};

    #[test]
    fn signs_go_before_gamma_and_gamma_before_expansion() {
        use ChannelRule::{Expanded, Signed, SignedClamped, Unsigned};
        let mut texture = plain_texture(TextureFormat::A8R8G8B8, 1, 1, 1);
        // Green is signed; gamma on red and green; expansion for the rest.
        texture.view.signed[1] = true;
        (texture.view.gamma, texture.view.expand_normal) = ([true, true, false, false], true);
        assert_eq!(texture.view.channel_rules(), [Unsigned, Signed, Expanded, Expanded]);
        assert_eq!(texture.view.gamma_channels(), 0b0001);
        texture.view.is_signed_clamped = true;
        assert_eq!(texture.view.channel_rules()[1], SignedClamped);
        assert!(!texture.view.filters_integers());
        texture.view.format = TextureFormat::X16;
        assert_eq!(texture.view.channel_rules(), [Expanded, SignedClamped, Expanded, Expanded]);
        texture.view.format = TextureFormat::HiLo8;
        assert_eq!((texture.view.channel_rules(), texture.view.gamma_channels()), ([Expanded; 4], 0));
        // A channel that is not stored has all bits set: -1/127.
        texture.view.format = TextureFormat::D8R8G8B8;
        texture.view.signed = [true; 4];
        assert_eq!(texture.view.channel_rules()[3], SignedClamped);
    }

    #[test]
    fn keys_and_kills() {
        let mut texture = plain_texture(TextureFormat::R5G6B5, 8, 8, 1);
        assert!(!texture.can_discard());
        texture.sampler.color_key_mode = ColorKeyMode::Discard;
        assert!(texture.can_discard() && texture.view.color_key_mask() == 0x00ff_ffff);
        texture.view.format = TextureFormat::Depth16;
        assert!(!texture.can_discard());
        texture.sampler.alpha_kill = true;
        assert!(texture.can_discard());
    }

    #[test]
    fn what_the_chip_refuses_says_so() {
        let texture = plain_texture(TextureFormat::B8R8G8R8, 8, 8, 1);
        assert!(texture.view.unsupported().unwrap().contains("an order other than rows"));
        let mut texture = TextureState {
            view: TextureView { layout: TextureLayout::Linear { pitch_bytes: 32 }, ..texture.view },
            ..texture
        };
        assert_eq!(texture.view.unsupported(), None);
        texture.view.size[2] = 2;
        assert!(texture.view.unsupported().unwrap().contains("slices"));
        (texture.view.size[2], texture.view.size[0]) = (1, 4097);
        assert!(texture.view.unsupported().is_some());
    }

    #[test]
    fn filters_in_effect() {
        let mut texture = plain_texture(TextureFormat::W16Z16Y16X16F, 8, 8, 1);
        (texture.sampler.min_filter, texture.sampler.mag_filter) =
            (Filter::Convolution(ConvolutionKernel::Gaussian), Filter::Linear);
        assert_eq!(
            texture.convolution(),
            Some(Convolution { kernel: ConvolutionKernel::Gaussian, applies: (true, false) })
        );
        assert_eq!(texture.filters_linearly(), (false, true));
        texture.view.format = TextureFormat::X32F;
        assert_eq!((texture.convolution(), texture.filters_linearly()), (None, (false, false)));
    }
}
