//! Encodes colors as elements of every texture format; the inverse of `format::texture`.
#![expect(clippy::cast_possible_truncation, reason = "fields are cut out of words")]

use super::image::Texel;
use crate::arith::fragment::half_bits_from;
use crate::format::texel::Field;
use crate::format::{TexelStorage, TextureFormat};

/// Encodes one texel of a format whose elements are single texels; other functions encode pairs and blocks.
pub(super) fn encode(format: TextureFormat, texel: Texel) -> [u32; 4] {
    let float = |order: [u8; 4], count: usize| {
        let mut values = [0.0f32; 4];
        // Where several channels share a field, the first one is stored.
        for channel in (0..4).rev() {
            values[usize::from(order[channel])] = texel[channel];
        }
        values[count..].fill(0.0);
        values
    };
    match format.storage() {
        TexelStorage::Fields(fields) => [fields_word(fields, texel, unsigned), 0, 0, 0],
        TexelStorage::SignedFields(fields) => [fields_word(fields, texel, signed), 0, 0, 0],
        TexelStorage::Depth { shift, width } => [unsigned(texel[0], width) << shift, 0, 0, 0],
        // Bits 30:7 of a positive single, or a positive half.
        TexelStorage::FloatDepth { shift, width: 24 } => [texel[0].max(0.0).to_bits() >> 7 << shift, 0, 0, 0],
        TexelStorage::FloatDepth { .. } => [u32::from(half_bits_from(texel[0].max(0.0).to_bits())), 0, 0, 0],
        TexelStorage::Half(order) => {
            let halves =
                float(order, format.bytes() as usize / 2).map(|value| u32::from(half_bits_from(value.to_bits())));
            [halves[0] | halves[1] << 16, halves[2] | halves[3] << 16, 0, 0]
        }
        TexelStorage::Float(order) => float(order, format.bytes() as usize / 4).map(f32::to_bits),
        // Scenes have no formats of Tesla.
        TexelStorage::Pair(_)
        | TexelStorage::Block(_)
        | TexelStorage::Components(_)
        | TexelStorage::Packed(_)
        | TexelStorage::SharedExponent
        | TexelStorage::ShortFloats => [0; 4],
    }
}

/// Encodes two adjacent texels that share green and blue.
pub(super) fn encode_pair(places: [u8; 4], left: Texel, right: Texel) -> u32 {
    let mean = |channel: usize| (left[channel] + right[channel]) / 2.0;
    let values = [left[0], right[0], mean(1), mean(2)];
    places.into_iter().zip(values).fold(0, |word, (shift, value)| word | unsigned(value, 8) << shift)
}

fn fields_word(fields: [Field; 4], texel: Texel, convert: fn(f32, u8) -> u32) -> u32 {
    let (mut word, mut taken) = (0, 0);
    for (field, value) in fields.into_iter().zip(texel) {
        if let Field::Bits { shift, width } = field
            && taken & field.mask() == 0
        {
            word |= convert(value, width) << shift;
            taken |= field.mask();
        }
    }
    word
}

/// 0..1 as an unsigned fraction, rounded to nearest.
fn unsigned(value: f32, width: u8) -> u32 {
    let largest = ((1u64 << width) - 1) as f64;
    (f64::from(value).clamp(0.0, 1.0) * largest + 0.5).floor() as u32
}

/// −1..1 as two's complement.
fn signed(value: f32, width: u8) -> u32 {
    let largest = ((1u64 << (width - 1)) - 1) as f64;
    let rounded = (f64::from(value).clamp(-1.0, 1.0) * largest + 0.5).floor() as i32;
    rounded.cast_unsigned() & (u32::MAX >> (32 - u32::from(width)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every format preserves representable values, within half a step of its coarsest channel.
    #[test]
    fn formats_read_back_what_they_were_given() {
        for &format in TextureFormat::ALL {
            if format.is_of_tesla() || matches!(format.storage(), TexelStorage::Pair(_) | TexelStorage::Block(_)) {
                continue;
            }
            for texel in [[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [0.25, 0.5, 0.75, 1.0]] {
                let decoded = format.decode(encode(format, texel), 0, 0).map(f32::from_bits);
                for channel in 0..4 {
                    let (expected, tolerance) = expected(format, texel, channel);
                    let difference = (decoded[channel] - expected).abs();
                    assert!(difference <= tolerance, "{} channel {channel}: {decoded:?} {texel:?}", format.name());
                }
            }
        }
    }

    /// The value that a channel of a format can represent, from the format table.
    fn expected(format: TextureFormat, texel: Texel, channel: usize) -> (f32, f32) {
        use TextureFormat as F;
        let [r, g, _, a] = texel;
        match (format, channel) {
            (F::B8, 3) | (F::R5G6B5 | F::R6G5B5 | F::D1R5G5B5 | F::D8R8G8B8, 3) => (1.0, 0.0),
            (F::B8 | F::Depth24D8 | F::Depth16 | F::X32F | F::Depth24D8Float | F::Depth16Float, _) => (r, 0.002),
            (F::X16, 0 | 2) => (1.0, 0.0),
            (F::X16, _) => (g, 0.001),
            (F::G8B8 | F::Y16X16 | F::HiLo8 | F::HiLoS8 | F::Y16X16F, 0 | 2) => (r, 0.005),
            (F::G8B8 | F::Y16X16 | F::HiLo8 | F::HiLoS8 | F::Y16X16F, _) => (g, 0.005),
            (F::A1R5G5B5 | F::R5G5B5A1, 3) => (a.round(), 0.0),
            _ => (texel[channel], 0.034),
        }
    }

    #[test]
    fn fields_by_hand() {
        assert_eq!(encode(TextureFormat::A8R8G8B8, [1.0, 0.5, 0.0, 0.2])[0], 0x33ff_8000);
        assert_eq!(encode(TextureFormat::R5G6B5, [1.0, 0.0, 1.0, 0.0])[0], 0xf81f);
        assert_eq!(encode(TextureFormat::HiLoS8, [-1.0, 1.0, 0.0, 0.0])[0], 0x817f);
        assert_eq!(encode(TextureFormat::Depth24D8, [1.0; 4])[0], 0xffff_ff00);
        assert_eq!(encode(TextureFormat::W16Z16Y16X16F, [1.0, 2.0, 0.5, -1.0]), [0x4000_3c00, 0xbc00_3800, 0, 0]);
        assert_eq!(encode_pair([0, 16, 24, 8], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0]), 0x8000_80ff);
        assert_eq!(encode(TextureFormat::A8R8G8B8, [f32::NAN, -5.0, 9.0, 0.0])[0] & 0xffff, 0x00ff);
    }
}
