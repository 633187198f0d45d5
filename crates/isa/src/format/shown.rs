//! The parts of pixels that pictures show, as eight bits each of red, green and blue.

use super::component_kind::ComponentKind;
use super::texel::{Field, bits};
use super::{Channels, ColorFormat, PixelStorage, ZetaFormat};
use crate::arith::fragment::{float_to_unorm, half_bits_to};

/// The parts of a pixel that are shown as red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownFields {
    /// What their bits mean.
    pub kind: ComponentKind,
    /// Red, green, blue; shifts count from the first word's lowest bit. Those that are not stored are black.
    pub fields: [Field; 3],
}

impl ShownFields {
    /// A part of a pixel as a grey.
    const fn grey(kind: ComponentKind, shift: u8, width: u8) -> Self {
        Self { kind, fields: [bits(shift, width); 3] }
    }

    /// Red, green and blue of a pixel. Fractions and floats are clamped to 0..1 and rounded to nearest, NaN is 0; integers are
    /// clamped to 0..255.
    #[must_use]
    pub fn rgb(self, words: [u32; 4]) -> [u8; 3] {
        self.fields.map(|field| {
            let (word, field) = field.in_word();
            let Field::Bits { width, .. } = field else { return 0 };
            let value = field.extract(words[word]).unwrap_or(0);
            u8::try_from(self.byte(value, width.into())).unwrap_or(u8::MAX)
        })
    }

    #[expect(clippy::cast_possible_truncation, reason = "a half has 16 bits")]
    fn byte(self, value: u32, width: u32) -> u32 {
        let sign = value >> (width - 1);
        let fraction = |value: u32, full: u32| (value * 255 + full / 2) / full;
        match self.kind {
            ComponentKind::Sint | ComponentKind::Snorm if sign != 0 => 0,
            ComponentKind::Unorm => fraction(value, u32::MAX >> (32 - width)),
            ComponentKind::Snorm => fraction(value, u32::MAX >> (33 - width)),
            ComponentKind::Uint | ComponentKind::Sint => value.min(255),
            ComponentKind::Float if width == 32 => float_to_unorm(value, 8),
            // A short float is the upper part of a half without its sign.
            ComponentKind::Float if width < 16 => float_to_unorm(half_bits_to((value << (15 - width)) as u16), 8),
            ComponentKind::Float => float_to_unorm(half_bits_to(value as u16), 8),
        }
    }
}

impl ColorFormat {
    /// Red, green and blue, as they are stored; a format of one channel shows it as a grey.
    #[must_use]
    pub const fn shown_colors(self) -> ShownFields {
        let storage = self.storage();
        let kind = match storage {
            PixelStorage::Fields { .. } => ComponentKind::Unorm,
            PixelStorage::Channels(Channels { kind, .. }) => kind,
        };
        let fields = match storage.fields() {
            [only @ Field::Bits { .. }, Field::Zero, Field::Zero, Field::One]
            | [Field::Zero, Field::Zero, only @ Field::Bits { .. }, Field::One]
            | [Field::Zero, Field::Zero, Field::Zero, only @ Field::Bits { .. }] => [only; 3],
            [red, green, blue, _] => [red, green, blue],
        };
        ShownFields { kind, fields }
    }
}

impl ZetaFormat {
    /// The highest bits of depth, 0 black to 1 white.
    #[must_use]
    pub const fn shown_depth(self) -> ShownFields {
        match self {
            Self::Z16 => ShownFields::grey(ComponentKind::Unorm, 8, 8),
            Self::Z24S8 => ShownFields::grey(ComponentKind::Unorm, 24, 8),
            Self::X8Z24 | Self::S8Z24 => ShownFields::grey(ComponentKind::Unorm, 16, 8),
            Self::Z32F | Self::Z32FS8 => ShownFields::grey(ComponentKind::Float, 0, 32),
        }
    }

    /// Stencil, 0 black to 255 white; `None` if there is none.
    #[must_use]
    pub const fn shown_stencil(self) -> Option<ShownFields> {
        match self.storage().stencil {
            Field::Bits { shift, width } => Some(ShownFields::grey(ComponentKind::Unorm, shift, width)),
            Field::One | Field::Zero => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_come_from_their_bits() {
        let rgb = |format: ColorFormat, words| format.shown_colors().rgb(words);
        assert_eq!(rgb(ColorFormat::A8R8G8B8, [0x0901_0203, 0, 0, 0]), [1, 2, 3]);
        assert_eq!(rgb(ColorFormat::A8B8G8R8, [0x0901_0203, 0, 0, 0]), [3, 2, 1]);
        assert_eq!(rgb(ColorFormat::R5G6B5, [0xf800, 0, 0, 0]), [255, 0, 0]);
        assert_eq!(rgb(ColorFormat::X1R5G5B5Zero, [0x03e0, 0, 0, 0]), [0, 255, 0]);
        assert_eq!(rgb(ColorFormat::B8, [77, 0, 0, 0]), [77; 3]);
        assert_eq!(rgb(ColorFormat::A8Unorm, [77, 0, 0, 0]), [77; 3]);
        assert_eq!(rgb(ColorFormat::G8B8, [0x0708, 0, 0, 0]), [0, 7, 8]);
        assert_eq!(rgb(ColorFormat::Rg8Unorm, [0x0708, 0, 0, 0]), [8, 7, 0]);
        assert_eq!(rgb(ColorFormat::Rgba16Unorm, [0x8000_ffff, 0x8080, 0, 0]), [255, 128, 128]);
        assert_eq!(rgb(ColorFormat::Rgba8Snorm, [0x0080_7f40, 0, 0, 0]), [129, 255, 0]);
        assert_eq!(rgb(ColorFormat::Rgba16Sint, [0x0100_0007, 0xffff, 0, 0]), [7, 255, 0]);
        // 1, 1/2, 2 as floats of 11, 11 and 10 bits.
        assert_eq!(rgb(ColorFormat::R11G11B10Float, [512 << 22 | 896 << 11 | 960, 0, 0, 0]), [255, 128, 255]);
        assert_eq!(rgb(ColorFormat::R32F, [0x3f00_0000, 0, 0, 0]), [128; 3]);
        assert_eq!(rgb(ColorFormat::Rg32Float, [0x3f00_0000, 0x7fff_ffff, 0, 0]), [128, 0, 0]);
    }
}
