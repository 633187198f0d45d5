//! Formats of color and depth surfaces (field `RT_FORMAT`).

use super::formats;
use super::texel::{Field, bits};

/// The maximum number of color targets of a draw.
pub const MAX_COLOR_TARGETS: usize = 4;

formats! {
    /// Formats of color targets (`RT_FORMAT` bits 4:0).
    ColorFormat {
        /// 16 bits, the unused bit written 0.
        X1R5G5B5Zero = 1 "X1R5G5B5_Z" 2;
        /// 16 bits, the unused bit written 1.
        X1R5G5B5One = 2 "X1R5G5B5_O" 2;
        /// 16 bits.
        R5G6B5 = 3 "R5G6B5" 2;
        /// 32 bits, the unused byte written 0.
        X8R8G8B8Zero = 4 "X8R8G8B8_Z" 4;
        /// 32 bits, the unused byte written 255.
        X8R8G8B8One = 5 "X8R8G8B8_O" 4;
        /// 32 bits.
        A8R8G8B8 = 8 "A8R8G8B8" 4;
        /// One byte, from the blue channel.
        B8 = 9 "B8" 1;
        /// Two bytes, from green and blue.
        G8B8 = 10 "G8B8" 2;
        /// Four half floats, red first in memory.
        A16B16G16R16F = 11 "A16B16G16R16F" 8;
        /// Four floats, red first in memory.
        A32B32G32R32F = 12 "A32B32G32R32F" 16;
        /// One float.
        R32F = 13 "R32F" 4;
        /// 32 bits, the unused byte written 0.
        X8B8G8R8Zero = 14 "X8B8G8R8_Z" 4;
        /// 32 bits, the unused byte written 255.
        X8B8G8R8One = 15 "X8B8G8R8_O" 4;
        /// 32 bits.
        A8B8G8R8 = 16 "A8B8G8R8" 4;
    }
}

formats! {
    /// Formats of depth and stencil surfaces (`RT_FORMAT` bits 7:5).
    ZetaFormat {
        /// 16 bits of depth.
        Z16 = 1 "Z16" 2;
        /// 24 bits of depth in 31:8, stencil in 7:0.
        Z24S8 = 2 "Z24S8" 4;
    }
}

/// The storage of a color format's pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PixelStorage {
    /// Unsigned fractions in bit fields of one word.
    Fields {
        /// Red, green, blue, alpha. Channels that are not stored read 0, alpha 1.
        channels: [Field; 4],
        /// Bits outside all channels that are set on every write.
        fill: u32,
    },
    /// Four half floats, red first.
    Half,
    /// This many floats, red first.
    Float(u8),
}

impl ColorFormat {
    /// The storage of its pixels.
    #[must_use]
    pub const fn storage(self) -> PixelStorage {
        const RGB555: [Field; 4] = [bits(10, 5), bits(5, 5), bits(0, 5), Field::One];
        const XRGB: [Field; 4] = [bits(16, 8), bits(8, 8), bits(0, 8), Field::One];
        const XBGR: [Field; 4] = [bits(0, 8), bits(8, 8), bits(16, 8), Field::One];
        let (channels, fill) = match self {
            Self::X1R5G5B5Zero => (RGB555, 0),
            Self::X1R5G5B5One => (RGB555, 0x8000),
            Self::R5G6B5 => ([bits(11, 5), bits(5, 6), bits(0, 5), Field::One], 0),
            Self::X8R8G8B8Zero => (XRGB, 0),
            Self::X8R8G8B8One => (XRGB, 0xff00_0000),
            Self::A8R8G8B8 => ([XRGB[0], XRGB[1], XRGB[2], bits(24, 8)], 0),
            Self::B8 => ([Field::Zero, Field::Zero, bits(0, 8), Field::One], 0),
            Self::G8B8 => ([Field::Zero, bits(8, 8), bits(0, 8), Field::One], 0),
            Self::X8B8G8R8Zero => (XBGR, 0),
            Self::X8B8G8R8One => (XBGR, 0xff00_0000),
            Self::A8B8G8R8 => ([XBGR[0], XBGR[1], XBGR[2], bits(24, 8)], 0),
            Self::A16B16G16R16F => return PixelStorage::Half,
            Self::A32B32G32R32F => return PixelStorage::Float(4),
            Self::R32F => return PixelStorage::Float(1),
        };
        PixelStorage::Fields { channels, fill }
    }

    /// The bits of a pixel of at most 32 bits that a color mask (bit 0 red … 3 alpha) enables.
    ///
    /// Bits outside all channels follow alpha in a clear and any channel in a draw.
    #[must_use]
    pub const fn write_mask(self, color_mask: u8, is_clear: bool) -> u32 {
        let all = if self.bytes() >= 4 { u32::MAX } else { (1 << (8 * self.bytes())) - 1 };
        let channels = match self.storage() {
            PixelStorage::Fields { channels, .. } => channels,
            PixelStorage::Half | PixelStorage::Float(_) => return if color_mask & 1 == 0 { 0 } else { all },
        };
        let (mut mask, mut stored, mut channel) = (0, 0, 0);
        while channel < 4 {
            stored |= channels[channel].mask();
            if (color_mask >> channel) & 1 != 0 {
                mask |= channels[channel].mask();
            }
            channel += 1;
        }
        let writes_unused = if is_clear { color_mask & 8 != 0 } else { mask != 0 };
        if writes_unused { mask | (all & !stored) } else { mask }
    }
}

/// The format of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurfaceFormat {
    /// Colors.
    Color(ColorFormat),
    /// Depth and stencil.
    Zeta(ZetaFormat),
}

impl SurfaceFormat {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Color(format) => format.name(),
            Self::Zeta(format) => format.name(),
        }
    }

    /// Bytes per pixel.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Color(format) => format.bytes(),
            Self::Zeta(format) => format.bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_masks_cover_their_channels() {
        assert_eq!(ColorFormat::A8R8G8B8.write_mask(0b0101, false), 0x00ff_00ff);
        assert_eq!(ColorFormat::A8B8G8R8.write_mask(0b0001, false), 0x0000_00ff);
        assert_eq!(ColorFormat::R5G6B5.write_mask(0b0010, false), 0x07e0);
        assert_eq!(ColorFormat::X8R8G8B8One.write_mask(0b0001, false), 0xffff_0000);
        assert_eq!(ColorFormat::X8R8G8B8One.write_mask(0b1000, false), 0);
        assert_eq!(ColorFormat::X8R8G8B8One.write_mask(0b1001, true), 0xffff_0000);
        assert_eq!(ColorFormat::X1R5G5B5Zero.write_mask(0b0111, true), 0x7fff);
        assert_eq!(ColorFormat::B8.write_mask(0b0011, false), 0);
        for format in ColorFormat::ALL.iter().filter(|format| format.bytes() <= 4) {
            let all = u32::MAX >> (32 - 8 * format.bytes());
            assert_eq!(format.write_mask(15, true), all, "{}", format.name());
        }
    }

    #[test]
    fn channels_of_a_pixel_do_not_overlap() {
        for format in ColorFormat::ALL {
            if let PixelStorage::Fields { channels, fill } = format.storage() {
                let sum: u64 = channels.iter().map(|channel| u64::from(channel.mask())).sum();
                let union = channels.iter().fold(0, |mask, channel| mask | channel.mask());
                assert_eq!(sum, u64::from(union), "{}", format.name());
                assert_eq!(union & fill, 0);
            }
        }
    }
}
