//! Formats of textures: those of NV40 (field `TEX_FORMAT` bits 12:8), and those of Tesla.

use super::component_kind::ComponentKind;
use super::texel::{BlockKind, Field, bits, block_texel, expand_to_16};
use super::{DepthStorage, formats};
use crate::arith::fragment;

formats! {
    /// Texture formats; sizes are bytes per texel, per 4×4 block for DXT, per pixel for the YUV-like pairs.
    ///
    /// Codes from 0x40 on are Tesla's: the type of the components in bits 8:6, their sizes in bits 5:0, with the numbers of
    /// its texture entries (envytools `rnndb/graph/g80_texture.xml`: `G80_TIC_TYPE`, `COMPONENTS_SIZES`). Depths that are
    /// compared have type 0 here.
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
        /// A depth of 24 bits above 8 others.
        Z24S8 = 0x029 "z24_s8" 4;
        /// A depth of 24 bits below 8 others.
        S8Z24 = 0x02b "s8_z24" 4;
        /// A depth as a float of 32 bits.
        Z32F = 0x02f "zf32" 4;
        /// A depth as a float of 32 bits before another word.
        Z32FX24S8 = 0x030 "zf32_x24s8" 8;
        /// A depth of 16 bits.
        Z16 = 0x03a "z16" 2;
        /// Four signed fractions of 16 bits.
        Snorm16x4 = 0x043 "snorm16x4" 8;
        /// Four signed fractions of 8 bits.
        Snorm8x4 = 0x048 "snorm8x4" 4;
        /// Three signed fractions of 10 bits, and one of 2 bits.
        Snorm10x3Snorm2 = 0x049 "snorm10x3_2" 4;
        /// Two signed fractions of 16 bits.
        Snorm16x2 = 0x04c "snorm16x2" 4;
        /// Two signed fractions of 8 bits.
        Snorm8x2 = 0x058 "snorm8x2" 2;
        /// One signed fraction of 16 bits.
        Snorm16 = 0x05b "snorm16" 2;
        /// One signed fraction of 8 bits.
        Snorm8 = 0x05d "snorm8" 1;
        /// Signed fractions in blocks of 4×4 texels: one channel.
        Bc4Snorm = 0x067 "bc4_snorm" 8;
        /// Signed fractions in blocks of 4×4 texels: two channels.
        Bc5Snorm = 0x068 "bc5_snorm" 16;
        /// Four fractions of 16 bits.
        Unorm16x4 = 0x083 "unorm16x4" 8;
        /// Four fractions of 8 bits.
        Unorm8x4 = 0x088 "unorm8x4" 4;
        /// Three fractions of 10 bits, and one of 2 bits.
        Unorm10x3Unorm2 = 0x089 "unorm10x3_2" 4;
        /// Two fractions of 16 bits.
        Unorm16x2 = 0x08c "unorm16x2" 4;
        /// A fraction of 24 bits below one of 8 bits.
        Unorm24Unorm8 = 0x08d "unorm24_8" 4;
        /// A fraction of 8 bits below one of 24 bits.
        Unorm8Unorm24 = 0x08e "unorm8_24" 4;
        /// Four fractions of 4 bits.
        Unorm4x4 = 0x092 "unorm4x4" 2;
        /// A fraction of one bit, and three of 5 bits.
        Unorm1Unorm5x3 = 0x093 "unorm1_5x3" 2;
        /// Three fractions of 5 bits, and one of one bit.
        Unorm5x3Unorm1 = 0x094 "unorm5x3_1" 2;
        /// Fractions of 5, 6 and 5 bits.
        Unorm5Unorm6Unorm5 = 0x095 "unorm5_6_5" 2;
        /// Fractions of 5, 5 and 6 bits.
        Unorm5x2Unorm6 = 0x096 "unorm5x2_6" 2;
        /// Two fractions of 8 bits.
        Unorm8x2 = 0x098 "unorm8x2" 2;
        /// One fraction of 16 bits.
        Unorm16 = 0x09b "unorm16" 2;
        /// One fraction of 8 bits.
        Unorm8 = 0x09d "unorm8" 1;
        /// Two fractions of 4 bits.
        Unorm4x2 = 0x09e "unorm4x2" 1;
        /// Blocks of 4×4 texels of 8 bytes: colors, and a bit of alpha.
        Bc1 = 0x0a4 "bc1" 8;
        /// Blocks of 4×4 texels of 16 bytes: colors, and explicit alpha.
        Bc2 = 0x0a5 "bc2" 16;
        /// Blocks of 4×4 texels of 16 bytes: colors, and interpolated alpha.
        Bc3 = 0x0a6 "bc3" 16;
        /// Fractions in blocks of 4×4 texels: one channel.
        Bc4 = 0x0a7 "bc4" 8;
        /// Fractions in blocks of 4×4 texels: two channels.
        Bc5 = 0x0a8 "bc5" 16;
        /// Four signed integers of 32 bits.
        Sint32x4 = 0x0c1 "s32x4" 16;
        /// Four signed integers of 16 bits.
        Sint16x4 = 0x0c3 "s16x4" 8;
        /// Two signed integers of 32 bits.
        Sint32x2 = 0x0c4 "s32x2" 8;
        /// Four signed integers of 8 bits.
        Sint8x4 = 0x0c8 "s8x4" 4;
        /// Two signed integers of 16 bits.
        Sint16x2 = 0x0cc "s16x2" 4;
        /// One signed integer of 32 bits.
        Sint32 = 0x0cf "s32" 4;
        /// Two signed integers of 8 bits.
        Sint8x2 = 0x0d8 "s8x2" 2;
        /// One signed integer of 16 bits.
        Sint16 = 0x0db "s16" 2;
        /// One signed integer of 8 bits.
        Sint8 = 0x0dd "s8" 1;
        /// Four unsigned integers of 32 bits.
        Uint32x4 = 0x101 "u32x4" 16;
        /// Four unsigned integers of 16 bits.
        Uint16x4 = 0x103 "u16x4" 8;
        /// Two unsigned integers of 32 bits.
        Uint32x2 = 0x104 "u32x2" 8;
        /// Unsigned integers of 32, 8 and 24 bits.
        Uint32Uint8Uint24 = 0x105 "u32_8_24" 8;
        /// Four unsigned integers of 8 bits.
        Uint8x4 = 0x108 "u8x4" 4;
        /// Three unsigned integers of 10 bits, and one of 2 bits.
        Uint10x3Uint2 = 0x109 "u10x3_2" 4;
        /// Two unsigned integers of 16 bits.
        Uint16x2 = 0x10c "u16x2" 4;
        /// An unsigned integer of 24 bits below one of 8 bits.
        Uint24Uint8 = 0x10d "u24_8" 4;
        /// An unsigned integer of 8 bits below one of 24 bits.
        Uint8Uint24 = 0x10e "u8_24" 4;
        /// One unsigned integer of 32 bits.
        Uint32 = 0x10f "u32" 4;
        /// Two unsigned integers of 8 bits.
        Uint8x2 = 0x118 "u8x2" 2;
        /// One unsigned integer of 16 bits.
        Uint16 = 0x11b "u16" 2;
        /// One unsigned integer of 8 bits.
        Uint8 = 0x11d "u8" 1;
        /// Four floats of 32 bits.
        Float32x4 = 0x1c1 "f32x4" 16;
        /// Four floats of 16 bits.
        Float16x4 = 0x1c3 "f16x4" 8;
        /// Two floats of 32 bits.
        Float32x2 = 0x1c4 "f32x2" 8;
        /// A float of 32 bits before a word that is not read.
        Float32Skip32 = 0x1c5 "f32_x32" 8;
        /// Two floats of 16 bits.
        Float16x2 = 0x1cc "f16x2" 4;
        /// One float of 32 bits.
        Float32 = 0x1cf "f32" 4;
        /// One float of 16 bits.
        Float16 = 0x1db "f16" 2;
        /// Three fractions of 9 bits with an exponent of 5 bits.
        SharedExponent = 0x1e0 "e5_9x3" 4;
        /// Positive floats of 11, 11 and 10 bits.
        Float11x2Float10 = 0x1e1 "f11x2_10" 4;
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
    /// Components of several sizes.
    Packed(PackedComponents),
    /// Three fractions of 9 bits with an exponent of 5 bits (`EXT_texture_shared_exponent`).
    SharedExponent,
    /// Positive floats of 11, 11 and 10 bits with exponents of 5 bits (`EXT_packed_float`).
    ShortFloats,
}

/// Components of several sizes. Those that are not stored read 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PackedComponents {
    /// What their bits mean.
    pub kind: ComponentKind,
    /// The bits of each, within one word of the element.
    pub fields: [Field; 4],
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

impl Components {
    /// The bits of each component.
    #[must_use]
    pub const fn packed(self) -> PackedComponents {
        let mut fields = [Field::Zero; 4];
        let mut component = 0;
        while component < self.count {
            fields[component as usize] = bits(component * self.width, self.width);
            component += 1;
        }
        PackedComponents { kind: self.kind, fields }
    }
}

impl PackedComponents {
    /// The bits of a component of an element, in the low bits of the word, and how many it has.
    const fn bits_of(self, element: [u32; 4], component: usize) -> (u32, u32) {
        match self.fields[component] {
            Field::Bits { shift, width } => {
                ((element[shift as usize / 32] >> (shift % 32)) & (u32::MAX >> (32 - width)), width as u32)
            }
            Field::One | Field::Zero => (0, 16),
        }
    }

    /// The value that programs read: bits of a float or an integer.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a component of 16 bits is no longer")]
    pub fn value_of(self, element: [u32; 4], component: usize) -> u32 {
        let (bits, width) = self.bits_of(element, component);
        match self.kind {
            ComponentKind::Unorm => fragment::unorm_to_float(bits, width),
            ComponentKind::Snorm => signed_clamped(bits, width),
            ComponentKind::Sint => ((bits << (32 - width)).cast_signed() >> (32 - width)).cast_unsigned(),
            // Unverified: that denormal halves keep their value.
            ComponentKind::Float if width == 16 => fragment::half_bits_to(bits as u16),
            ComponentKind::Uint | ComponentKind::Float => bits,
        }
    }

    /// Whether they are fractions that 16 bits hold.
    #[must_use]
    pub fn are_short_fractions(self) -> bool {
        self.kind == ComponentKind::Unorm
            && self.fields.iter().all(|field| !matches!(field, Field::Bits { width: 17.., .. }))
    }
}

impl TexelStorage {
    /// The components of Tesla's formats, if they have a kind and fields.
    #[must_use]
    pub const fn packed(self) -> Option<PackedComponents> {
        match self {
            Self::Components(components) => Some(components.packed()),
            Self::Packed(packed) => Some(packed),
            _ => None,
        }
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
            Self::Z24S8 => Depth { shift: 8, width: 24 },
            Self::S8Z24 => Depth { shift: 0, width: 24 },
            Self::Z16 => Depth { shift: 0, width: 16 },
            Self::Z32F | Self::Z32FX24S8 => FloatDepth { shift: 0, width: 32 },
            Self::Snorm10x3Snorm2 => packed(ComponentKind::Snorm, &[10, 10, 10, 2]),
            Self::Unorm10x3Unorm2 => packed(ComponentKind::Unorm, &[10, 10, 10, 2]),
            Self::Uint10x3Uint2 => packed(ComponentKind::Uint, &[10, 10, 10, 2]),
            Self::Unorm24Unorm8 => packed(ComponentKind::Unorm, &[24, 8]),
            Self::Uint24Uint8 => packed(ComponentKind::Uint, &[24, 8]),
            Self::Unorm8Unorm24 => packed(ComponentKind::Unorm, &[8, 24]),
            Self::Uint8Uint24 => packed(ComponentKind::Uint, &[8, 24]),
            Self::Unorm4x4 => packed(ComponentKind::Unorm, &[4, 4, 4, 4]),
            Self::Unorm1Unorm5x3 => packed(ComponentKind::Unorm, &[1, 5, 5, 5]),
            Self::Unorm5x3Unorm1 => packed(ComponentKind::Unorm, &[5, 5, 5, 1]),
            Self::Unorm5Unorm6Unorm5 => packed(ComponentKind::Unorm, &[5, 6, 5]),
            Self::Unorm5x2Unorm6 => packed(ComponentKind::Unorm, &[5, 5, 6]),
            Self::Unorm4x2 => packed(ComponentKind::Unorm, &[4, 4]),
            Self::Uint32Uint8Uint24 => packed(ComponentKind::Uint, &[32, 8, 24]),
            Self::Float32Skip32 => packed(ComponentKind::Float, &[32]),
            Self::Bc1 => Block(BlockKind::Dxt1),
            Self::Bc2 => Block(BlockKind::Dxt3),
            Self::Bc3 => Block(BlockKind::Dxt5),
            Self::Bc4 => Block(BlockKind::Rgtc1 { is_signed: false }),
            Self::Bc4Snorm => Block(BlockKind::Rgtc1 { is_signed: true }),
            Self::Bc5 => Block(BlockKind::Rgtc2 { is_signed: false }),
            Self::Bc5Snorm => Block(BlockKind::Rgtc2 { is_signed: true }),
            Self::SharedExponent => TexelStorage::SharedExponent,
            Self::Float11x2Float10 => TexelStorage::ShortFloats,
        }
    }

    /// Whether the format is one of Tesla's.
    #[must_use]
    pub const fn is_of_tesla(self) -> bool {
        self.code() >= 0x20
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
    #[expect(clippy::cast_possible_truncation, reason = "a component has at most 32 bits")]
    pub fn decode_unorm16(self, element: [u32; 4], x: u32, y: u32) -> Option<[u32; 4]> {
        match self.storage() {
            TexelStorage::Fields(fields) => Some(fields.map(|field| field.unorm16(element[0]))),
            TexelStorage::Block(kind) => Some(block_texel(element, kind, x, y).map(|value| value * 0x101)),
            TexelStorage::Pair([red0, red1, green, blue]) => {
                let red = if x & 1 == 0 { red0 } else { red1 };
                let channel = |shift: u8| ((element[0] >> shift) & 0xff) * 0x101;
                Some([channel(red), channel(green), channel(blue), 0xffff])
            }
            storage => {
                let packed = storage.packed().filter(|packed| packed.are_short_fractions())?;
                Some([0, 1, 2, 3].map(|component| {
                    let (bits, width) = packed.bits_of(element, component);
                    expand_to_16(bits, width as u8)
                }))
            }
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
            TexelStorage::Block(
                kind @ (BlockKind::Rgtc1 { is_signed: true } | BlockKind::Rgtc2 { is_signed: true }),
            ) => block_texel(element, kind, x, y).map(|byte| signed_clamped(byte, 8)),
            TexelStorage::Depth { shift, width } => {
                [fragment::unorm_to_float(bits(shift, width).extract(element[0]).unwrap_or(0), u32::from(width)); 4]
            }
            // The 24 bits are bits 30:7 of a positive single.
            TexelStorage::FloatDepth { width: 24, .. } => [element[0] >> 8 << 7; 4],
            TexelStorage::FloatDepth { width: 32, .. } => [element[0]; 4],
            TexelStorage::FloatDepth { .. } => [half(0) & 0x7fff_ffff; 4],
            TexelStorage::Half(order) => order.map(half),
            TexelStorage::Float(order) => order.map(|index| element[usize::from(index)]),
            TexelStorage::Components(components) => {
                [0, 1, 2, 3].map(|component| components.packed().value_of(element, component))
            }
            TexelStorage::Packed(packed) => [0, 1, 2, 3].map(|component| packed.value_of(element, component)),
            TexelStorage::SharedExponent => shared_exponent(element[0]),
            TexelStorage::ShortFloats => {
                // A half float has the same exponent, and more places behind it.
                let value = |shift: u32, width: u32| {
                    fragment::half_bits_to((((element[0] >> shift) & ((1 << width) - 1)) << (15 - width)) as u16)
                };
                [value(0, 11), value(11, 11), value(22, 10), 0]
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
            // Unverified: that references below 0 are 0. Positive floats are ordered like their bits.
            TexelStorage::FloatDepth { width: 32, .. } if reference > 0x7f80_0000 => 0,
            TexelStorage::FloatDepth { width: 32, .. } => reference,
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

    /// A number as a format holds it: in 0..1 or −1..1 if it holds fractions.
    #[must_use]
    pub fn clamped(self, value: u32) -> u32 {
        let is_signed = match self.storage() {
            TexelStorage::Block(BlockKind::Rgtc1 { is_signed } | BlockKind::Rgtc2 { is_signed }) => is_signed,
            TexelStorage::Block(_) => false,
            storage => match storage.packed().map(|packed| packed.kind) {
                Some(ComponentKind::Unorm) => false,
                Some(ComponentKind::Snorm) => true,
                _ => return value,
            },
        };
        let sign = if is_signed { value & 0x8000_0000 } else { 0 };
        fragment::saturate(value ^ sign) | sign
    }

    /// The width in bits at which channels are signed and expanded: 8, or 16 for the formats of 16-bit channels.
    #[must_use]
    pub const fn signed_width(self) -> u32 {
        if matches!(self, Self::X16 | Self::Y16X16) { 16 } else { 8 }
    }

    /// Whether each channel expands to a byte.
    #[must_use]
    pub const fn has_byte_channels(self) -> bool {
        let storage = self.storage();
        !self.is_of_tesla()
            && self.signed_width() == 8
            && matches!(storage, TexelStorage::Fields(_) | TexelStorage::Block(_) | TexelStorage::Pair(_))
    }

    /// Whether weights of linear filtering are rounded to their eight bits rather than cut off: those of the Tesla
    /// processor's formats.
    #[must_use]
    pub const fn rounds_weights(self) -> bool {
        self.is_of_tesla()
    }

    /// Whether programs read integers.
    #[must_use]
    pub const fn holds_integers(self) -> bool {
        matches!(self.storage().packed(), Some(packed) if !packed.kind.is_filtered())
    }
}

/// Components of these widths, the first one in the lowest bits.
const fn packed(kind: ComponentKind, widths: &[u8]) -> TexelStorage {
    let mut fields = [Field::Zero; 4];
    let (mut component, mut shift) = (0, 0);
    while component < widths.len() {
        fields[component] = bits(shift, widths[component]);
        shift += widths[component];
        component += 1;
    }
    TexelStorage::Packed(PackedComponents { kind, fields })
}

/// The floats of fractions of 9 bits with a common exponent in the highest 5 bits: f · 2^(e − 24).
fn shared_exponent(word: u32) -> [u32; 4] {
    let scale = (word >> 27) + (127 - 24);
    let value =
        |shift: u32| fragment::mul(fragment::int_to_float(((word >> shift) & 0x1ff).cast_signed()), scale << 23);
    [value(0), value(9), value(18), 0]
}

/// The value of a two's complement number of n bits: v/(2ⁿ⁻¹ − 1), the least one below −1.
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

/// The binary digits repeat every 1 to 15 places, so rounding to double first cannot create a tie.
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
    fn components_of_several_sizes() {
        use TextureFormat as Format;
        let word = |format: Format, word: u32| decoded(format, [word, 0, 0, 0]);
        let near = |found: [f32; 4], expected: [f32; 4]| {
            assert!(
                found.iter().zip(expected).all(|(found, value)| (found - value).abs() < 1e-4),
                "{found:?} {expected:?}"
            );
        };
        near(word(Format::Unorm10x3Unorm2, 1 << 30 | 341 << 20 | 1023), [1.0, 0.0, 1.0 / 3.0, 1.0 / 3.0]);
        assert_eq!(word(Format::Snorm10x3Snorm2, 3 << 30 | 0x200 << 10 | 0x1ff), [1.0, -1.0, 0.0, -1.0]);
        let integers = |format: Format, element: [u32; 2]| format.decode([element[0], element[1], 0, 0], 0, 0);
        assert_eq!(integers(Format::Uint10x3Uint2, [2 << 30 | 9 << 20 | 5 << 10 | 3, 0]), [3, 5, 9, 2]);
        assert_eq!(integers(Format::Uint8Uint24, [0x1234_5678, 0]), [0x78, 0x12_3456, 0, 0]);
        assert_eq!(integers(Format::Uint24Uint8, [0x1234_5678, 0]), [0x34_5678, 0x12, 0, 0]);
        assert_eq!(integers(Format::Uint32Uint8Uint24, [7, 0x1234_5678]), [7, 0x78, 0x12_3456, 0]);
        assert_eq!(word(Format::Unorm8Unorm24, 0xffff_ff00), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(word(Format::Unorm24Unorm8, 0x0080_0000)[0], 8_388_608.0 / 16_777_215.0);
        near(word(Format::Unorm4x4, 0xf0a5), [1.0 / 3.0, 2.0 / 3.0, 0.0, 1.0]);
        assert_eq!(word(Format::Unorm1Unorm5x3, 1 | 31 << 6), [1.0, 0.0, 1.0, 0.0]);
        assert_eq!(word(Format::Unorm5x3Unorm1, 1 << 15 | 31 << 5), [0.0, 1.0, 0.0, 1.0]);
        assert_eq!(word(Format::Unorm5Unorm6Unorm5, 63 << 5), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(word(Format::Unorm5x2Unorm6, 63 << 10), [0.0, 0.0, 1.0, 0.0]);
        near(word(Format::Unorm4x2, 0xf3), [0.2, 1.0, 0.0, 0.0]);
        // Three times 2^(20 − 24), and 511 and 0; then 1.5, 2 and 0.25.
        assert_eq!(word(Format::SharedExponent, 20 << 27 | 511 << 9 | 3), [3.0 / 16.0, 511.0 / 16.0, 0.0, 0.0]);
        assert_eq!(word(Format::Float11x2Float10, 13 << 27 | 16 << 17 | (15 << 6 | 32)), [1.5, 2.0, 0.25, 0.0]);
    }

    #[test]
    fn a_channel_in_blocks() {
        // The ends 127 and −127, of which texels 0 to 3 have the first, the second, 6/7 and 5/7 of the first; then, with the
        // ends swapped, six numbers, −1 and 1.
        let block = |ends: u32, indices: u32| [ends | indices << 16, 0, 0, 0];
        let red = |format: TextureFormat, block, x| f32::from_bits(format.decode(block, x, 0)[0]);
        let signed = [0, 1, 2, 3].map(|x| red(TextureFormat::Bc4Snorm, block(0x817f, 0o3210), x));
        assert_eq!(signed, [1.0, -1.0, 91.0 / 127.0, 54.0 / 127.0]);
        let swapped = [0, 1].map(|x| red(TextureFormat::Bc4Snorm, block(0x7f80, 0o76), x));
        assert_eq!(swapped, [-1.0, 1.0]);
        let unsigned = [0, 1, 2].map(|x| red(TextureFormat::Bc4, block(0x00ff, 0o210), x));
        assert_eq!(unsigned, [1.0, 0.0, 219.0 / 255.0]);
        let two = TextureFormat::Bc5.decode([0x11, 0, 0x22, 0], 0, 0).map(f32::from_bits);
        assert_eq!(two, [17.0 / 255.0, 34.0 / 255.0, 0.0, 0.0]);
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
