//! Converts colors to the bits of pixels and back.

use super::component_kind::ComponentKind;
use super::texel::Field;
use super::texture::signed_clamped;
use super::{Channels, ColorFormat, PixelStorage, srgb};
use crate::arith::fragment;
use crate::arith::{MINUS_ONE, ONE, SIGN};

impl Channels {
    /// Whether blending applies: not to integers.
    // Unverified: that fractions of 16 bits and signed ones blend as others do; a driver offers no blending for them.
    #[must_use]
    pub const fn are_blended(&self) -> bool {
        !matches!(self.kind, ComponentKind::Uint | ComponentKind::Sint)
    }

    /// The value that blending uses for a source or a constant: clamped to the range of the channels.
    #[must_use]
    pub fn clamped(&self, value: u32) -> u32 {
        match self.kind {
            ComponentKind::Unorm => fragment::saturate(value),
            ComponentKind::Snorm => fragment::max(fragment::min(value, ONE), MINUS_ONE),
            ComponentKind::Uint | ComponentKind::Sint | ComponentKind::Float => value,
        }
    }

    const fn is_curved(&self, channel: usize) -> bool {
        self.is_srgb && channel < 3
    }

    /// The bits of a channel of `width` bits for a value: bits of a float, or an integer.
    // Integers are clamped, as Direct3D 10 asks for and as piglit's `getteximage-clamping`, which passes on a real G92, shows.
    // Unverified: fractions round to nearest, halves away from zero, and floats of 16 bits to nearest even. Direct3D 10 would
    // round these toward zero, too.
    #[must_use]
    pub fn encode(&self, value: u32, channel: usize, width: u32) -> u32 {
        match self.kind {
            ComponentKind::Unorm if self.is_curved(channel) => srgb::encode(value),
            ComponentKind::Unorm => fragment::float_to_unorm(value, width),
            ComponentKind::Snorm => {
                let magnitude = fragment::float_to_unorm(value & !SIGN, width - 1);
                let number = if value & SIGN == 0 { magnitude } else { magnitude.wrapping_neg() };
                number & (u32::MAX >> (32 - width))
            }
            ComponentKind::Float if width < 16 => fragment::unsigned_float_bits_from(value, width - 5),
            ComponentKind::Float if width == 16 => fragment::half_bits_from(value).into(),
            ComponentKind::Float => value,
            ComponentKind::Uint => value.min(u32::MAX >> (32 - width)),
            ComponentKind::Sint => {
                let most = i32::MAX >> (32 - width);
                value.cast_signed().clamp(!most, most).cast_unsigned() & (u32::MAX >> (32 - width))
            }
        }
    }

    /// The value of a channel as blending reads it, as bits of a float or of an integer. Colors that are not stored
    /// read 0, alpha 1.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a half has 16 bits")]
    pub fn decode(&self, words: [u32; 4], channel: usize) -> u32 {
        let (word, field) = self.fields[channel].in_word();
        let (bits, width) = match field {
            Field::Bits { width, .. } => (field.extract(words[word]).unwrap_or(0), u32::from(width)),
            Field::One => return ONE,
            Field::Zero => return 0,
        };
        match self.kind {
            ComponentKind::Unorm if self.is_curved(channel) => srgb::decode(bits),
            ComponentKind::Unorm => fragment::unorm_to_float(bits, width),
            ComponentKind::Snorm => signed_clamped(bits, width),
            // A short float is the upper part of a half without its sign.
            ComponentKind::Float if width <= 16 => {
                fragment::half_bits_to((if width < 16 { bits << (15 - width) } else { bits }) as u16)
            }
            ComponentKind::Sint => ((bits << (32 - width)).cast_signed() >> (32 - width)).cast_unsigned(),
            ComponentKind::Uint | ComponentKind::Float => bits,
        }
    }

    /// The words of a pixel with these channels, without its unused bits.
    #[must_use]
    pub fn pack(&self, color: [u32; 4]) -> [u32; 4] {
        let mut words = [0; 4];
        for (channel, value) in color.into_iter().enumerate() {
            let (word, field) = self.fields[channel].in_word();
            if let Field::Bits { shift, width } = field {
                words[word] |= self.encode(value, channel, width.into()) << shift;
            }
        }
        words
    }
}

impl ColorFormat {
    /// The color of a pixel: bits of floats, of integers for integer formats. Colors that are not stored read 0, alpha 1.
    #[must_use]
    pub fn decode(self, words: [u32; 4]) -> [u32; 4] {
        match self.storage() {
            PixelStorage::Fields { channels, .. } => channels.map(|field| match field {
                Field::Bits { width, .. } => {
                    fragment::unorm_to_float(field.extract(words[0]).unwrap_or(0), width.into())
                }
                Field::One => ONE,
                Field::Zero => 0,
            }),
            PixelStorage::Channels(channels) => std::array::from_fn(|channel| channels.decode(words, channel)),
        }
    }

    /// The words of a pixel for a clear color: bits of floats, of integers for integer formats.
    #[must_use]
    pub fn encode(self, color: [u32; 4]) -> [u32; 4] {
        let words = match self.storage() {
            PixelStorage::Fields { channels, .. } => {
                let channels = channels.into_iter().zip(color);
                let word = channels.fold(0, |word, (field, value)| match field {
                    Field::Bits { shift, width } => word | fragment::float_to_unorm(value, width.into()) << shift,
                    Field::One | Field::Zero => word,
                });
                [word, 0, 0, 0]
            }
            PixelStorage::Channels(channels) => channels.pack(color),
        };
        let fill = self.storage().fill();
        std::array::from_fn(|word| words[word] | fill[word])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::is_nan;

    fn encoded(format: ColorFormat, color: [f32; 4]) -> [u32; 4] {
        format.encode(color.map(f32::to_bits))
    }

    #[test]
    fn colors_by_hand() {
        let color = [1.0, 0.5, 0.0, 0.25];
        assert_eq!(encoded(ColorFormat::A8R8G8B8, color)[0], 0x40ff_8000);
        assert_eq!(encoded(ColorFormat::X1R5G5B5One, color)[0], 0xfe00);
        // 1023, 511.5 up to 512; a quarter of 3 is nearest to 1.
        assert_eq!(encoded(ColorFormat::Rgb10A2Unorm, color)[0], 0x4000_0000 | 512 << 10 | 1023);
        assert_eq!(encoded(ColorFormat::Bgr10A2Unorm, color)[0], 0x4000_0000 | 1023 << 20 | 512 << 10);
        assert_eq!(encoded(ColorFormat::Rgba16Unorm, color)[..2], [0x8000_ffff, 0x4000_0000]);
        assert_eq!(encoded(ColorFormat::Rg16Float, [-2.0, 0.5, 9.0, 9.0])[0], 0x3800_c000);
        // 63.5 of 127 goes away from zero.
        assert_eq!(encoded(ColorFormat::Rgba8Snorm, [-1.0, -0.5, 0.5, 7.0])[0], 0x7f40_c081);
        assert_eq!(encoded(ColorFormat::Rg16Snorm, [f32::NAN, -9.0, 0.0, 0.0])[0], 0x8001_0000);
        assert_eq!(encoded(ColorFormat::Rgbx32Float, color), [0x3f80_0000, 0x3f00_0000, 0, 0x3f80_0000]);
        assert_eq!(encoded(ColorFormat::Rgbx16Float, color)[1], 0x3c00_0000);
        // The curve takes a half to 188 of 255; alpha has none.
        assert_eq!(encoded(ColorFormat::Rgba8Srgb, [0.5, 1.0, 0.0, 0.5])[0], 0x8000_ffbc);
        assert_eq!(ColorFormat::Rgb10A2Uint.encode([1025, 7, u32::MAX, 2])[0], 2 << 30 | 1023 << 20 | 7 << 10 | 1023);
        let signed = [0x1fe, i32::MAX, 127, 128, -1, -128, -129, i32::MIN];
        let stored = signed.map(|value| ColorFormat::R8Sint.encode([value.cast_unsigned(), 1, 1, 1]));
        assert_eq!(stored.map(|words| words[0]), [0x7f, 0x7f, 0x7f, 0x7f, 0xff, 0x80, 0x80, 0x80]);
        assert_eq!(ColorFormat::Rgbx32Sint.encode([1, 2, 3, 4]), [1, 2, 3, 1]);
    }

    #[test]
    fn what_a_channel_holds_is_read_and_written_alike() {
        for format in ColorFormat::ALL {
            let PixelStorage::Channels(channels) = format.storage() else { continue };
            for step in 0..1 << 12u32 {
                // Each word has random bits.
                let words = [1, 2, 3, 4].map(|word: u32| (step * 4 + word).wrapping_mul(0x9e37_79b1).rotate_left(9));
                let color = [0, 1, 2, 3].map(|channel| channels.decode(words, channel));
                let packed = channels.pack(color);
                for (channel, field) in channels.fields.into_iter().enumerate() {
                    let (word, field) = field.in_word();
                    let [before, after] = [words, packed].map(|words| words[word] & field.mask());
                    // NaN loses its bits, and the least signed number is that above it.
                    let is_nan = channels.kind == ComponentKind::Float && is_nan(color[channel]);
                    let is_least = channels.kind == ComponentKind::Snorm && color[channel] == MINUS_ONE;
                    assert!(before == after || is_nan || is_least, "{} {before:#x} {after:#x}", format.name());
                }
            }
        }
    }
}
