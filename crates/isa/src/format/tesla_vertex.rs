//! Formats of vertex attributes of the Tesla generation, and what their elements hold (`VERTEX_ARRAY_ATTRIB`).
#![expect(
    clippy::cast_possible_truncation,
    reason = "fields are cut out of elements, and quotients rounded, on purpose"
)]

use super::{formats, vertex_decode::half_to_float};

formats! {
    /// The sizes of the components of an attribute (field `FORMAT`, bits 24:19); bytes are those of an element.
    TeslaVertexSizes {
        /// Four words.
        Size32x4 = 0x01 "32_32_32_32" 16;
        /// Three words.
        Size32x3 = 0x02 "32_32_32" 12;
        /// Four half words.
        Size16x4 = 0x03 "16_16_16_16" 8;
        /// Two words.
        Size32x2 = 0x04 "32_32" 8;
        /// Three half words.
        Size16x3 = 0x05 "16_16_16" 6;
        /// Four bytes.
        Size8x4 = 0x0a "8_8_8_8" 4;
        /// Two half words.
        Size16x2 = 0x0f "16_16" 4;
        /// A word.
        Size32 = 0x12 "32" 4;
        /// Three bytes.
        Size8x3 = 0x13 "8_8_8" 3;
        /// Two bytes.
        Size8x2 = 0x18 "8_8" 2;
        /// A half word.
        Size16 = 0x1b "16" 2;
        /// A byte.
        Size8 = 0x1d "8" 1;
        /// Fields of a word, from its lowest bit.
        Size10x3x2 = 0x30 "10_10_10_2" 4;
        /// Fields of a word, from its lowest bit.
        Size11x2x10 = 0x31 "11_11_10" 4;
    }
}

impl TeslaVertexSizes {
    /// The bits of each component. They follow each other from the lowest bit of the element.
    #[must_use]
    pub const fn component_bits(self) -> &'static [u32] {
        match self {
            Self::Size32x4 => &[32; 4],
            Self::Size32x3 => &[32; 3],
            Self::Size32x2 => &[32; 2],
            Self::Size32 => &[32],
            Self::Size16x4 => &[16; 4],
            Self::Size16x3 => &[16; 3],
            Self::Size16x2 => &[16; 2],
            Self::Size16 => &[16],
            Self::Size8x4 => &[8; 4],
            Self::Size8x3 => &[8; 3],
            Self::Size8x2 => &[8; 2],
            Self::Size8 => &[8],
            Self::Size10x3x2 => &[10, 10, 10, 2],
            Self::Size11x2x10 => &[11, 11, 10],
        }
    }
}

/// What the bits of a component mean (field `TYPE`, bits 30:25: the same three bits twice).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TeslaVertexKind {
    /// A two's complement fraction −1..1.
    Snorm = 0x09,
    /// A fraction 0..1.
    Unorm = 0x12,
    /// A two's complement integer, which programs read as it is.
    Sint = 0x1b,
    /// An unsigned integer, which programs read as it is.
    Uint = 0x24,
    /// An unsigned integer that becomes a float.
    Uscaled = 0x2d,
    /// A two's complement integer that becomes a float.
    Sscaled = 0x36,
    /// A float of 32 or 16 bits, or of 11 or 10 bits without sign.
    Float = 0x3f,
}

impl TeslaVertexKind {
    /// Every kind, in code order.
    pub const ALL: &'static [Self] =
        &[Self::Snorm, Self::Unorm, Self::Sint, Self::Uint, Self::Uscaled, Self::Sscaled, Self::Float];

    /// Whether components are two's complement numbers.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::Snorm | Self::Sint | Self::Sscaled)
    }

    /// The value of the fourth component where elements have none.
    // Unverified: that it is the integer 1 for integers.
    #[must_use]
    pub const fn one(self) -> u32 {
        match self {
            Self::Sint | Self::Uint => 1,
            _ => 1f32.to_bits(),
        }
    }
}

/// A format of vertex attributes of the Tesla generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TeslaVertexFormat {
    /// The sizes of components.
    pub sizes: TeslaVertexSizes,
    /// What their bits mean.
    pub kind: TeslaVertexKind,
}

impl TeslaVertexFormat {
    /// The format with these codes; `None` if a code is unused, or there are no floats of these sizes.
    #[must_use]
    pub fn from_codes(sizes: u32, kind: u32) -> Option<Self> {
        let sizes = TeslaVertexSizes::from_code(sizes)?;
        let kind = *TeslaVertexKind::ALL.iter().find(|known| **known as u32 == kind)?;
        let has_floats = matches!(sizes.component_bits()[0], 32 | 16 | 11);
        (kind != TeslaVertexKind::Float || has_floats).then_some(Self { sizes, kind })
    }

    /// Every format.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        let kinds = |sizes: TeslaVertexSizes| {
            TeslaVertexKind::ALL.iter().filter_map(move |kind| Self::from_codes(sizes.code(), *kind as u32))
        };
        TeslaVertexSizes::ALL.iter().flat_map(move |sizes| kinds(*sizes))
    }

    /// The four words that a program reads: bits of floats, or integers.
    #[must_use]
    pub fn decode(self, element: [u8; 16]) -> [u32; 4] {
        let element = u128::from_le_bytes(element);
        let mut value = [0, 0, 0, self.kind.one()];
        let mut start = 0;
        for (component, &bits) in value.iter_mut().zip(self.sizes.component_bits()) {
            let field = (element >> start) as u32 & (u32::MAX >> (32 - bits));
            *component = component_value(self.kind, field, bits);
            start += bits;
        }
        value
    }
}

/// The word that a program reads for a component with these bits.
fn component_value(kind: TeslaVertexKind, field: u32, bits: u32) -> u32 {
    let number = (field << (32 - bits)).cast_signed() >> (32 - bits);
    match (kind, bits) {
        // Unverified: that normalized components follow the rule of Direct3D 10 and OpenGL 4.2, rounded to nearest.
        (TeslaVertexKind::Unorm, _) => nearest_fraction(field, bits),
        (TeslaVertexKind::Snorm, _) => {
            let magnitude = number.unsigned_abs().min((1 << (bits - 1)) - 1);
            u32::from(number < 0) << 31 | nearest_fraction(magnitude, bits - 1)
        }
        (TeslaVertexKind::Uint, _) => field,
        (TeslaVertexKind::Sint, _) => number.cast_unsigned(),
        // Unverified: that integers round to nearest even.
        (TeslaVertexKind::Uscaled, _) => (field as f32).to_bits(),
        (TeslaVertexKind::Sscaled, _) => (number as f32).to_bits(),
        (TeslaVertexKind::Float, 32) => field,
        // Short floats without a sign have the exponent of a half and the upper bits of its fraction.
        // Unverified: that denormals keep their value, as those of textures.
        (TeslaVertexKind::Float, _) => half_to_float((field << 15u32.saturating_sub(bits)) as u16),
    }
}

/// v/(2ⁿ − 1) to nearest. The binary digits of the quotient repeat those of v without end, so that there are no ties.
fn nearest_fraction(value: u32, bits: u32) -> u32 {
    if value == 0 {
        return 0;
    }
    // 96 digits after the point.
    let digits = (u128::from(value) << 96) / ((1 << bits) - 1);
    if digits >> 96 != 0 {
        return 1f32.to_bits();
    }
    let zeros = digits.leading_zeros() - 32;
    let leading = (digits << zeros >> 71) as u32;
    ((125 - zeros) << 23) + (leading >> 1) + (leading & 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(sizes: u32, kind: u32, bytes: &[u8]) -> [u32; 4] {
        let mut element = [0; 16];
        element[..bytes.len()].copy_from_slice(bytes);
        TeslaVertexFormat::from_codes(sizes, kind).unwrap().decode(element)
    }

    fn floats(value: [f32; 4]) -> [u32; 4] {
        value.map(f32::to_bits)
    }

    #[test]
    fn components_fill_elements() {
        for sizes in TeslaVertexSizes::ALL {
            assert_eq!(sizes.component_bits().iter().sum::<u32>(), sizes.bytes() * 8, "{}", sizes.name());
        }
        assert_eq!(TeslaVertexFormat::all().count(), 14 * 7 - 5, "no floats of 8 and of 10, 10, 10 and 2 bits");
        assert_eq!(TeslaVertexFormat::from_codes(0x1d, 0x3f), None);
        assert_eq!(TeslaVertexFormat::from_codes(0x06, 0x12), None);
        assert_eq!(TeslaVertexFormat::from_codes(0x01, 0x13), None);
    }

    #[test]
    fn integers_stay_integers_or_become_floats() {
        let bytes = [0xff, 0xff, 0x80, 0x00, 0xfe, 0x7f];
        assert_eq!(decoded(0x05, 0x1b, &bytes), [u32::MAX, 0x80, 0x7ffe, 1]);
        assert_eq!(decoded(0x05, 0x24, &bytes), [0xffff, 0x80, 0x7ffe, 1]);
        assert_eq!(decoded(0x05, 0x36, &bytes), floats([-1.0, 128.0, 32766.0, 1.0]));
        assert_eq!(decoded(0x05, 0x2d, &bytes), floats([65535.0, 128.0, 32766.0, 1.0]));
        // 2²⁴ + 1 and 2²⁴ + 3 lie between two floats; the even one is chosen.
        let words = [0x0100_0001u32, 0x0100_0003].map(u32::to_le_bytes).concat();
        assert_eq!(decoded(0x04, 0x2d, &words), floats([16_777_216.0, 16_777_220.0, 0.0, 1.0]));
        assert_eq!(decoded(0x12, 0x36, &[0, 0, 0, 0x80]), floats([-2_147_483_648.0, 0.0, 0.0, 1.0]));
    }

    #[test]
    fn normalized_components_are_the_nearest_quotients() {
        assert_eq!(decoded(0x0a, 0x12, &[0, 51, 255, 1]), floats([0.0, 0.2, 1.0, 1.0 / 255.0]));
        assert_eq!(decoded(0x0a, 0x09, &[0x80, 0x81, 0x7f, 0xff]), floats([-1.0, -1.0, 1.0, -1.0 / 127.0]));
        assert_eq!(decoded(0x12, 0x12, &[0xff; 4]), floats([1.0, 0.0, 0.0, 1.0]));
        assert_eq!(decoded(0x12, 0x09, &[0, 0, 0, 0x80]), floats([-1.0, 0.0, 0.0, 1.0]));
        for value in 0..=u16::MAX {
            let quotient = (f64::from(value) / 65535.0) as f32;
            assert_eq!(decoded(0x1b, 0x12, &value.to_le_bytes())[0], quotient.to_bits(), "{value}");
        }
        // 21 ones, 1, 0, 1, 0, 7 ones: below the middle of two floats by less than a double resolves.
        let value = 0b1111_1111_1111_1111_1111_1101_0111_1111_u32;
        let quotient = decoded(0x12, 0x12, &value.to_le_bytes())[0];
        assert_eq!(quotient, 0x3f7f_fffd);
        assert_ne!(quotient, ((f64::from(value) / f64::from(u32::MAX)) as f32).to_bits(), "rounded twice");
    }

    #[test]
    fn words_hold_packed_fields() {
        let word = (0x3ff | 0x200 << 10 | 1 << 20 | 2_u32 << 30).to_le_bytes();
        assert_eq!(decoded(0x30, 0x24, &word), [0x3ff, 0x200, 1, 2]);
        assert_eq!(decoded(0x30, 0x36, &word), floats([-1.0, -512.0, 1.0, -2.0]));
        assert_eq!(decoded(0x30, 0x09, &word), floats([-1.0 / 511.0, -1.0, 1.0 / 511.0, -1.0]));
        assert_eq!(decoded(0x30, 0x12, &word), floats([1.0, 512.0 / 1023.0, 1.0 / 1023.0, 2.0 / 3.0]));
        // 1.5, the greatest, and 2⁻¹⁹, the least.
        let word = (0x3e0 | 0x7bf << 11 | 1_u32 << 22).to_le_bytes();
        assert_eq!(decoded(0x31, 0x3f, &word), floats([1.5, 65024.0, 2f32.powi(-19), 1.0]));
        // Infinity, and what is not a number.
        let word = (0x7c0 | 0x7c1 << 11 | 0x3e0_u32 << 22).to_le_bytes();
        assert_eq!(decoded(0x31, 0x3f, &word), [0x7f80_0000, 0x7fff_ffff, 0x7f80_0000, 1f32.to_bits()]);
    }
}
