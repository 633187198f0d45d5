//! Sampler entries (TSC): eight words in memory that describe how textures are sampled.
//!
//! Source: envytools `rnndb/graph/g80_texture.xml`, domain `TSC`.

use crate::chip::anomalies::Reason;
use crate::chip::bits::{bit, field};
use crate::pipeline::{BorderColor, Compare, Filter, MipFilter, Sampler, Wrap};

/// The filters between levels, by `MIP_FILTER`.
const MIP_FILTERS: [Option<MipFilter>; 4] =
    [None, Some(MipFilter::None), Some(MipFilter::Nearest), Some(MipFilter::Linear)];

/// The largest anisotropies, by `MAX_ANISOTROPY`.
pub(super) const ANISOTROPIES: [u8; 8] = [1, 2, 4, 6, 8, 10, 12, 16];

/// A sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SamplerEntry {
    /// Its state; depths are compared only if [`Self::compares`] says so.
    pub sampler: Sampler,
    /// Whether depths are compared.
    pub compares: bool,
    /// Whether texels on the sRGB curve leave it.
    pub converts_srgb: bool,
}

impl SamplerEntry {
    /// The sampler of an entry.
    pub(super) fn decode(words: &[u32; 8]) -> Result<Self, Reason> {
        let bias = (words[1] << 7).cast_signed() >> 19;
        let sampler = Sampler {
            // `G80_TSC_WRAP` has the modes in the order of the earlier chips' numbers.
            wrap: [2, 5, 8].map(|high| Wrap::ALL[field(words[0], high, high - 2) as usize]),
            min_filter: filter(field(words[1], 5, 4))?,
            mag_filter: filter(field(words[1], 1, 0))?,
            mip_filter: MIP_FILTERS[field(words[1], 7, 6) as usize].ok_or(Reason::IllegalValue)?,
            lod_bias: bias,
            min_lod: field(words[2], 11, 0),
            max_lod: field(words[2], 23, 12),
            max_anisotropy: ANISOTROPIES[field(words[0], 22, 20) as usize],
            // The functions have OpenGL's order.
            shadow_compare: Compare::ALL[field(words[0], 12, 10) as usize],
            border_color: BorderColor::Words([words[4], words[5], words[6], words[7]]),
            ..Sampler::PLAIN
        };
        Ok(Self { sampler, compares: bit(words[0], 9), converts_srgb: bit(words[0], 13) })
    }
}

impl SamplerEntry {
    /// The entry; `None` if none holds the sampler.
    #[must_use]
    pub fn encode(&self) -> Option<[u32; 8]> {
        let Sampler { wrap, min_filter, mag_filter, mip_filter, .. } = self.sampler;
        let number = |place: Option<usize>| u32::try_from(place?).ok();
        let code_of = |wanted: Filter| [1, 2].into_iter().find(|code| filter(*code) == Ok(wanted));
        let mut modes = 0;
        for (place, wrap) in (0u32..).zip(wrap) {
            modes |= number(Wrap::ALL.iter().position(|known| *known == wrap))? << (3 * place);
        }
        let anisotropy = number(ANISOTROPIES.iter().position(|known| *known == self.sampler.max_anisotropy))?;
        let compare = number(Compare::ALL.iter().position(|known| *known == self.sampler.shadow_compare))?;
        let mip = number(MIP_FILTERS.iter().position(|known| *known == Some(mip_filter)))?;
        let bias = self.sampler.lod_bias.cast_unsigned() & 0x1fff;
        let BorderColor::Words(border) = self.sampler.border_color else { return None };
        let [red, green, blue, alpha] = border;
        Some([
            modes
                | u32::from(self.compares) << 9
                | compare << 10
                | u32::from(self.converts_srgb) << 13
                | anisotropy << 20,
            code_of(mag_filter)? | code_of(min_filter)? << 4 | mip << 6 | bias << 12,
            self.sampler.min_lod.min(0xfff) | self.sampler.max_lod.min(0xfff) << 12,
            0,
            red,
            green,
            blue,
            alpha,
        ])
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

    #[test]
    fn fields_are_decoded() {
        // Wraps mirror, border, clamp; compares whether it is less; anisotropy 6; linear minification, nearest magnification,
        // nearest levels from 0.5 to 15, half a level less.
        let words = [
            3 << 20 | 1 << 13 | 1 << 10 | 1 << 9 | 2 << 6 | 3 << 3 | 1,
            0x1f80 << 12 | 2 << 6 | 2 << 4 | 1,
            0xf00 << 12 | 0x80,
            0,
            1,
            2,
            3,
            4,
        ];
        let entry = SamplerEntry::decode(&words).unwrap();
        let sampler = Sampler {
            wrap: [Wrap::MirroredRepeat, Wrap::ClampToBorder, Wrap::ClampToEdge],
            min_filter: Filter::Linear,
            mag_filter: Filter::Nearest,
            mip_filter: MipFilter::Nearest,
            lod_bias: -0x80,
            min_lod: 0x80,
            max_lod: 0xf00,
            max_anisotropy: 6,
            border_color: BorderColor::Words([1, 2, 3, 4]),
            shadow_compare: Compare::Less,
            ..Sampler::PLAIN
        };
        assert_eq!(entry, SamplerEntry { sampler, compares: true, converts_srgb: true });
        assert_eq!(entry.encode(), Some(words));
        let plain = |words: u32| SamplerEntry::decode(&[0, words, 0, 0, 0, 0, 0, 0]);
        let (nearest, linear) = (plain(1 << 6 | 0x11).unwrap(), plain(0x7f << 12 | 3 << 6 | 0x11).unwrap());
        assert_eq!((nearest.sampler.mip_filter, nearest.sampler.lod_bias), (MipFilter::None, 0));
        assert_eq!((linear.sampler.mip_filter, linear.sampler.lod_bias), (MipFilter::Linear, 0x7f));
        assert!(!nearest.compares && !nearest.converts_srgb);
        // No filter between levels, and filters in them that do not exist.
        assert!([0x11, 0x50, 0x71].into_iter().all(|words| plain(words) == Err(Reason::IllegalValue)));
    }
}
