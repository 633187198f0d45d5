//! Converts the bytes of one vertex attribute to four floats.

use super::VertexFormat;

/// The values of components that an array does not provide: (0, 0, 0, 1).
pub const MISSING_COMPONENTS: [u32; 4] = [0, 0, 0, 0x3f80_0000];

/// Bytes of one element: components times their size; one word for packed formats.
#[must_use]
pub fn element_bytes(format: VertexFormat, size: u8) -> u32 {
    match format {
        VertexFormat::S11S11S10Norm => 4,
        _ => format.bytes() * u32::from(size.clamp(1, 4)),
    }
}

/// Converts the bytes of one element to four floats.
#[must_use]
pub fn decode_element(format: VertexFormat, size: u8, bytes: [u8; 16]) -> [u32; 4] {
    let word = |component: usize| {
        let at = component * 4;
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    };
    let half_word = |component: usize| u16::from_le_bytes([bytes[component * 2], bytes[component * 2 + 1]]);
    let mut value = MISSING_COMPONENTS;
    for component in 0..usize::from(size.clamp(1, 4)) {
        value[component] = match format {
            VertexFormat::B8G8R8A8Unorm | VertexFormat::U8Unorm => unorm8_to_float(bytes[component]),
            VertexFormat::S16Norm => snorm16_to_float(half_word(component).cast_signed()),
            VertexFormat::F32 => word(component),
            VertexFormat::F16 => half_to_float(half_word(component)),
            VertexFormat::S16 => f32::from(half_word(component).cast_signed()).to_bits(),
            VertexFormat::U8 => f32::from(bytes[component]).to_bits(),
            VertexFormat::S11S11S10Norm => continue,
        };
    }
    match format {
        // Unverified: with fewer than three components, blue is stored in z and the missing ones keep their
        // values.
        VertexFormat::B8G8R8A8Unorm => [value[2], value[1], value[0], value[3]],
        VertexFormat::S11S11S10Norm => unpack_s11s11s10(word(0)),
        _ => value,
    }
}

/// v / 255, truncated: the byte repeated three times is a fraction of 24 bits; 255 is exactly 1.
#[must_use]
pub fn unorm8_to_float(value: u8) -> u32 {
    if value == 255 { 1f32.to_bits() } else { fraction_to_float(u32::from(value) * 0x0101_0101) }
}

/// (2v + 1) / 65535, truncated: the numerator repeated twice is a fraction of 32 bits; the ends are exactly ±1.
#[must_use]
pub fn snorm16_to_float(value: i16) -> u32 {
    let magnitude = match value {
        i16::MIN => return (-1f32).to_bits(),
        i16::MAX => return 1f32.to_bits(),
        _ => (i32::from(value) * 2 + 1).unsigned_abs(),
    };
    let sign = u32::from(value < 0) << 31;
    sign | fraction_to_float(magnitude * 0x1_0001)
}

/// The 24 leading bits of a 32-bit fraction, as a float.
fn fraction_to_float(fraction: u32) -> u32 {
    if fraction == 0 {
        return 0;
    }
    let zeros = fraction.leading_zeros();
    (126 - zeros) << 23 | (fraction << zeros) >> 8 & 0x007f_ffff
}

/// Converts a half to a float; exact, NaN becomes the chip's single NaN.
pub(super) fn half_to_float(half: u16) -> u32 {
    let half = u32::from(half);
    let sign = (half & 0x8000) << 16;
    let (exponent, fraction) = (half >> 10 & 31, half & 0x3ff);
    match (exponent, fraction) {
        (0, 0) => sign,
        // The leading one of a denormal's fraction becomes the implicit one.
        (0, _) => {
            let shift = fraction.leading_zeros() - 21;
            sign | (113 - shift) << 23 | (fraction << shift & 0x3ff) << 13
        }
        (31, 0) => sign | 0x7f80_0000,
        (31, _) => 0x7fff_ffff,
        _ => sign | (exponent + 112) << 23 | fraction << 13,
    }
}

/// Three signed fields of 11, 11 and 10 bits, each shifted left to 16 bits and divided by 32767; w is 1.
fn unpack_s11s11s10(word: u32) -> [u32; 4] {
    let component = |field: u32| {
        let value = (field & 0xffff) << 16;
        (f32::from((value.cast_signed() >> 16) as i16) / 32767.0).to_bits()
    };
    [component(word << 5), component(word >> 11 << 5), component(word >> 22 << 6), 1f32.to_bits()]
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "rounding to a float is what is compared")]
mod tests {
    use super::*;

    fn float(value: f32) -> u32 {
        value.to_bits()
    }

    fn element(bytes: &[u8]) -> [u8; 16] {
        let mut element = [0; 16];
        element[..bytes.len()].copy_from_slice(bytes);
        element
    }

    #[test]
    fn normalized_bytes_are_truncated_quotients() {
        for value in 0..=255u8 {
            let exact = f64::from(value) / 255.0;
            let nearest = exact as f32;
            let truncated = if f64::from(nearest) > exact { nearest.next_down() } else { nearest };
            assert_eq!(unorm8_to_float(value), float(truncated), "{value}");
        }
    }

    #[test]
    fn normalized_shorts_follow_the_old_gl_rule() {
        assert_eq!(snorm16_to_float(-32768), float(-1.0));
        assert_eq!(snorm16_to_float(32767), float(1.0));
        for value in i16::MIN + 1..i16::MAX {
            let exact = (2.0 * f64::from(value) + 1.0) / 65535.0;
            let nearest = exact as f32;
            let truncated =
                if f64::from(nearest).abs() > exact.abs() { f32::from_bits(nearest.to_bits() - 1) } else { nearest };
            assert_eq!(snorm16_to_float(value), float(truncated), "{value}");
        }
    }

    #[test]
    fn halves_are_exact() {
        for (half, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x03ff, 6.097_555e-5),
            (0x0400, 6.103_515_6e-5),
            (0x8000, -0.0),
            (0xfc00, f32::NEG_INFINITY),
        ] {
            assert_eq!(half_to_float(half), float(value), "{half:04x}");
        }
        assert_eq!(half_to_float(0xfe01), 0x7fff_ffff);
    }

    #[test]
    fn packed_words_hold_three_signed_fields() {
        // x = 1 → 32/32767, y = −1024 → −32768/32767, z = 511 → 32704/32767.
        let word = 1 | 0x400 << 11 | 0x1ff << 22;
        let value = decode_element(VertexFormat::S11S11S10Norm, 1, element(&u32::to_le_bytes(word)));
        assert_eq!(value, [float(32.0 / 32767.0), float(-32768.0 / 32767.0), float(32704.0 / 32767.0), float(1.0)]);
    }

    #[test]
    fn colors_come_as_blue_green_red_alpha() {
        let value = decode_element(VertexFormat::B8G8R8A8Unorm, 4, element(&[0, 51, 255, 255]));
        assert_eq!([value[0], value[2], value[3]], [float(1.0), 0, float(1.0)]);
        assert_eq!(value[1], 0x3e4c_cccc, "51/255 = 0.2, truncated");
        let value = decode_element(VertexFormat::B8G8R8A8Unorm, 3, element(&[255, 0, 0, 0]));
        assert_eq!(value, [0, 0, float(1.0), float(1.0)], "alpha is missing");
    }
}
