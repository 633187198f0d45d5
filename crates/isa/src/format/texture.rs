//! Formats of textures: those of NV40 (field `TEX_FORMAT` bits 12:8), and those of Tesla whose components have one size.

use super::texel::{BlockKind, Field, bits, block_texel, expand_to_16};
use super::{DepthStorage, formats};
use crate::arith::fragment;

formats! {
    /// Texture formats; sizes are bytes per texel, per 4×4 block for DXT, per pixel for the YUV-like pairs.
    ///
    /// Codes from 0x20 on are Tesla's: the type of the components in bits 7:5, their sizes in bits 4:0, with the numbers of
    /// its texture entries (envytools `rnndb/graph/g80_texture.xml`: `G80_TIC_TYPE`, `COMPONENTS_SIZES`).
    TextureFormat {
        /// One byte.
        B8 = 0x01 "B8" 1;
        /// 16 bits with one bit of alpha on top.
        A1R5G5B5 = 0x02 "A1R5G5B5" 2;
        /// 16 bits.
        A4R4G4B4 = 0x03 "A4R4G4B4" 2;
        /// 16 bits.
        R5G6B5 = 0x04 "R5G6B5" 2;
        /// 32 bits.
        A8R8G8B8 = 0x05 "A8R8G8B8" 4;
        /// Compressed, 8 bytes per block.
        Dxt1 = 0x06 "DXT1" 8;
        /// Compressed, 16 bytes per block, explicit alpha.
        Dxt23 = 0x07 "DXT23" 16;
        /// Compressed, 16 bytes per block, interpolated alpha.
        Dxt45 = 0x08 "DXT45" 16;
        /// Two bytes.
        G8B8 = 0x0b "G8B8" 2;
        /// Two pixels in 32 bits sharing green and blue.
        B8R8G8R8 = 0x0d "B8R8_G8R8" 2;
        /// Two pixels in 32 bits sharing green and blue.
        R8B8R8G8 = 0x0e "R8B8_R8G8" 2;
        /// 16 bits.
        R6G5B5 = 0x0f "R6G5B5" 2;
        /// 24 bits of depth.
        Depth24D8 = 0x10 "DEPTH24_D8" 4;
        /// 24 bits of float depth.
        Depth24D8Float = 0x11 "DEPTH24_D8_FLOAT" 4;
        /// 16 bits of depth.
        Depth16 = 0x12 "DEPTH16" 2;
        /// 16 bits of float depth.
        Depth16Float = 0x13 "DEPTH16_FLOAT" 2;
        /// One 16-bit channel.
        X16 = 0x14 "X16" 2;
        /// Two 16-bit channels.
        Y16X16 = 0x15 "Y16_X16" 4;
        /// 16 bits with one bit of alpha below.
        R5G5B5A1 = 0x17 "R5G5B5A1" 2;
        /// Two unsigned bytes.
        HiLo8 = 0x18 "HILO8" 2;
        /// Two signed bytes.
        HiLoS8 = 0x19 "HILO_S8" 2;
        /// Four half floats.
        W16Z16Y16X16F = 0x1a "W16_Z16_Y16_X16_FLOAT" 8;
        /// Four floats.
        W32Z32Y32X32F = 0x1b "W32_Z32_Y32_X32_FLOAT" 16;
        /// One float.
        X32F = 0x1c "X32_FLOAT" 4;
        /// 16 bits, alpha reads 1.
        D1R5G5B5 = 0x1d "D1R5G5B5" 2;
        /// 32 bits, alpha reads 1.
        D8R8G8B8 = 0x1e "D8R8G8B8" 4;
        /// Two half floats.
        Y16X16F = 0x1f "Y16_X16_FLOAT" 4;
        /// Four signed fractions of 16 bits.
        Snorm16x4 = 0x23 "snorm16x4" 8;
        /// Four signed fractions of 8 bits.
        Snorm8x4 = 0x28 "snorm8x4" 4;
        /// Two signed fractions of 16 bits.
        Snorm16x2 = 0x2c "snorm16x2" 4;
        /// Two signed fractions of 8 bits.
        Snorm8x2 = 0x38 "snorm8x2" 2;
        /// One signed fraction of 16 bits.
        Snorm16 = 0x3b "snorm16" 2;
        /// One signed fraction of 8 bits.
        Snorm8 = 0x3d "snorm8" 1;
        /// Four fractions of 16 bits.
        Unorm16x4 = 0x43 "unorm16x4" 8;
        /// Four fractions of 8 bits.
        Unorm8x4 = 0x48 "unorm8x4" 4;
        /// Two fractions of 16 bits.
        Unorm16x2 = 0x4c "unorm16x2" 4;
        /// Two fractions of 8 bits.
        Unorm8x2 = 0x58 "unorm8x2" 2;
        /// One fraction of 16 bits.
        Unorm16 = 0x5b "unorm16" 2;
        /// One fraction of 8 bits.
        Unorm8 = 0x5d "unorm8" 1;
        /// Four signed integers of 32 bits.
        Sint32x4 = 0x61 "s32x4" 16;
        /// Four signed integers of 16 bits.
        Sint16x4 = 0x63 "s16x4" 8;
        /// Two signed integers of 32 bits.
        Sint32x2 = 0x64 "s32x2" 8;
        /// Four signed integers of 8 bits.
        Sint8x4 = 0x68 "s8x4" 4;
        /// Two signed integers of 16 bits.
        Sint16x2 = 0x6c "s16x2" 4;
        /// One signed integer of 32 bits.
        Sint32 = 0x6f "s32" 4;
        /// Two signed integers of 8 bits.
        Sint8x2 = 0x78 "s8x2" 2;
        /// One signed integer of 16 bits.
        Sint16 = 0x7b "s16" 2;
        /// One signed integer of 8 bits.
        Sint8 = 0x7d "s8" 1;
        /// Four unsigned integers of 32 bits.
        Uint32x4 = 0x81 "u32x4" 16;
        /// Four unsigned integers of 16 bits.
        Uint16x4 = 0x83 "u16x4" 8;
        /// Two unsigned integers of 32 bits.
        Uint32x2 = 0x84 "u32x2" 8;
        /// Four unsigned integers of 8 bits.
        Uint8x4 = 0x88 "u8x4" 4;
        /// Two unsigned integers of 16 bits.
        Uint16x2 = 0x8c "u16x2" 4;
        /// One unsigned integer of 32 bits.
        Uint32 = 0x8f "u32" 4;
        /// Two unsigned integers of 8 bits.
        Uint8x2 = 0x98 "u8x2" 2;
        /// One unsigned integer of 16 bits.
        Uint16 = 0x9b "u16" 2;
        /// One unsigned integer of 8 bits.
        Uint8 = 0x9d "u8" 1;
        /// Four floats of 32 bits.
        Float32x4 = 0xe1 "f32x4" 16;
        /// Four floats of 16 bits.
        Float16x4 = 0xe3 "f16x4" 8;
        /// Two floats of 32 bits.
        Float32x2 = 0xe4 "f32x2" 8;
        /// Two floats of 16 bits.
        Float16x2 = 0xec "f16x2" 4;
        /// One float of 32 bits.
        Float32 = 0xef "f32" 4;
        /// One float of 16 bits.
        Float16 = 0xfb "f16" 2;
    }
}

/// The storage of a format's texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TexelStorage {
    /// Bit fields of one little-endian word: red, green, blue, alpha.
    Fields([Field; 4]),
    /// Two's complement bit fields.
    SignedFields([Field; 4]),
    /// A fixed-point depth of this width at this shift.
    Depth {
        /// Position of the lowest bit.
        shift: u8,
        /// Number of bits.
        width: u8,
    },
    /// A positive depth in floating point: an exponent of 8 or (in 15 bits) 5 bits and a fraction.
    FloatDepth {
        /// Position of the lowest bit.
        shift: u8,
        /// Number of bits.
        width: u8,
    },
    /// Compressed 4×4 blocks.
    Block(BlockKind),
    /// Two texels in a word that share green and blue; positions of the bytes of red 0, red 1, green, blue.
    Pair([u8; 4]),
    /// Half floats: the memory index of each of red, green, blue, alpha.
    Half([u8; 4]),
    /// Floats: the memory index of each of red, green, blue, alpha.
    Float([u8; 4]),
    /// Components of one size, red in the lowest bits.
    Components(Components),
}

/// Components of one size. Those that are not stored read 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Components {
    /// What their bits mean.
    pub kind: ComponentKind,
    /// The bits of each: 8, 16 or 32.
    pub width: u8,
    /// How many are stored: 1, 2 or 4.
    pub count: u8,
}

/// What the bits of a component mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ComponentKind {
    /// A fraction 0..1.
    Unorm,
    /// A two's complement fraction −1..1.
    Snorm,
    /// An unsigned integer, which programs read as it is.
    Uint,
    /// A two's complement integer, which programs read as it is.
    Sint,
    /// A float.
    Float,
}

impl Components {
    /// The bits of a component of an element, in the low bits of the word.
    #[must_use]
    pub const fn bits_of(self, element: [u32; 4], component: usize) -> u32 {
        if component >= self.count as usize {
            return 0;
        }
        let start = component * self.width as usize;
        (element[start / 32] >> (start % 32)) & (u32::MAX >> (32 - self.width))
    }

    /// The value that programs read: bits of a float or an integer.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a component of 16 bits is no longer")]
    pub fn value_of(self, element: [u32; 4], component: usize) -> u32 {
        let (bits, width) = (self.bits_of(element, component), u32::from(self.width));
        match self.kind {
            ComponentKind::Unorm => fragment::unorm_to_float(bits, width),
            ComponentKind::Snorm => signed_clamped(bits, width),
            ComponentKind::Sint => ((bits << (32 - width)).cast_signed() >> (32 - width)).cast_unsigned(),
            // Unverified: that denormal halves keep their value.
            ComponentKind::Float if width == 16 => fragment::half_bits_to(bits as u16),
            ComponentKind::Uint | ComponentKind::Float => bits,
        }
    }

    /// Whether texels are weighted; integers are not.
    #[must_use]
    pub const fn are_filtered(self) -> bool {
        !matches!(self.kind, ComponentKind::Uint | ComponentKind::Sint)
    }
}

impl TextureFormat {
    /// The storage of its texels, in the natural channel order of the format table.
    #[must_use]
    pub const fn storage(self) -> TexelStorage {
        use TexelStorage::{Block, Depth, Fields, FloatDepth, Pair, SignedFields};
        match self {
            Self::B8 => Fields([bits(0, 8), bits(0, 8), bits(0, 8), Field::One]),
            Self::A1R5G5B5 => Fields([bits(10, 5), bits(5, 5), bits(0, 5), bits(15, 1)]),
            Self::A4R4G4B4 => Fields([bits(8, 4), bits(4, 4), bits(0, 4), bits(12, 4)]),
            Self::R5G6B5 => Fields([bits(11, 5), bits(5, 6), bits(0, 5), Field::One]),
            Self::A8R8G8B8 => Fields([bits(16, 8), bits(8, 8), bits(0, 8), bits(24, 8)]),
            Self::Dxt1 => Block(BlockKind::Dxt1),
            Self::Dxt23 => Block(BlockKind::Dxt3),
            Self::Dxt45 => Block(BlockKind::Dxt5),
            Self::G8B8 => Fields([bits(0, 8), bits(8, 8), bits(0, 8), bits(8, 8)]),
            Self::B8R8G8R8 => Pair([0, 16, 24, 8]),
            Self::R8B8R8G8 => Pair([8, 24, 16, 0]),
            Self::R6G5B5 => Fields([bits(10, 6), bits(5, 5), bits(0, 5), Field::One]),
            Self::Depth24D8 => Depth { shift: 8, width: 24 },
            Self::Depth16 => Depth { shift: 0, width: 16 },
            Self::Depth24D8Float => FloatDepth { shift: 8, width: 24 },
            // Unverified: the layout of the 16 bits; assumed to be a half float without a sign.
            Self::Depth16Float => FloatDepth { shift: 0, width: 15 },
            Self::X16 => Fields([Field::One, bits(0, 16), Field::One, bits(0, 16)]),
            Self::Y16X16 => Fields([bits(0, 16), bits(16, 16), bits(0, 16), bits(16, 16)]),
            Self::R5G5B5A1 => Fields([bits(11, 5), bits(6, 5), bits(1, 5), bits(0, 1)]),
            Self::HiLo8 => Fields([bits(8, 8), bits(0, 8), bits(8, 8), bits(0, 8)]),
            Self::HiLoS8 => SignedFields([bits(8, 8), bits(0, 8), bits(8, 8), bits(0, 8)]),
            Self::W16Z16Y16X16F => TexelStorage::Half([0, 1, 2, 3]),
            Self::W32Z32Y32X32F => TexelStorage::Float([0, 1, 2, 3]),
            Self::X32F => TexelStorage::Float([0; 4]),
            Self::D1R5G5B5 => Fields([bits(10, 5), bits(5, 5), bits(0, 5), Field::One]),
            Self::D8R8G8B8 => Fields([bits(16, 8), bits(8, 8), bits(0, 8), Field::One]),
            // Unverified: which half is red; both sources name it for little-endian memory.
            Self::Y16X16F => TexelStorage::Half([0, 1, 0, 1]),
            Self::Snorm8 | Self::Snorm8x2 | Self::Snorm8x4 => self.components(ComponentKind::Snorm, 8),
            Self::Snorm16 | Self::Snorm16x2 | Self::Snorm16x4 => self.components(ComponentKind::Snorm, 16),
            Self::Unorm8 | Self::Unorm8x2 | Self::Unorm8x4 => self.components(ComponentKind::Unorm, 8),
            Self::Unorm16 | Self::Unorm16x2 | Self::Unorm16x4 => self.components(ComponentKind::Unorm, 16),
            Self::Sint8 | Self::Sint8x2 | Self::Sint8x4 => self.components(ComponentKind::Sint, 8),
            Self::Sint16 | Self::Sint16x2 | Self::Sint16x4 => self.components(ComponentKind::Sint, 16),
            Self::Sint32 | Self::Sint32x2 | Self::Sint32x4 => self.components(ComponentKind::Sint, 32),
            Self::Uint8 | Self::Uint8x2 | Self::Uint8x4 => self.components(ComponentKind::Uint, 8),
            Self::Uint16 | Self::Uint16x2 | Self::Uint16x4 => self.components(ComponentKind::Uint, 16),
            Self::Uint32 | Self::Uint32x2 | Self::Uint32x4 => self.components(ComponentKind::Uint, 32),
            Self::Float16 | Self::Float16x2 | Self::Float16x4 => self.components(ComponentKind::Float, 16),
            Self::Float32 | Self::Float32x2 | Self::Float32x4 => self.components(ComponentKind::Float, 32),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "an element has at most 16 bytes")]
    const fn components(self, kind: ComponentKind, width: u8) -> TexelStorage {
        TexelStorage::Components(Components { kind, width, count: (self.bytes() * 8) as u8 / width })
    }

    /// Bytes read to decode one texel: an element, or the word that two texels share.
    #[must_use]
    pub const fn element_bytes(self) -> u32 {
        match self.storage() {
            TexelStorage::Pair(_) => 4,
            _ => self.bytes(),
        }
    }

    /// Whether texels are 4×4 blocks.
    #[must_use]
    pub const fn is_compressed(self) -> bool {
        matches!(self.storage(), TexelStorage::Block(_))
    }

    /// Decodes the element that holds texel (x, y) to 16-bit fractions of red, green, blue, alpha; `None` for formats
    /// that hold floats, signed values or depths.
    #[must_use]
    pub fn decode_unorm16(self, element: [u32; 4], x: u32, y: u32) -> Option<[u32; 4]> {
        match self.storage() {
            TexelStorage::Fields(fields) => Some(fields.map(|field| field.unorm16(element[0]))),
            TexelStorage::Block(kind) => Some(block_texel(element, kind, x, y).map(|value| value * 0x101)),
            TexelStorage::Pair([red0, red1, green, blue]) => {
                let red = if x & 1 == 0 { red0 } else { red1 };
                let channel = |shift: u8| ((element[0] >> shift) & 0xff) * 0x101;
                Some([channel(red), channel(green), channel(blue), 0xffff])
            }
            TexelStorage::Components(components)
                if matches!(components.kind, ComponentKind::Unorm | ComponentKind::Snorm) =>
            {
                Some(
                    [0, 1, 2, 3]
                        .map(|component| expand_to_16(components.bits_of(element, component), components.width)),
                )
            }
            TexelStorage::SignedFields(_)
            | TexelStorage::Depth { .. }
            | TexelStorage::FloatDepth { .. }
            | TexelStorage::Half(_)
            | TexelStorage::Float(_)
            | TexelStorage::Components(_) => None,
        }
    }

    /// Decodes the element that holds texel (x, y) to bits of floats: red, green, blue, alpha.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "halves are cut out of words")]
    pub fn decode(self, element: [u32; 4], x: u32, y: u32) -> [u32; 4] {
        let half = |index: u8| {
            let word = element[usize::from(index / 2)];
            fragment::half_bits_to((word >> (16 * u32::from(index % 2))) as u16)
        };
        match self.storage() {
            TexelStorage::SignedFields(fields) => fields.map(|field| signed_clamped(field.unorm16(element[0]) >> 8, 8)),
            TexelStorage::Depth { shift, width } => {
                [fragment::unorm_to_float(bits(shift, width).extract(element[0]).unwrap_or(0), u32::from(width)); 4]
            }
            // The 24 bits are bits 30:7 of a positive single.
            TexelStorage::FloatDepth { width: 24, .. } => [element[0] >> 8 << 7; 4],
            TexelStorage::FloatDepth { .. } => [half(0) & 0x7fff_ffff; 4],
            TexelStorage::Half(order) => order.map(half),
            TexelStorage::Float(order) => order.map(|index| element[usize::from(index)]),
            TexelStorage::Components(components) => {
                [0, 1, 2, 3].map(|component| components.value_of(element, component))
            }
            TexelStorage::Fields(_) | TexelStorage::Block(_) | TexelStorage::Pair(_) => {
                self.decode_unorm16(element, x, y).unwrap_or_default().map(|value| fragment::unorm_to_float(value, 16))
            }
        }
    }
}

impl TextureFormat {
    /// The bits of a stored depth, as a number in the order of depths.
    #[must_use]
    pub const fn depth_bits(self, word: u32) -> u32 {
        match self.storage() {
            TexelStorage::Depth { shift, width } | TexelStorage::FloatDepth { shift, width } => {
                (word >> shift) & (u32::MAX >> (32 - width as u32))
            }
            _ => 0,
        }
    }

    /// The bits that a reference depth is compared as: those that a surface of the format would hold.
    #[must_use]
    pub fn reference_depth_bits(self, reference: u32) -> u32 {
        match self.storage() {
            TexelStorage::FloatDepth { width: 24, .. } => DepthStorage::Float24.encode(reference),
            TexelStorage::FloatDepth { .. } => DepthStorage::Half.encode(reference),
            TexelStorage::Depth { width, .. } => DepthStorage::Fraction(width).encode(reference),
            _ => 0,
        }
    }

    /// The bits that a border of this red byte is compared as.
    ///
    /// Unverified: that the border's depth is its red channel.
    #[must_use]
    pub fn border_depth_bits(self, red: u32) -> u32 {
        match self.storage() {
            TexelStorage::Depth { width, .. } => (red & 0xff) * (0x01_0101 >> (24 - width)),
            _ => self.reference_depth_bits(fragment::unorm_to_float(red & 0xff, 8)),
        }
    }

    /// The width in bits at which channels are signed and expanded: 8, or 16 for the formats of 16-bit channels.
    #[must_use]
    pub const fn signed_width(self) -> u32 {
        let has_words = matches!(self.storage(), TexelStorage::Components(Components { width: 16, .. }));
        if has_words || matches!(self, Self::X16 | Self::Y16X16) { 16 } else { 8 }
    }

    /// Whether each channel expands to a byte.
    #[must_use]
    pub const fn has_byte_channels(self) -> bool {
        let storage = self.storage();
        self.signed_width() == 8
            && matches!(storage, TexelStorage::Fields(_) | TexelStorage::Block(_) | TexelStorage::Pair(_))
    }

    /// Whether weights of linear filtering are rounded to their eight bits rather than cut off: those of the Tesla
    /// processor's formats.
    #[must_use]
    pub const fn rounds_weights(self) -> bool {
        matches!(self.storage(), TexelStorage::Components(_))
    }

    /// Whether programs read integers.
    #[must_use]
    pub const fn holds_integers(self) -> bool {
        matches!(self.storage(), TexelStorage::Components(components) if !components.are_filtered())
    }
}

/// The value of a two's complement number of 8 or 16 bits: v/127 or v/32767, the least one below −1.
#[must_use]
pub fn signed(value: u32, width: u32) -> u32 {
    quotient(sign_extended(value, width), width)
}

/// The same, at least −1.
#[must_use]
pub fn signed_clamped(value: u32, width: u32) -> u32 {
    quotient(sign_extended(value, width).max(1 - (1 << (width - 1))), width)
}

const fn sign_extended(value: u32, width: u32) -> i32 {
    (value << (32 - width)).cast_signed() >> (32 - width)
}

/// The binary digits repeat every 7 or 15 places, so rounding to double first cannot create a tie.
#[expect(clippy::cast_possible_truncation, reason = "the rounding is intended")]
fn quotient(number: i32, width: u32) -> u32 {
    ((f64::from(number) / f64::from((1 << (width - 1)) - 1)) as f32).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(format: TextureFormat, element: [u32; 4]) -> [f32; 4] {
        format.decode(element, 0, 0).map(f32::from_bits)
    }

    #[test]
    fn channels_follow_the_format_table() {
        let byte = |value: f32| value / 255.0;
        let rows: [(TextureFormat, u32, [f32; 4]); 13] = [
            (TextureFormat::B8, 0x33, [byte(51.0), byte(51.0), byte(51.0), 1.0]),
            (TextureFormat::A1R5G5B5, 0xfc00, [1.0, 0.0, 0.0, 1.0]),
            (TextureFormat::A4R4G4B4, 0x30f6, [0.0, 1.0, 0.4, 0.2]),
            (TextureFormat::R5G6B5, 0x07e0, [0.0, 1.0, 0.0, 1.0]),
            (TextureFormat::A8R8G8B8, 0x0033_66ff, [0.2, 0.4, 1.0, 0.0]),
            (TextureFormat::G8B8, 0x3366, [0.4, 0.2, 0.4, 0.2]),
            (TextureFormat::R6G5B5, 0xfc1f, [1.0, 0.0, 1.0, 1.0]),
            (TextureFormat::X16, 0x3333, [1.0, 0.2, 1.0, 0.2]),
            (TextureFormat::Y16X16, 0x3333_6666, [0.4, 0.2, 0.4, 0.2]),
            (TextureFormat::R5G5B5A1, 0x003f, [0.0, 0.0, 1.0, 1.0]),
            (TextureFormat::HiLo8, 0x3366, [0.2, 0.4, 0.2, 0.4]),
            (TextureFormat::D1R5G5B5, 0x7c00, [1.0, 0.0, 0.0, 1.0]),
            (TextureFormat::D8R8G8B8, 0x0033_66ff, [0.2, 0.4, 1.0, 1.0]),
        ];
        for (format, word, expected) in rows {
            assert_eq!(decoded(format, [word, 0, 0, 0]), expected, "{}", format.name());
        }
    }

    #[test]
    fn floats_signed_values_and_depths() {
        assert_eq!(decoded(TextureFormat::W16Z16Y16X16F, [0x4000_3c00, 0x3800_c200, 0, 0]), [1.0, 2.0, -3.0, 0.5]);
        assert_eq!(decoded(TextureFormat::Y16X16F, [0x4000_3c00, 0, 0, 0]), [1.0, 2.0, 1.0, 2.0]);
        let floats = [1.5f32, -2.5, 3.5, 4.5];
        assert_eq!(decoded(TextureFormat::W32Z32Y32X32F, floats.map(f32::to_bits)), floats);
        assert_eq!(decoded(TextureFormat::X32F, floats.map(f32::to_bits)), [1.5; 4]);
        assert_eq!(decoded(TextureFormat::HiLoS8, [0x7f80, 0, 0, 0]), [1.0, -1.0, 1.0, -1.0]);
        assert_eq!(decoded(TextureFormat::HiLoS8, [0x81ff, 0, 0, 0])[..2], [-1.0, -1.0 / 127.0]);
        assert_eq!(decoded(TextureFormat::Depth24D8, [0xffff_ff00, 0, 0, 0]), [1.0; 4]);
        assert_eq!(decoded(TextureFormat::Depth16, [0x8000, 0, 0, 0]), [32768.0 / 65535.0; 4]);
        assert_eq!(decoded(TextureFormat::Depth24D8Float, [1.0f32.to_bits() << 1, 0, 0, 0]), [1.0; 4]);
        assert_eq!(decoded(TextureFormat::Depth16Float, [0x3800, 0, 0, 0]), [0.5; 4]);
    }

    #[test]
    fn signed_numbers() {
        let float = |value: u32| f32::from_bits(value);
        assert_eq!(
            [0, 1, 127, 128, 129, 255].map(|v| float(signed(v, 8))),
            [0.0, 1.0 / 127.0, 1.0, -128.0 / 127.0, -1.0, -1.0 / 127.0]
        );
        let words = [0x8000, 0x8001, 0x7fff, 1].map(|v| float(signed(v, 16)));
        assert_eq!(words, [-32768.0 / 32767.0, -1.0, 1.0, 1.0 / 32767.0]);
        assert_eq!([127, 128, 129, 255].map(|v| float(signed_clamped(v, 8))), [1.0, -1.0, -1.0, -1.0 / 127.0]);
        assert_eq!([0x7fff, 0x8000].map(|v| float(signed_clamped(v, 16))), [1.0, -1.0]);
    }

    #[test]
    fn references_round_to_the_depth_that_is_stored() {
        let bits = |format: TextureFormat, value: f32| format.reference_depth_bits(value.to_bits());
        assert_eq!([0.5, 1.5, -1.0, f32::NAN].map(|v| bits(TextureFormat::Depth16, v)), [0x8000, 0xffff, 0, 0]);
        let ends = [1.0, -0.0, f32::NAN, f32::INFINITY, f32::MAX];
        let expected = [0x7f_0000, 0, 0, 0xff_0000, 0xff_0000];
        assert_eq!(ends.map(|v| bits(TextureFormat::Depth24D8Float, v)), expected);
        assert_eq!(TextureFormat::Depth24D8Float.reference_depth_bits(0x3f80_0040), 0x7f_0000);
        assert_eq!(TextureFormat::Depth24D8Float.reference_depth_bits(0x3f80_00c0), 0x7f_0002);
        assert_eq!([1.0, 65536.0, -2.0].map(|v| bits(TextureFormat::Depth16Float, v)), [0x3c00, 0x7c00, 0]);
        assert_eq!(TextureFormat::Depth16Float.depth_bits(0xbc00), 0x3c00);
        assert_eq!(TextureFormat::Depth24D8.border_depth_bits(0x80), 0x80_8080);
        assert_eq!(TextureFormat::Depth16Float.border_depth_bits(255), 0x3c00);
    }

    #[test]
    fn pairs_share_green_and_blue() {
        // Bytes red 0, blue, red 1, green.
        let element = [0x44_33_22_11, 0, 0, 0];
        let bytes = |format: TextureFormat, x| format.decode_unorm16(element, x, 0).unwrap().map(|value| value >> 8);
        assert_eq!(bytes(TextureFormat::B8R8G8R8, 0), [0x11, 0x44, 0x22, 0xff]);
        assert_eq!(bytes(TextureFormat::B8R8G8R8, 1), [0x33, 0x44, 0x22, 0xff]);
        // Bytes blue, red 0, green, red 1.
        assert_eq!(bytes(TextureFormat::R8B8R8G8, 0), [0x22, 0x33, 0x11, 0xff]);
        assert_eq!(bytes(TextureFormat::R8B8R8G8, 1), [0x44, 0x33, 0x11, 0xff]);
    }
}
