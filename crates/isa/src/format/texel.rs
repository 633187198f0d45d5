//! Decodes the bit fields of texels and pixels: extraction, expansion to common widths, block decompression.

/// One channel of a packed texel or pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// Unsigned bits of the little-endian word.
    Bits {
        /// Position of the lowest bit.
        shift: u8,
        /// Number of bits.
        width: u8,
    },
    /// Not stored; reads 1.
    One,
    /// Not stored; reads 0.
    Zero,
}

impl Field {
    /// The channel's bits as a number; `None` if it is not stored.
    #[must_use]
    pub const fn extract(self, word: u32) -> Option<u32> {
        match self {
            Self::Bits { shift, width } => Some((word >> shift) & self.mask_of(width)),
            Self::One | Self::Zero => None,
        }
    }

    /// The word with another value of the channel.
    #[must_use]
    pub const fn replaced(self, word: u32, value: u32) -> u32 {
        match self {
            Self::Bits { shift, .. } => word & !self.mask() | value << shift & self.mask(),
            Self::One | Self::Zero => word,
        }
    }

    /// The word of a pixel of several that holds the channel, and the channel in it.
    #[must_use]
    pub const fn in_word(self) -> (usize, Self) {
        match self {
            Self::Bits { shift, width } => ((shift / 32) as usize, Self::Bits { shift: shift % 32, width }),
            Self::One | Self::Zero => (0, self),
        }
    }

    /// The word's bits that belong to this channel.
    #[must_use]
    pub const fn mask(self) -> u32 {
        match self {
            Self::Bits { shift, width } => self.mask_of(width) << shift,
            Self::One | Self::Zero => 0,
        }
    }

    const fn mask_of(self, width: u8) -> u32 {
        u32::MAX >> (32 - width as u32)
    }

    /// Expands the channel to an unsigned 16-bit fraction.
    #[must_use]
    pub const fn unorm16(self, word: u32) -> u32 {
        match self {
            Self::One => 0xffff,
            Self::Zero => 0,
            Self::Bits { shift, width } => expand_to_16((word >> shift) & self.mask_of(width), width),
        }
    }
}

/// `width` bits from `shift` on; shorthand for the tables.
pub const fn bits(shift: u8, width: u8) -> Field {
    Field::Bits { shift, width }
}

/// Expands a fraction of 1 to 24 bits to 16 bits.
///
/// Five and six bits are first expanded to the 8-bit values that RPCS3 filters with: (v·527+23)/64 and
/// (v·259+33)/64.
#[must_use]
pub const fn expand_to_16(value: u32, width: u8) -> u32 {
    match width {
        1 => value * 0xffff,
        2 => value * 0x5555,
        4 => value * 0x1111,
        5 => ((value * 527 + 23) >> 6) * 0x101,
        6 => ((value * 259 + 33) >> 6) * 0x101,
        8 => value * 0x101,
        10 => value << 6 | value >> 4,
        16 => value,
        width => value >> (width - 16),
    }
}

/// Decodes texel (x, y) of a 4×4 block of 8 or 16 bytes to red, green, blue, alpha of 8 bits.
///
/// Colors are expanded to 8 bits and their means rounded to nearest, as in a picture of an RSX
/// (`ps3autotests`, `rsx/texture_formats`). Unverified: the rounding of interpolated alpha, which is done alike.
#[must_use]
pub fn block_texel(block: [u32; 4], kind: BlockKind, x: u32, y: u32) -> [u32; 4] {
    let texel = (y & 3) * 4 + (x & 3);
    if let BlockKind::Rgtc1 { is_signed } | BlockKind::Rgtc2 { is_signed } = kind {
        let channel = |low: u32, high: u32| match is_signed {
            true => interpolated_signed(low, high, texel),
            false => interpolated_alpha(low, high, texel),
        };
        let green = if matches!(kind, BlockKind::Rgtc2 { .. }) { channel(block[2], block[3]) } else { 0 };
        return [channel(block[0], block[1]), green, 0, 0];
    }
    let color = if kind == BlockKind::Dxt1 { [block[0], block[1]] } else { [block[2], block[3]] };
    let (c0, c1) = (color[0] & 0xffff, color[0] >> 16);
    let index = (color[1] >> (2 * texel)) & 3;
    let has_four_colors = kind != BlockKind::Dxt1 || c0 > c1;
    let (e0, e1) = (expand_565(c0), expand_565(c1));
    let mix = |w0: u32, w1: u32| [0, 1, 2].map(|i: usize| (e0[i] * w0 + e1[i] * w1 + 1) / (w0 + w1));
    let rgb = match (index, has_four_colors) {
        (0, _) => e0,
        (1, _) => e1,
        (2, true) => mix(2, 1),
        (2, false) => mix(1, 1),
        (_, true) => mix(1, 2),
        (_, false) => [0; 3],
    };
    let alpha = match kind {
        BlockKind::Dxt1 => u32::from(has_four_colors || index != 3) * 255,
        BlockKind::Dxt3 => ((block[texel as usize / 8] >> (texel % 8 * 4)) & 15) * 17,
        BlockKind::Dxt5 | BlockKind::Rgtc1 { .. } | BlockKind::Rgtc2 { .. } => {
            interpolated_alpha(block[0], block[1], texel)
        }
    };
    [rgb[0], rgb[1], rgb[2], alpha]
}

/// The kinds of compressed block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// 8 bytes, colors only.
    Dxt1,
    /// 16 bytes, four bits of alpha per texel.
    Dxt3,
    /// 16 bytes, interpolated alpha.
    Dxt5,
    /// 8 bytes, one channel that is interpolated as alpha is (`EXT_texture_compression_rgtc`).
    Rgtc1 {
        /// Whether it is a two's complement number.
        is_signed: bool,
    },
    /// 16 bytes, two such channels.
    Rgtc2 {
        /// Whether they are two's complement numbers.
        is_signed: bool,
    },
}

const fn expand_565(color: u32) -> [u32; 3] {
    [((color >> 11) * 527 + 23) >> 6, (((color >> 5) & 63) * 259 + 33) >> 6, ((color & 31) * 527 + 23) >> 6]
}

const fn interpolated_alpha(low: u32, high: u32, texel: u32) -> u32 {
    interpolated(low & 0xff, (low >> 8) & 0xff, index_of(low, high, texel), 255)
}

/// A two's complement byte; the least one counts as −127.
// Unverified: the rounding, which is that of unsigned bytes.
const fn interpolated_signed(low: u32, high: u32, texel: u32) -> u32 {
    /// The distance from −127.
    const fn above(byte: u32) -> u32 {
        match (byte & 0xff) ^ 0x80 {
            0 => 0,
            byte => byte - 1,
        }
    }
    (interpolated(above(low), above(low >> 8), index_of(low, high, texel), 254) + 0x81) & 0xff
}

/// The three index bits of a texel; 48 bits of them follow the two end points.
const fn index_of(low: u32, high: u32, texel: u32) -> u32 {
    let bit = 16 + 3 * texel;
    7 & match bit {
        0..=29 => low >> bit,
        30..=31 => (low >> bit) | (high << (32 - bit)),
        _ => high >> (bit - 32),
    }
}

const fn interpolated(a0: u32, a1: u32, index: u32, most: u32) -> u32 {
    match (index, a0 > a1) {
        (0, _) => a0,
        (1, _) => a1,
        (index, true) => ((8 - index) * a0 + (index - 1) * a1 + 3) / 7,
        (6, false) => 0,
        (7, false) => most,
        (index, false) => ((6 - index) * a0 + (index - 1) * a1 + 2) / 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_fractions_expand_to_the_nearest_eight_bits() {
        for value in 0..32 {
            assert_eq!(expand_to_16(value, 5) / 257, (value * 255 * 2 + 31) / 62);
        }
        for value in 0..64 {
            assert_eq!(expand_to_16(value, 6) / 257, (value * 255 * 2 + 63) / 126);
        }
        for width in [1, 2, 4, 5, 6, 8, 10, 16, 24] {
            assert_eq!(expand_to_16((1u32 << width) - 1, width), 0xffff);
        }
    }

    #[test]
    fn a_dxt1_block_by_hand() {
        // c0 = pure red, c1 = pure blue: four colors. Texels 0..3 have indices 0..3.
        let block = [0xf800 | 0x001f << 16, 0b1110_0100, 0, 0];
        let texel = |x| block_texel(block, BlockKind::Dxt1, x, 0);
        assert_eq!([texel(0), texel(1)], [[255, 0, 0, 255], [0, 0, 255, 255]]);
        assert_eq!([texel(2), texel(3)], [[170, 0, 85, 255], [85, 0, 170, 255]]);
        // Swapped end points: three colors and transparent black.
        let block = [0x001f | 0xf800 << 16, 0b1110_0100, 0, 0];
        let texel = |x| block_texel(block, BlockKind::Dxt1, x, 0);
        assert_eq!([texel(2), texel(3)], [[128, 0, 128, 255], [0, 0, 0, 0]]);
        assert_eq!(block_texel([block[0], block[1], block[0], block[1]], BlockKind::Dxt3, 3, 0)[..3], [170, 0, 85]);
    }

    #[test]
    fn dxt3_alpha_is_four_bits_per_texel() {
        let block = [0x7654_3210, 0xfedc_ba98, 0, 0];
        for texel in 0..16 {
            assert_eq!(block_texel(block, BlockKind::Dxt3, texel % 4, texel / 4)[3], texel * 17);
        }
    }

    #[test]
    fn dxt5_alpha_by_hand() {
        let with_indices = |a0: u64, a1: u64, indices: u64| {
            let bits = a0 | a1 << 8 | indices << 16;
            [u32::try_from(bits & 0xffff_ffff).unwrap(), u32::try_from(bits >> 32).unwrap(), 0, 0]
        };
        // Texel i has index i mod 8.
        let indices = (0..16u64).map(|i| (i % 8) << (3 * i)).sum();
        let eight = with_indices(255, 10, indices);
        let expected = [255, 10, 220, 185, 150, 115, 80, 45];
        let six = with_indices(10, 255, indices);
        let expected_six = [10, 255, 59, 108, 157, 206, 0, 255];
        for texel in 0..16u32 {
            let (x, y) = (texel % 4, texel / 4);
            assert_eq!(block_texel(eight, BlockKind::Dxt5, x, y)[3], expected[texel as usize % 8]);
            assert_eq!(block_texel(six, BlockKind::Dxt5, x, y)[3], expected_six[texel as usize % 8]);
        }
    }
}
