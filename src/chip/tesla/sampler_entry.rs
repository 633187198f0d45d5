//! Sampler entries (TSC): eight words in memory that describe how textures are sampled.
//!
//! Source: envytools `rnndb/graph/g80_texture.xml`, domain `TSC`.

use crate::arith::fragment::unorm_to_float;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{bit, field};
use crate::pipeline::launch::texture_axes;
use crate::pipeline::{Filter, MipFilter, RemappedChannel, Sampler, TextureView, Wrap};

/// The filters between levels, by `MIP_FILTER`.
const MIP_FILTERS: [Option<MipFilter>; 4] =
    [None, Some(MipFilter::None), Some(MipFilter::Nearest), Some(MipFilter::Linear)];

/// The bits of a float 1.
const ONE: u32 = 0x3f80_0000;

/// A sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SamplerEntry {
    sampler: Sampler,
    /// The border color: red, green, blue, alpha.
    border: [u32; 4],
}

impl SamplerEntry {
    /// The sampler of an entry.
    // Unverified: that `MIP_LOD_BIAS` has no effect on levels of detail of programs.
    pub(super) fn decode(words: &[u32; 8]) -> Result<Self, Reason> {
        if bit(words[0], 9) {
            return Err(Reason::Unsupported("a depth comparison"));
        }
        if field(words[0], 22, 20) != 0 {
            return Err(Reason::Unsupported("an anisotropic filter"));
        }
        let sampler = Sampler {
            // `G80_TSC_WRAP` has the modes in the order of the earlier chips' numbers.
            wrap: [2, 5, 8].map(|high| Wrap::ALL[field(words[0], high, high - 2) as usize]),
            min_filter: filter(field(words[1], 5, 4))?,
            mag_filter: filter(field(words[1], 1, 0))?,
            mip_filter: MIP_FILTERS[field(words[1], 7, 6) as usize].ok_or(Reason::IllegalValue)?,
            min_lod: field(words[2], 11, 0),
            max_lod: field(words[2], 23, 12),
            ..Sampler::PLAIN
        };
        Ok(Self { sampler, border: [words[4], words[5], words[6], words[7]] })
    }

    /// The sampler as it samples a texture.
    pub(super) fn sampling(&self, texture: &TextureView) -> Result<Sampler, Reason> {
        let border = self.border_color();
        let axes = texture_axes(texture.dimensions);
        let reaches = self.sampler.wrap[..axes].iter().any(|wrap| wrap.reaches_border(true));
        if reaches && (border.is_none() || !self.keeps_border(texture)) {
            return Err(Reason::Unsupported("the border color"));
        }
        Ok(Sampler { border_color: border.unwrap_or(0), ..self.sampler })
    }

    /// The border color as ARGB8, if all of its components are fractions of eight bits.
    fn border_color(&self) -> Option<u32> {
        let byte = |bits: u32| (0..=255).find(|byte| unorm_to_float(*byte, 8) == bits);
        let [red, green, blue, alpha] = self.border;
        Some(byte(alpha)? << 24 | byte(red)? << 16 | byte(green)? << 8 | byte(blue)?)
    }

    /// Whether programs read the border color as it is, although the texture unit here takes it for a texel.
    // Unverified: that the sources of components do not apply to it; Gallium's documentation says that drivers must
    // swizzle it for this chip (`PIPE_QUIRK_TEXTURE_BORDER_COLOR_SWIZZLE_NV50`).
    fn keeps_border(&self, texture: &TextureView) -> bool {
        let mut channels = texture.remap.into_iter().zip(self.border);
        let is_kept = channels.all(|(source, border)| match source {
            RemappedChannel::Source(channel) => self.border[usize::from(channel)] == border,
            RemappedChannel::Zero => border == 0,
            RemappedChannel::One => border == ONE,
            RemappedChannel::OneInteger => border == 1,
        });
        is_kept && (!texture.format.holds_integers() || self.border == [0; 4])
    }
}

/// A filter, by `g80_tsc_filter`.
const fn filter(value: u32) -> Result<Filter, Reason> {
    match value {
        1 => Ok(Filter::Nearest),
        2 => Ok(Filter::Linear),
        _ => Err(Reason::IllegalValue),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::TextureFormat;
    use crate::pipeline::Dimensions;
    use crate::pipeline::launch::rows_of_texels;

    /// Wraps mirror, border, clamp; linear minification, nearest magnification, nearest levels from 0.5 to 15.
    const WORDS: [u32; 8] =
        [2 << 6 | 3 << 3 | 1, 2 << 6 | 2 << 4 | 1, 0xf00 << 12 | 0x80, 0, 0, 0x3f80_0000, 0x3e4c_cccd, ONE];

    fn image(format: TextureFormat) -> TextureView {
        rows_of_texels(format, Dimensions::Two, [4, 4, 1])
    }

    #[test]
    fn fields_are_decoded() {
        let entry = SamplerEntry::decode(&WORDS).unwrap();
        let sampler = Sampler {
            wrap: [Wrap::MirroredRepeat, Wrap::ClampToBorder, Wrap::ClampToEdge],
            min_filter: Filter::Linear,
            mag_filter: Filter::Nearest,
            mip_filter: MipFilter::Nearest,
            min_lod: 0x80,
            max_lod: 0xf00,
            // Alpha 1, red 0, green 1, blue 0.2 = 51/255.
            border_color: 0xff00_ff33,
            ..Sampler::PLAIN
        };
        assert_eq!(entry.sampling(&image(TextureFormat::Unorm8x4)), Ok(sampler));
        let mip_filter = |code: u32| SamplerEntry::decode(&[0, code << 6 | 0x11, 0, 0, 0, 0, 0, 0]);
        assert_eq!(mip_filter(1).unwrap().sampler.mip_filter, MipFilter::None);
        assert_eq!(mip_filter(3).unwrap().sampler.mip_filter, MipFilter::Linear);
        assert_eq!(mip_filter(0), Err(Reason::IllegalValue));
    }

    #[test]
    fn borders_that_the_texture_unit_cannot_give() {
        let error = Err(Reason::Unsupported("the border color"));
        let sampled = |words: &[u32; 8], texture: TextureView| {
            SamplerEntry::decode(words).unwrap().sampling(&texture).map(|sampler| sampler.border_color)
        };
        let colored = |border: [u32; 4]| [WORDS[0], WORDS[1], 0, 0, border[0], border[1], border[2], border[3]];
        // 0.3 is no fraction of a byte.
        assert_eq!(sampled(&colored([0x3e99_999a, 0, 0, ONE]), image(TextureFormat::Unorm8x4)), error);
        // One component, whose others are 0, 0 and 1.
        assert_eq!(sampled(&colored([ONE, 0, 0, ONE]), image(TextureFormat::Float32)), Ok(0xffff_0000));
        assert_eq!(sampled(&colored([ONE, 0, 0, 0]), image(TextureFormat::Float32)), error);
        assert_eq!(sampled(&colored([ONE, 0, 0, 0]), image(TextureFormat::Uint32x4)), error);
        assert_eq!(sampled(&colored([0; 4]), image(TextureFormat::Uint32x4)), Ok(0));
        let mut swapped = image(TextureFormat::Unorm8x4);
        swapped.remap.swap(0, 2);
        assert_eq!(sampled(&colored([ONE, 0, 0, 0]), swapped), error);
        assert_eq!(sampled(&colored([ONE, 0, ONE, 0]), swapped), Ok(0x00ff_00ff));
        // Only the second axis reaches the border.
        let line = rows_of_texels(TextureFormat::Unorm8x4, Dimensions::One, [4, 1, 1]);
        assert_eq!(sampled(&colored([0x3e99_999a, 0, 0, 0]), line), Ok(0));
    }

    #[test]
    fn what_is_not_executed_has_a_name() {
        let refused = |words: [u32; 8]| SamplerEntry::decode(&words).unwrap_err();
        let comparison = "a depth comparison";
        assert_eq!(refused([1 << 9, 0x51, 0, 0, 0, 0, 0, 0]), Reason::Unsupported(comparison));
        let anisotropic = "an anisotropic filter";
        assert_eq!(refused([3 << 20, 0x51, 0, 0, 0, 0, 0, 0]), Reason::Unsupported(anisotropic));
        assert_eq!(refused([0, 0x50, 0, 0, 0, 0, 0, 0]), Reason::IllegalValue);
        assert_eq!(refused([0, 0x71, 0, 0, 0, 0, 0, 0]), Reason::IllegalValue);
    }
}
