//! Formats of color and depth surfaces: one row per format, with its codes on the chips that have it.

use super::component_kind::ComponentKind::{self, Float, Sint, Snorm, Uint, Unorm};
use super::texel::{Field, bits};

/// The maximum number of color targets of a draw.
pub const MAX_COLOR_TARGETS: usize = 8;

/// Declares the formats of targets from rows `Variant "NAME" bytes [NV40's code] [Tesla's code] storage`.
macro_rules! surface_formats {
    (
        $(#[$meta:meta])*
        $name:ident -> $stored:ty {
            $(
                #[doc = $doc:literal]
                $variant:ident $label:literal $bytes:literal [$($nv40:literal)?] [$($tesla:literal)?] $storage:expr;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $( #[doc = $doc] $variant, )*
        }

        impl $name {
            /// Every format.
            pub const ALL: &'static [Self] = &[$( Self::$variant, )*];

            /// The format with this code in NV40's `RT_FORMAT`; `None` if the code is unused.
            #[must_use]
            pub const fn from_code(code: u32) -> Option<Self> {
                match code {
                    $( $( $nv40 => Some(Self::$variant), )? )*
                    _ => None,
                }
            }

            /// The format with this code in Tesla's `RT_FORMAT` or `ZETA_FORMAT`; `None` if the code is unused.
            #[must_use]
            pub const fn from_tesla_code(code: u32) -> Option<Self> {
                match code {
                    $( $( $tesla => Some(Self::$variant), )? )*
                    _ => None,
                }
            }

            /// NV40's code; `None` if that chip lacks the format.
            #[must_use]
            pub const fn code(self) -> Option<u32> {
                match self {
                    $( $( Self::$variant => Some($nv40), )? )*
                    _ => None,
                }
            }

            /// Tesla's code; `None` if its chips lack the format.
            #[must_use]
            pub const fn tesla_code(self) -> Option<u32> {
                match self {
                    $( Self::$variant => [$( Some($tesla), )? None][0], )*
                }
            }

            /// Its name: NV40's, or else Tesla's.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => $label, )*
                }
            }

            /// Bytes per pixel.
            #[must_use]
            pub const fn bytes(self) -> u32 {
                match self {
                    $( Self::$variant => $bytes, )*
                }
            }

            /// The storage of its pixels.
            #[must_use]
            pub const fn storage(self) -> $stored {
                match self {
                    $( Self::$variant => $storage, )*
                }
            }
        }
    };
}

const RGB5: [Field; 4] = [bits(10, 5), bits(5, 5), bits(0, 5), Field::One];
const RGB565: [Field; 4] = [bits(11, 5), bits(5, 6), bits(0, 5), Field::One];
const BGRX8: [Field; 4] = [bits(16, 8), bits(8, 8), bits(0, 8), Field::One];
const BGRA8: [Field; 4] = [bits(16, 8), bits(8, 8), bits(0, 8), bits(24, 8)];
const RGBX8: [Field; 4] = [bits(0, 8), bits(8, 8), bits(16, 8), Field::One];
const RGBA8: [Field; 4] = [bits(0, 8), bits(8, 8), bits(16, 8), bits(24, 8)];
const RGB10_A2: [Field; 4] = [bits(0, 10), bits(10, 10), bits(20, 10), bits(30, 2)];
const BGR10_A2: [Field; 4] = [bits(20, 10), bits(10, 10), bits(0, 10), bits(30, 2)];
const R11G11B10: [Field; 4] = [bits(0, 11), bits(11, 11), bits(22, 10), Field::One];

surface_formats! {
    /// Formats of color targets (NV40's `RT_FORMAT` bits 4:0).
    ///
    /// Unverified: that Tesla's formats with an unused component write 1 there. The vendor's table names the codes 0xfb to
    /// 0xfe as variants of them, which are left out.
    ColorFormat -> PixelStorage {
        /// 16 bits, the unused bit written 0.
        X1R5G5B5Zero "X1R5G5B5_Z" 2 [1] [] fields(RGB5, 0);
        /// 16 bits, the unused bit written 1.
        X1R5G5B5One "X1R5G5B5_O" 2 [2] [0xf8] fields(RGB5, 0x8000);
        /// 16 bits.
        R5G6B5 "R5G6B5" 2 [3] [0xe8] fields(RGB565, 0);
        /// 32 bits, the unused byte written 0.
        X8R8G8B8Zero "X8R8G8B8_Z" 4 [4] [] fields(BGRX8, 0);
        /// 32 bits, the unused byte written 255.
        X8R8G8B8One "X8R8G8B8_O" 4 [5] [0xe6] fields(BGRX8, 0xff00_0000);
        /// 32 bits.
        A8R8G8B8 "A8R8G8B8" 4 [8] [0xcf] fields(BGRA8, 0);
        /// One byte, from the blue channel.
        B8 "B8" 1 [9] [] fields([Field::Zero, Field::Zero, bits(0, 8), Field::One], 0);
        /// Two bytes, from green and blue.
        G8B8 "G8B8" 2 [10] [] fields([Field::Zero, bits(8, 8), bits(0, 8), Field::One], 0);
        /// Four half floats, red first in memory.
        A16B16G16R16F "A16B16G16R16F" 8 [11] [0xca] equal(Float, 16, 4);
        /// Four floats, red first in memory.
        A32B32G32R32F "A32B32G32R32F" 16 [12] [0xc0] equal(Float, 32, 4);
        /// One float.
        R32F "R32F" 4 [13] [0xe5] equal(Float, 32, 1);
        /// 32 bits, the unused byte written 0.
        X8B8G8R8Zero "X8B8G8R8_Z" 4 [14] [] fields(RGBX8, 0);
        /// 32 bits, the unused byte written 255.
        X8B8G8R8One "X8B8G8R8_O" 4 [15] [0xf9] fields(RGBX8, 0xff00_0000);
        /// 32 bits.
        A8B8G8R8 "A8B8G8R8" 4 [16] [0xd5] fields(RGBA8, 0);
        /// Four signed integers.
        Rgba32Sint "RGBA32_SINT" 16 [] [0xc1] equal(Sint, 32, 4);
        /// Four unsigned integers.
        Rgba32Uint "RGBA32_UINT" 16 [] [0xc2] equal(Uint, 32, 4);
        /// Three floats and an unused word, written 1.
        Rgbx32Float "RGBX32_FLOAT" 16 [] [0xc3] opaque(equal(Float, 32, 4), [0, 0, 0, 0x3f80_0000]);
        /// Three signed integers and an unused word, written 1.
        Rgbx32Sint "RGBX32_SINT" 16 [] [0xc4] opaque(equal(Sint, 32, 4), [0, 0, 0, 1]);
        /// Three unsigned integers and an unused word, written 1.
        Rgbx32Uint "RGBX32_UINT" 16 [] [0xc5] opaque(equal(Uint, 32, 4), [0, 0, 0, 1]);
        /// Four fractions of 16 bits.
        Rgba16Unorm "RGBA16_UNORM" 8 [] [0xc6] equal(Unorm, 16, 4);
        /// Four signed fractions of 16 bits.
        Rgba16Snorm "RGBA16_SNORM" 8 [] [0xc7] equal(Snorm, 16, 4);
        /// Four signed integers of 16 bits.
        Rgba16Sint "RGBA16_SINT" 8 [] [0xc8] equal(Sint, 16, 4);
        /// Four unsigned integers of 16 bits.
        Rgba16Uint "RGBA16_UINT" 8 [] [0xc9] equal(Uint, 16, 4);
        /// Two floats.
        Rg32Float "RG32_FLOAT" 8 [] [0xcb] equal(Float, 32, 2);
        /// Two signed integers.
        Rg32Sint "RG32_SINT" 8 [] [0xcc] equal(Sint, 32, 2);
        /// Two unsigned integers.
        Rg32Uint "RG32_UINT" 8 [] [0xcd] equal(Uint, 32, 2);
        /// Three half floats and an unused half, written 1.
        Rgbx16Float "RGBX16_FLOAT" 8 [] [0xce] opaque(equal(Float, 16, 4), [0, 0x3c00_0000, 0, 0]);
        /// 32 bits on the sRGB curve, alpha linear.
        Bgra8Srgb "BGRA8_SRGB" 4 [] [0xd0] curved(BGRA8, 0);
        /// Ten bits for each color, two for alpha, red lowest.
        Rgb10A2Unorm "RGB10_A2_UNORM" 4 [] [0xd1] packed(Unorm, RGB10_A2);
        /// Unsigned integers of ten and two bits, red lowest.
        Rgb10A2Uint "RGB10_A2_UINT" 4 [] [0xd2] packed(Uint, RGB10_A2);
        /// 32 bits on the sRGB curve, alpha linear, red lowest.
        Rgba8Srgb "RGBA8_SRGB" 4 [] [0xd6] curved(RGBA8, 0);
        /// Four signed fractions of 8 bits.
        Rgba8Snorm "RGBA8_SNORM" 4 [] [0xd7] equal(Snorm, 8, 4);
        /// Four signed integers of 8 bits.
        Rgba8Sint "RGBA8_SINT" 4 [] [0xd8] equal(Sint, 8, 4);
        /// Four unsigned integers of 8 bits.
        Rgba8Uint "RGBA8_UINT" 4 [] [0xd9] equal(Uint, 8, 4);
        /// Two fractions of 16 bits.
        Rg16Unorm "RG16_UNORM" 4 [] [0xda] equal(Unorm, 16, 2);
        /// Two signed fractions of 16 bits.
        Rg16Snorm "RG16_SNORM" 4 [] [0xdb] equal(Snorm, 16, 2);
        /// Two signed integers of 16 bits.
        Rg16Sint "RG16_SINT" 4 [] [0xdc] equal(Sint, 16, 2);
        /// Two unsigned integers of 16 bits.
        Rg16Uint "RG16_UINT" 4 [] [0xdd] equal(Uint, 16, 2);
        /// Two half floats.
        Rg16Float "RG16_FLOAT" 4 [] [0xde] equal(Float, 16, 2);
        /// Ten bits for each color, two for alpha, blue lowest.
        Bgr10A2Unorm "BGR10_A2_UNORM" 4 [] [0xdf] packed(Unorm, BGR10_A2);
        /// Unsigned floats of 11, 11 and 10 bits, red lowest.
        R11G11B10Float "R11G11B10_FLOAT" 4 [] [0xe0] packed(Float, R11G11B10);
        /// One signed integer.
        R32Sint "R32_SINT" 4 [] [0xe3] equal(Sint, 32, 1);
        /// One unsigned integer.
        R32Uint "R32_UINT" 4 [] [0xe4] equal(Uint, 32, 1);
        /// 32 bits on the sRGB curve, the unused byte written 255.
        Bgrx8Srgb "BGRX8_SRGB" 4 [] [0xe7] curved(BGRX8, 0xff00_0000);
        /// 16 bits with one bit of alpha on top.
        Bgr5A1 "BGR5_A1" 2 [] [0xe9] fields([RGB5[0], RGB5[1], RGB5[2], bits(15, 1)], 0);
        /// Two bytes, red lowest.
        Rg8Unorm "RG8_UNORM" 2 [] [0xea] fields([bits(0, 8), bits(8, 8), Field::Zero, Field::One], 0);
        /// Two signed fractions of 8 bits.
        Rg8Snorm "RG8_SNORM" 2 [] [0xeb] equal(Snorm, 8, 2);
        /// Two signed integers of 8 bits.
        Rg8Sint "RG8_SINT" 2 [] [0xec] equal(Sint, 8, 2);
        /// Two unsigned integers of 8 bits.
        Rg8Uint "RG8_UINT" 2 [] [0xed] equal(Uint, 8, 2);
        /// One fraction of 16 bits.
        R16Unorm "R16_UNORM" 2 [] [0xee] equal(Unorm, 16, 1);
        /// One signed fraction of 16 bits.
        R16Snorm "R16_SNORM" 2 [] [0xef] equal(Snorm, 16, 1);
        /// One signed integer of 16 bits.
        R16Sint "R16_SINT" 2 [] [0xf0] equal(Sint, 16, 1);
        /// One unsigned integer of 16 bits.
        R16Uint "R16_UINT" 2 [] [0xf1] equal(Uint, 16, 1);
        /// One half float.
        R16Float "R16_FLOAT" 2 [] [0xf2] equal(Float, 16, 1);
        /// One byte, red.
        R8Unorm "R8_UNORM" 1 [] [0xf3] fields([bits(0, 8), Field::Zero, Field::Zero, Field::One], 0);
        /// One signed fraction of 8 bits.
        R8Snorm "R8_SNORM" 1 [] [0xf4] equal(Snorm, 8, 1);
        /// One signed integer of 8 bits.
        R8Sint "R8_SINT" 1 [] [0xf5] equal(Sint, 8, 1);
        /// One unsigned integer of 8 bits.
        R8Uint "R8_UINT" 1 [] [0xf6] equal(Uint, 8, 1);
        /// One byte, alpha.
        A8Unorm "A8_UNORM" 1 [] [0xf7] fields([Field::Zero, Field::Zero, Field::Zero, bits(0, 8)], 0);
        /// 32 bits on the sRGB curve, red lowest, the unused byte written 255.
        Rgbx8Srgb "RGBX8_SRGB" 4 [] [0xfa] curved(RGBX8, 0xff00_0000);
    }
}

surface_formats! {
    /// Formats of depth and stencil surfaces (NV40's `RT_FORMAT` bits 7:5). Their names have the highest bits first, but for
    /// those of Tesla's vendor.
    ZetaFormat -> ZetaStorage {
        /// 16 bits of depth.
        Z16 "Z16" 2 [1] [0x13] fraction(bits(0, 16), Field::Zero);
        /// 24 bits of depth in 31:8, stencil in 7:0.
        Z24S8 "Z24S8" 4 [2] [0x14] fraction(bits(8, 24), bits(0, 8));
        /// 24 bits of depth in 23:0; the others are kept.
        X8Z24 "Z24_X8" 4 [] [0x15] fraction(bits(0, 24), Field::Zero);
        /// 24 bits of depth in 23:0, stencil in 31:24.
        S8Z24 "Z24_S8" 4 [] [0x16] fraction(bits(0, 24), bits(24, 8));
        /// A float.
        Z32F "Z32_FLOAT" 4 [] [0x0a] single(Field::Zero);
        /// A float, then stencil in 7:0 of a word whose other bits are kept.
        Z32FS8 "Z32_FLOAT_S8_X24" 8 [] [0x19] single(bits(32, 8));
    }
}

/// The storage of depth and stencil.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ZetaStorage {
    /// The bits of depth, in the first word.
    pub depth: Field,
    /// The bits of stencil, if there are any; the shift counts from the first word's lowest bit.
    pub stencil: Field,
    /// Whether depth is a float on every chip. NV40 has floats in the other formats by another register.
    pub is_single: bool,
}

const fn fraction(depth: Field, stencil: Field) -> ZetaStorage {
    ZetaStorage { depth, stencil, is_single: false }
}

const fn single(stencil: Field) -> ZetaStorage {
    ZetaStorage { depth: bits(0, 32), stencil, is_single: true }
}

/// The storage of a color format's pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PixelStorage {
    /// Unsigned fractions of at most 8 bits in one word; they are blended as bytes.
    Fields {
        /// Red, green, blue, alpha. Channels that are not stored read 0, alpha 1.
        channels: [Field; 4],
        /// Bits outside all channels that are set on every write.
        fill: u32,
    },
    /// Channels of one kind in up to four words; they are blended in single precision, if at all.
    Channels(Channels),
}

/// The channels of a pixel that are not blended as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Channels {
    /// What their bits mean. Floats of 11 and 10 bits have 5 bits of exponent and no sign.
    pub kind: ComponentKind,
    /// Whether red, green and blue are on the sRGB curve.
    pub is_srgb: bool,
    /// Red, green, blue, alpha; shifts count from the first word's lowest bit. No channel crosses words.
    pub fields: [Field; 4],
    /// Bits outside all channels that are set on every write.
    pub fill: [u32; 4],
}

const fn fields(channels: [Field; 4], fill: u32) -> PixelStorage {
    PixelStorage::Fields { channels, fill }
}

const fn packed(kind: ComponentKind, fields: [Field; 4]) -> PixelStorage {
    PixelStorage::Channels(Channels { kind, is_srgb: false, fields, fill: [0; 4] })
}

const fn curved(fields: [Field; 4], fill: u32) -> PixelStorage {
    PixelStorage::Channels(Channels { kind: Unorm, is_srgb: true, fields, fill: [fill, 0, 0, 0] })
}

/// The first `count` channels, of one width.
const fn equal(kind: ComponentKind, width: u8, count: u8) -> PixelStorage {
    let mut fields = [Field::Zero, Field::Zero, Field::Zero, Field::One];
    let mut channel = 0;
    while channel < count {
        fields[channel as usize] = bits(channel * width, width);
        channel += 1;
    }
    packed(kind, fields)
}

/// The storage without its alpha, whose bits are written as `fill`.
const fn opaque(storage: PixelStorage, fill: [u32; 4]) -> PixelStorage {
    let PixelStorage::Channels(Channels { kind, is_srgb, fields: [red, green, blue, _], .. }) = storage else {
        return storage;
    };
    PixelStorage::Channels(Channels { kind, is_srgb, fields: [red, green, blue, Field::One], fill })
}

impl Channels {
    /// Whether each channel is a word.
    #[must_use]
    pub fn are_words(&self) -> bool {
        self.fields[..3].iter().all(|field| matches!(field, Field::Bits { width: 32, .. } | Field::Zero))
    }
}

impl PixelStorage {
    /// Red, green, blue, alpha.
    #[must_use]
    pub const fn fields(self) -> [Field; 4] {
        match self {
            Self::Fields { channels, .. } => channels,
            Self::Channels(Channels { fields, .. }) => fields,
        }
    }

    /// The bits of each word that every write sets.
    #[must_use]
    pub const fn fill(self) -> [u32; 4] {
        match self {
            Self::Fields { fill, .. } => [fill, 0, 0, 0],
            Self::Channels(Channels { fill, .. }) => fill,
        }
    }
}

impl ColorFormat {
    /// The bits of a pixel's words that a color mask (bit 0 red … 3 alpha) enables; those of shorter pixels in each word.
    ///
    /// Bits outside all channels follow alpha in a clear and any channel in a draw.
    #[must_use]
    pub fn write_masks(self, color_mask: u8, is_clear: bool) -> [u32; 4] {
        let mut masks = [[0; 4]; 2];
        for (channel, field) in self.storage().fields().into_iter().enumerate() {
            let (word, field) = field.in_word();
            let [stored, enabled] = &mut masks;
            stored[word] |= field.mask();
            if color_mask >> channel & 1 != 0 {
                enabled[word] |= field.mask();
            }
        }
        let [stored, enabled] = masks;
        let writes_unused = if is_clear { color_mask & 8 != 0 } else { enabled != [0; 4] };
        let all = u32::MAX >> (32 - 8 * self.bytes().min(4));
        let words = self.bytes().div_ceil(4) as usize;
        std::array::from_fn(|word| {
            // A short pixel stands in each word.
            let word = if words == 1 { 0 } else { word };
            let unused = if writes_unused && word < words { all & !stored[word] } else { 0 };
            enabled[word] | unused
        })
    }
}

impl ZetaFormat {
    /// Whether it has stencil.
    #[must_use]
    pub const fn has_stencil(self) -> bool {
        matches!(self.storage().stencil, Field::Bits { .. })
    }

    /// The words of a pixel with this depth, as it is stored, and this stencil.
    #[must_use]
    pub const fn pack(self, depth: u32, stencil: u8) -> [u32; 2] {
        let ZetaStorage { depth: depth_field, stencil: stencil_field, .. } = self.storage();
        let mut words = [depth_field.replaced(0, depth), 0];
        let (word, field) = stencil_field.in_word();
        words[word] = field.replaced(words[word], stencil as u32);
        words
    }

    /// The bits of a pixel's words that hold depth, if it is written, and these bits of stencil.
    #[must_use]
    pub const fn write_masks(self, writes_depth: bool, stencil_mask: u8) -> [u32; 2] {
        self.pack(if writes_depth { u32::MAX } else { 0 }, stencil_mask)
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
        let mask = |format: ColorFormat, color_mask, is_clear| format.write_masks(color_mask, is_clear)[0];
        assert_eq!(mask(ColorFormat::A8R8G8B8, 0b0101, false), 0x00ff_00ff);
        assert_eq!(mask(ColorFormat::A8B8G8R8, 0b0001, false), 0x0000_00ff);
        assert_eq!(mask(ColorFormat::R5G6B5, 0b0010, false), 0x07e0);
        assert_eq!(mask(ColorFormat::X8R8G8B8One, 0b0001, false), 0xffff_0000);
        assert_eq!(mask(ColorFormat::X8R8G8B8One, 0b1000, false), 0);
        assert_eq!(mask(ColorFormat::X8R8G8B8One, 0b1001, true), 0xffff_0000);
        assert_eq!(mask(ColorFormat::X1R5G5B5Zero, 0b0111, true), 0x7fff);
        assert_eq!(mask(ColorFormat::B8, 0b0011, false), 0);
        let words = |format: ColorFormat, color_mask| format.write_masks(color_mask, false);
        assert_eq!(words(ColorFormat::A16B16G16R16F, 0b1001), [0xffff, 0xffff_0000, 0, 0]);
        assert_eq!(words(ColorFormat::A32B32G32R32F, 0b0101), [u32::MAX, 0, u32::MAX, 0]);
        assert_eq!(words(ColorFormat::Rgbx32Float, 0b0010), [0, u32::MAX, 0, u32::MAX]);
        assert_eq!(words(ColorFormat::Rgbx32Float, 0b1000), [0; 4]);
        assert_eq!(words(ColorFormat::Bgr10A2Unorm, 0b1001), [0xfff0_0000; 4]);
        for format in ColorFormat::ALL {
            let all = u32::MAX >> (32 - 8 * format.bytes().min(4));
            let words = if format.bytes() <= 4 { 4 } else { format.bytes() as usize / 4 };
            let masks = format.write_masks(15, true);
            assert!(masks[..words].iter().all(|mask| *mask == all), "{}", format.name());
            assert!(masks[words..].iter().all(|mask| *mask == 0), "{}", format.name());
        }
    }

    #[test]
    fn channels_of_a_pixel_lie_in_it_and_do_not_overlap() {
        for format in ColorFormat::ALL {
            let (mut stored, storage) = ([0; 4], format.storage());
            for (word, field) in storage.fields().map(Field::in_word) {
                assert_eq!(stored[word] & field.mask(), 0, "{}", format.name());
                stored[word] |= field.mask();
            }
            let bits = stored.iter().map(|word| word.count_ones()).sum::<u32>();
            let unused = 8 * format.bytes() - bits;
            assert!(unused <= bits / 3 && stored.iter().zip(storage.fill()).all(|(word, fill)| word & fill == 0));
            let words = format.write_masks(15, false);
            assert!(stored.iter().zip(words).all(|(word, mask)| word & !mask == 0), "{}", format.name());
        }
    }

    #[test]
    fn depth_and_stencil_by_hand() {
        let rows = [
            (0x0a, [0x12_3456, 0]),
            (0x13, [0x3456, 0]),
            (0x14, [0x1234_56a5, 0]),
            (0x15, [0x12_3456, 0]),
            (0x16, [0xa512_3456, 0]),
            (0x19, [0x12_3456, 0xa5]),
        ];
        for (code, words) in rows {
            assert_eq!(ZetaFormat::from_tesla_code(code).map(|format| format.pack(0x12_3456, 0xa5)), Some(words));
        }
        assert_eq!(ZetaFormat::S8Z24.write_masks(true, 0x0f), [0x0fff_ffff, 0]);
        assert_eq!(ZetaFormat::X8Z24.write_masks(true, 0xff), [0x00ff_ffff, 0]);
        assert_eq!(ZetaFormat::Z24S8.write_masks(false, 0xff), [0xff, 0]);
        assert_eq!(ZetaFormat::Z32FS8.write_masks(false, 0x81), [0, 0x81]);
    }

    #[test]
    fn each_code_names_one_format() {
        let coded = |find: fn(u32) -> Option<ColorFormat>| (0..=255).filter_map(find).collect::<Vec<_>>();
        let [nv40, tesla] = [coded(ColorFormat::from_code), coded(ColorFormat::from_tesla_code)];
        assert_eq!([nv40.len(), tesla.len()], [14, 55]);
        assert!(nv40.iter().all(|format| format.code().and_then(ColorFormat::from_code) == Some(*format)));
        assert!(ColorFormat::ALL.iter().all(|format| nv40.contains(format) || tesla.contains(format)));
        // The vendor's names give the bytes in memory, lowest first.
        assert_eq!(ColorFormat::from_tesla_code(0xcf), Some(ColorFormat::A8R8G8B8), "BGRA8");
        assert_eq!(ColorFormat::from_tesla_code(0xd5), Some(ColorFormat::A8B8G8R8), "RGBA8");
    }
}
