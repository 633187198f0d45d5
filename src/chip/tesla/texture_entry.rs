//! Texture entries (TIC): eight words in memory that describe a texture.
//!
//! Source: envytools `rnndb/graph/g80_texture.xml`, domain `TIC`; what drivers write, Mesa's `nv50_tex.c`.

use super::address::Address;
use super::sampler_entry::ANISOTROPIES;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{bit, field, field8};
use crate::format::TextureFormat;
use crate::format::texel::Field;
use crate::memory::block_linear::MAX_LOG2_BLOCK;
use crate::pipeline::{Dimensions, MAX_LEVELS, RemappedChannel, TextureLayout, TextureView};

/// Where a component that programs read comes from, by `G80_TIC_SOURCE`.
const SOURCES: [Option<RemappedChannel>; 8] = [
    Some(RemappedChannel::Zero),
    None,
    Some(RemappedChannel::Source(0)),
    Some(RemappedChannel::Source(1)),
    Some(RemappedChannel::Source(2)),
    Some(RemappedChannel::Source(3)),
    Some(RemappedChannel::OneInteger),
    Some(RemappedChannel::One),
];

/// A type of textures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TextureType {
    dimensions: Dimensions,
    /// Whether it has levels, and so no pitch.
    has_levels: bool,
    /// Whether it has layers, of one image or of the six of a cube map.
    is_array: bool,
}

const fn texture_type(dimensions: Dimensions, has_levels: bool, is_array: bool) -> TextureType {
    TextureType { dimensions, has_levels, is_array }
}

/// The types, by `TEXTURE_TYPE`.
const TYPES: [TextureType; 9] = [
    texture_type(Dimensions::One, true, false),
    texture_type(Dimensions::Two, true, false),
    texture_type(Dimensions::Three, true, false),
    texture_type(Dimensions::Cube, true, false),
    texture_type(Dimensions::One, true, true),
    texture_type(Dimensions::Two, true, true),
    texture_type(Dimensions::One, false, false),
    texture_type(Dimensions::Two, false, false),
    texture_type(Dimensions::Cube, true, true),
];

/// The number of buffers among the types.
const BUFFER: u32 = 6;

/// What an entry can ask for that is not executed: a bit of a word, its value, and its name.
const NOT_EXECUTED: [(usize, u32, bool, &str); 3] = [
    (0, 30, true, "a texture of packed components"),
    (2, 13, true, "a color key"),
    (2, 30, false, "a texture with border texels"),
];

/// A texture: the levels that programs see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextureEntry {
    /// All but its memory.
    pub view: TextureView,
    /// The virtual address of its first level.
    pub address: u64,
    /// The format in which its depths are compared.
    pub compared: Option<TextureFormat>,
    /// Whether all components of the border are its first one.
    pub has_gray_border: bool,
    /// The largest anisotropy, in place of the sampler's.
    pub max_anisotropy: Option<u8>,
}

impl TextureEntry {
    /// The texture of an entry. Chips after G80 have views, which hide levels.
    pub(super) fn decode(words: &[u32; 8], has_views: bool) -> Result<Self, Reason> {
        let number = field(words[2], 17, 14);
        let kind = *TYPES.get(number as usize).ok_or(Reason::IllegalValue)?;
        let asked = NOT_EXECUTED.iter().find(|(word, place, value, _)| bit(words[*word], *place) == *value);
        if let Some((.., name)) = asked {
            return Err(Reason::Unsupported(name));
        }
        let remap = remap(words[0])?;
        let format = format(words[0], remap)?;
        let whole = size(words, kind.dimensions);
        let layers = kind.is_array.then(|| field(words[5], 27, 16));
        if whole.contains(&0) || layers == Some(0) {
            return Err(Reason::IllegalValue);
        }
        let address = Address { high: words[2], low: words[1] }.value();
        let has_images = kind.is_array || kind.dimensions == Dimensions::Cube;
        let rows = |pitch_bytes| (TextureLayout::Linear { pitch_bytes }, [0, 0]);
        let (layout, [first, last]) = match (bit(words[2], 18), number) {
            (true, BUFFER) => rows(whole[0].saturating_mul(format.bytes())),
            (true, _) if !kind.has_levels => rows(field(words[3], 19, 0)),
            (false, number) if number != BUFFER => {
                let log2_block = [field8(words[2], 24, 22), field8(words[2], 27, 25)];
                if log2_block.iter().any(|log2| *log2 > MAX_LOG2_BLOCK) {
                    return Err(Reason::IllegalValue);
                }
                let [first, last] = levels(words, kind, has_views);
                if last >= MAX_LEVELS && has_images {
                    return Err(Reason::Unsupported("an array or a cube map with more than 13 levels"));
                }
                // Of sides of 8192 texels the last level has one; the level before stands for it.
                let last = last.min(MAX_LEVELS - 1);
                (TextureLayout::BlockLinear { log2_block }, [first, last])
            }
            _ => return Err(Reason::IllegalValue),
        };
        let all = TextureView {
            layout,
            is_unnormalized: !bit(words[2], 31),
            levels: last + 1,
            layers,
            remap,
            gamma: if bit(words[2], 10) { encoded_components(format) } else { [false; 4] },
            ..TextureView::plain(format, kind.dimensions, whole)
        };
        // Images are as far apart as all levels ask for, those that are hidden among them.
        let face_bytes = has_images.then(|| {
            let levels = if kind.has_levels { field(words[5], 31, 28).min(MAX_LEVELS - 1) + 1 } else { 1 };
            TextureView { levels, ..all }.level_layout().1
        });
        // A view that begins at a level is a texture that begins there.
        let (stored, _) = all.level_layout();
        let (hidden, seen) = stored.split_at_checked(first as usize).ok_or(Reason::IllegalValue)?;
        let begin = seen.first().ok_or(Reason::IllegalValue)?;
        Ok(Self {
            view: TextureView { size: begin.size, levels: last + 1 - first, face_bytes, ..all },
            address: hidden.iter().fold(address, |address, level| address.saturating_add(level.bytes)),
            compared: DEPTHS.iter().find(|(sizes, ..)| *sizes == field(words[0], 5, 0)).map(|(.., format)| *format),
            // `DEPTH_TEXTURE`.
            has_gray_border: bit(words[4], 30),
            // `USE_HEADER_OPT_CONTROL`, with which Mesa's driver averages eight samples of a pixel, and `MAX_ANISOTROPY`.
            // Unverified: that the modifier of the spread, which is 2 then, places the samples no differently.
            max_anisotropy: bit(words[3], 29).then(|| ANISOTROPIES[field(words[6], 29, 27) as usize]),
        })
    }
}

impl TextureEntry {
    /// The entry of a texture that is no array and hides no level; `None` if no entry holds it. Bits without an effect here
    /// have the values that Mesa's driver writes.
    #[must_use]
    pub fn encode(view: &TextureView, address: u64, compared: Option<TextureFormat>) -> Option<[u32; 8]> {
        let code = view.format.code();
        let sizes = match compared {
            Some(format) => DEPTHS.iter().find(|(_, plain, own)| *own == format && code & 0x3f == *plain)?.0,
            None => code & 0x3f,
        };
        let source = |channel| SOURCES.iter().position(|source| *source == Some(channel));
        let mut format = sizes;
        for (place, channel) in (0u32..).zip(view.remap) {
            format |= (code >> 6) << (6 + 3 * place) | u32::try_from(source(channel)?).ok()? << (18 + 3 * place);
        }
        // Coordinates in texels go with a type without levels.
        let has_levels = !view.is_unnormalized && !matches!(view.layout, TextureLayout::Linear { .. });
        let wanted = texture_type(view.dimensions, has_levels, false);
        let number = u32::try_from(TYPES.iter().position(|kind| *kind == wanted)?).ok()?;
        let (layout, pitch) = match view.layout {
            TextureLayout::BlockLinear { log2_block: [height, depth] } => {
                (u32::from(height) << 22 | u32::from(depth) << 25, 0)
            }
            TextureLayout::Linear { pitch_bytes } if view.levels == 1 => (1 << 18, pitch_bytes),
            TextureLayout::Linear { .. } | TextureLayout::Swizzled => return None,
        };
        let is_curved = u32::from(view.gamma != [false; 4]) << 10;
        let border = 1 << 30;
        let normalized = u32::from(!view.is_unnormalized) << 31;
        let last = view.levels.checked_sub(1)?;
        let depth = if view.dimensions == Dimensions::Three { view.size[2] } else { 1 };
        #[expect(clippy::cast_possible_truncation, reason = "the two halves of 40 bits")]
        let [low, high] = [address as u32, (address >> 32) as u32 & 0xff];
        Some([
            format,
            low,
            high | is_curved | number << 14 | layout | border | normalized,
            if pitch == 0 { 0x0030_0000 } else { pitch },
            view.size[0] | 1 << 31,
            view.size[1] & 0xffff | depth << 16 | last << 28,
            0x0300_0000,
            last << 4,
        ])
    }
}

/// Width, height and depth; 1 beyond the dimensions.
fn size(words: &[u32; 8], dimensions: Dimensions) -> [u32; 3] {
    let width = field(words[4], 29, 0);
    let height = match field(words[5], 15, 0) {
        0 => 0x1_0000,
        height => height,
    };
    match dimensions {
        Dimensions::One => [width, 1, 1],
        Dimensions::Two | Dimensions::Cube => [width, height, 1],
        Dimensions::Three => [width, height, field(words[5], 27, 16)],
    }
}

/// The first and the last level that programs see.
fn levels(words: &[u32; 8], kind: TextureType, has_views: bool) -> [u32; 2] {
    let last = field(words[5], 31, 28);
    match kind.has_levels {
        false => [0, 0],
        true if has_views && bit(words[4], 31) => {
            let first = field(words[7], 3, 0).min(last);
            [first, field(words[7], 7, 4).clamp(first, last)]
        }
        true => [0, last],
    }
}

/// The sizes of components that a depth format has as well, by `COMPONENTS_SIZES`, and the format in which it is compared.
const DEPTHS: [(u32, u32, TextureFormat); 6] = [
    (0x29, 0x0e, TextureFormat::Z24S8),
    (0x2a, 0x0d, TextureFormat::S8Z24),
    (0x2b, 0x0d, TextureFormat::S8Z24),
    (0x2f, 0x0f, TextureFormat::Z32F),
    (0x30, 0x05, TextureFormat::Z32FX24S8),
    (0x3a, 0x1b, TextureFormat::Z16),
];

/// The format of texels: a code of component sizes, and the type of each component, which must be the same for all that
/// programs read.
fn format(word: u32, remap: [RemappedChannel; 4]) -> Result<TextureFormat, Reason> {
    let types = [8, 11, 14, 17].map(|high| field(word, high, high - 2));
    let sizes = field(word, 5, 0);
    let sizes = DEPTHS.iter().find(|(own, ..)| *own == sizes).map_or(sizes, |(_, sizes, _)| *sizes);
    let read = remap.iter().filter_map(|source| match source {
        RemappedChannel::Source(component) => Some(usize::from(*component)),
        _ => None,
    });
    let first = read.clone().next().map_or(types[0], |component| types[component]);
    let row = if first == 0 { None } else { TextureFormat::from_code(first << 6 | sizes) };
    let format = row.ok_or(Reason::Unsupported("the format of a texture"))?;
    let is_stored = |component: &usize| match format.storage().packed() {
        Some(packed) => packed.fields[*component] != Field::Zero,
        None => true,
    };
    match read.filter(is_stored).all(|component| types[component] == first) {
        true => Ok(format),
        false => Err(Reason::Unsupported("a texture whose components have several types")),
    }
}

/// The components that the sRGB curve encodes: all but alpha, which is the second one of two.
// Unverified: which ones they are in formats of one or two components, as luminance and alpha have.
fn encoded_components(format: TextureFormat) -> [bool; 4] {
    let has_color = format.storage().packed().is_none_or(|packed| packed.fields[2] != Field::Zero);
    [true, has_color, has_color, false]
}

/// Where the components that programs read come from.
fn remap(word: u32) -> Result<[RemappedChannel; 4], Reason> {
    let mut remap = RemappedChannel::IDENTITY;
    for (channel, high) in remap.iter_mut().zip([20, 23, 26, 29]) {
        *channel = SOURCES[usize::from(field8(word, high, high - 2))].ok_or(Reason::IllegalValue)?;
    }
    Ok(remap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use RemappedChannel::{One, OneInteger, Source, Zero};

    /// Sizes A8B8G8R8, four types unorm, sources R, G, B, A.
    const UNORM8X4: u32 = 5 << 27 | 4 << 24 | 3 << 21 | 2 << 18 | 2 << 15 | 2 << 12 | 2 << 9 | 2 << 6 | 8;

    /// Normalized, border color, block linear, of two dimensions.
    const TWO_D: u32 = 1 << 31 | 1 << 30 | 1 << 14;

    /// 100 × 60 texels with levels up to the sixth, in blocks of 4 gobs, at `0x12_3456_7800`.
    const LEVELS: [u32; 8] =
        [UNORM8X4, 0x3456_7800, TWO_D | 2 << 22 | 0x12, 0, 1 << 31 | 100, 6 << 28 | 1 << 16 | 60, 0, 0x60];

    fn decoded(words: [u32; 8]) -> TextureEntry {
        TextureEntry::decode(&words, true).unwrap()
    }

    fn with(changes: &[(usize, u32)]) -> [u32; 8] {
        let mut words = LEVELS;
        changes.iter().for_each(|(word, value)| words[*word] = *value);
        words
    }

    fn blocks(height: u8, depth: u8) -> TextureLayout {
        TextureLayout::BlockLinear { log2_block: [height, depth] }
    }

    #[test]
    fn two_dimensions_in_blocks() {
        let plain = TextureView::plain(TextureFormat::Unorm8x4, Dimensions::Two, [100, 60, 1]);
        let view = TextureView { layout: blocks(2, 0), levels: 7, ..plain };
        let entry = TextureEntry {
            view,
            address: 0x12_3456_7800,
            compared: None,
            has_gray_border: false,
            max_anisotropy: None,
        };
        assert_eq!(decoded(LEVELS), entry);
    }

    #[test]
    fn entries_are_encoded_as_they_are_decoded() {
        let plain = TextureView {
            layout: blocks(4, 0),
            ..TextureView::plain(TextureFormat::Unorm8x4, Dimensions::Two, [100, 60, 1])
        };
        let views = [
            plain,
            TextureView { levels: 7, remap: [Source(2), Source(1), Zero, One], ..plain },
            TextureView { is_unnormalized: true, format: TextureFormat::Float32, ..plain },
            TextureView { layout: TextureLayout::Linear { pitch_bytes: 0x1c0 }, ..plain },
            TextureView { dimensions: Dimensions::Three, size: [8, 9, 10], layout: blocks(1, 2), ..plain },
            TextureView { dimensions: Dimensions::Cube, size: [16, 16, 1], levels: 5, ..plain },
        ];
        for view in views {
            let words = TextureEntry::encode(&view, 0x12_3456_7800, None).unwrap();
            let entry = decoded(words);
            let face_bytes = entry.view.face_bytes;
            assert_eq!((entry.view, entry.address), (TextureView { face_bytes, ..view }, 0x12_3456_7800));
        }
        let depth = TextureView {
            format: TextureFormat::Unorm8Unorm24,
            remap: [Source(1), Source(1), Source(1), One],
            ..plain
        };
        let words = TextureEntry::encode(&depth, 0, Some(TextureFormat::Z24S8)).unwrap();
        assert_eq!((words[0] & 0x3f, decoded(words).compared), (0x29, Some(TextureFormat::Z24S8)));
        assert_eq!(TextureEntry::encode(&TextureView { layout: TextureLayout::Swizzled, ..plain }, 0, None), None);
    }

    #[test]
    fn anisotropy_comes_from_the_texture_if_asked_for() {
        let anisotropy = |control, number: u32| decoded(with(&[(3, control), (6, number << 27)])).max_anisotropy;
        assert_eq!([0, 1, 3, 7].map(|number| anisotropy(1 << 29, number)), [1, 2, 6, 16].map(Some));
        assert_eq!(anisotropy(3 << 20, 1), None);
    }

    #[test]
    fn a_view_begins_at_a_level() {
        // Level 0: 7 × 4 blocks of 64 × 16 bytes. Level 1: 50 × 30 texels, 4 × 2 blocks. Level 2: 25 × 15, in 2 × 1 blocks.
        let TextureEntry { view, address, .. } = decoded(with(&[(7, 0x22)]));
        assert_eq!((view.size, view.levels, view.layout), ([25, 15, 1], 1, blocks(2, 0)));
        assert_eq!((address, view.reached_bytes()), (0x12_3456_7800 + (28 + 8) * 1024, 2 * 1024));
        // Level 4: 6 × 3 texels in one gob; level 3, 12 × 7, has blocks of two.
        let TextureEntry { view, address, .. } = decoded(with(&[(7, 0x64)]));
        assert_eq!((view.size, view.levels, view.layout), ([6, 3, 1], 3, blocks(2, 0)));
        assert_eq!((address, view.reached_bytes()), (0x12_3456_7800 + (28 + 8 + 2) * 1024 + 512, 3 * 256));
        // G80 has no views, and the first version of entries has none either.
        let whole = TextureEntry::decode(&with(&[(7, 0x22)]), false).unwrap().view;
        assert_eq!((whole.size, whole.levels), ([100, 60, 1], 7));
        assert_eq!(decoded(with(&[(7, 0x22), (4, 100)])).view.size, [100, 60, 1]);
    }

    #[test]
    fn other_types() {
        // A float, sources R, 0, 0, 1: sizes R32, type float.
        let float = 7 << 27 | 2 << 18 | 7 << 15 | 7 << 12 | 7 << 9 | 7 << 6 | 0xf;
        let rows = decoded(with(&[(0, float), (2, 1 << 30 | 1 << 18 | 7 << 14), (3, 0x1c0), (7, 0)])).view;
        assert_eq!((rows.format, rows.is_unnormalized, rows.levels), (TextureFormat::Float32, true, 1));
        let linear = |pitch_bytes| TextureLayout::Linear { pitch_bytes };
        assert_eq!((rows.remap, rows.layout), ([Source(0), Zero, Zero, One], linear(0x1c0)));
        // Two integers of 16 bits, sources G, R, 0, 1.
        let pair = 6 << 27 | 2 << 21 | 3 << 18 | 4 << 15 | 4 << 12 | 4 << 9 | 4 << 6 | 0xc;
        let buffer = decoded(with(&[(0, pair), (2, 1 << 30 | 1 << 18 | 6 << 14), (4, 1 << 20), (5, 0)])).view;
        assert_eq!((buffer.format, buffer.dimensions), (TextureFormat::Uint16x2, Dimensions::One));
        assert_eq!((buffer.size, buffer.layout), ([1 << 20, 1, 1], linear(1 << 22)));
        assert_eq!(buffer.remap, [Source(1), Source(0), Zero, OneInteger]);
        let volume = decoded(with(&[(2, 1 << 30 | 2 << 14 | 1 << 25), (5, 5 << 16 | 6), (7, 0)])).view;
        assert_eq!((volume.dimensions, volume.size, volume.layout), (Dimensions::Three, [100, 6, 5], blocks(0, 1)));
    }

    #[test]
    fn cube_maps_and_arrays() {
        // Levels of 16 × 16, 8 × 8 and 4 × 4 texels in blocks of two gobs: 2 blocks of 512 bytes, one gob less, a gob. Faces begin
        // with a block.
        let size = [(4, 1 << 31 | 16), (5, 2 << 28 | 7 << 16 | 16), (7, 0x20)];
        let kind = |number: u32| with(&[&size[..], &[(2, 1 << 31 | 1 << 30 | number << 14 | 1 << 22)]].concat());
        let cube = decoded(kind(3)).view;
        assert_eq!((cube.dimensions, cube.size, cube.layers), (Dimensions::Cube, [16, 16, 1], None));
        assert_eq!(cube.level_layout().1, 2 * 512 + 512 + 512);
        let cubes = decoded(kind(8)).view;
        assert_eq!((cubes.dimensions, cubes.size, cubes.layers), (Dimensions::Cube, [16, 16, 1], Some(7)));
        assert_eq!((cubes.faces(), cubes.level_layout().1), (42, cube.level_layout().1));
        assert_eq!(cubes.reached_bytes(), 41 * u64::from(cube.level_layout().1) + 1024 + 512 + 256);
        let array = decoded(kind(5)).view;
        assert_eq!((array.dimensions, array.size, array.layers), (Dimensions::Two, [16, 16, 1], Some(7)));
        let line = decoded(kind(4)).view;
        assert_eq!((line.dimensions, line.size, line.layers), (Dimensions::One, [16, 1, 1], Some(7)));
        let last = 6 * array.level_layout().1;
        assert_eq!(array.reached_bytes(), u64::from(last) + 1024 + 512 + 256);
        // The second level alone: its images are as far apart as before.
        let mut words = kind(5);
        words[7] = 0x11;
        let TextureEntry { view, address, .. } = decoded(words);
        assert_eq!((view.size, view.levels, view.level_layout().1), ([8, 8, 1], 1, array.level_layout().1));
        assert_eq!((address, view.reached_bytes()), (decoded(kind(5)).address + 1024, u64::from(last) + 512));
    }

    #[test]
    fn formats_by_sizes_and_types() {
        use TextureFormat as Format;
        let types = |types: [u32; 4]| types[0] << 6 | types[1] << 9 | types[2] << 12 | types[3] << 15;
        let all = |kind: u32| types([kind; 4]);
        // Sources by what Mesa's driver writes (`nv50_formats.c`): components 0 to 3 have the numbers 2 to 5, 1 has 7.
        let sources = |sources: [u32; 4]| sources[0] << 18 | sources[1] << 21 | sources[2] << 24 | sources[3] << 27;
        let (color, first, second) = (sources([2, 3, 4, 5]), sources([2, 2, 2, 7]), sources([3, 3, 3, 7]));
        let depth = types([2, 4, 4, 4]);
        let cases = [
            (color | all(2) | 0x09, Format::Unorm10x3Unorm2),
            (color | all(4) | 0x09, Format::Uint10x3Uint2),
            (color | all(2) | 0x24, Format::Bc1),
            (first | all(1) | 0x27, Format::Bc4Snorm),
            (color | all(7) | 0x20, Format::SharedExponent),
            // Depths: the first component has the type, or the second one; then the stencil of the same texels.
            (first | depth | 0x2b, Format::Unorm24Unorm8),
            (first | depth | 0x2a, Format::Unorm24Unorm8),
            (second | types([4, 2, 4, 4]) | 0x29, Format::Unorm8Unorm24),
            (first | types([7, 4, 4, 4]) | 0x2f, Format::Float32),
            (first | types([7, 4, 4, 4]) | 0x30, Format::Float32Skip32),
            (first | depth | 0x3a, Format::Unorm16),
            (second | all(4) | 0x2b, Format::Uint24Uint8),
            (first | all(4) | 0x29, Format::Uint8Uint24),
            (second | all(4) | 0x30, Format::Uint32Uint8Uint24),
        ];
        for (word, format) in cases {
            assert_eq!(decoded(with(&[(0, word)])).view.format, format, "{word:#x}");
        }
    }

    #[test]
    fn colors_are_on_the_srgb_curve_and_alpha_is_not() {
        let gamma = |word: u32| decoded(with(&[(0, word), (2, LEVELS[2] | 1 << 10)])).view.gamma;
        assert_eq!(gamma(UNORM8X4), [true, true, true, false]);
        // Luminance and alpha.
        assert_eq!(
            gamma(3 << 27 | 2 << 24 | 2 << 21 | 2 << 18 | UNORM8X4 & 0x3ffc0 | 0x18),
            [true, false, false, false]
        );
    }

    #[test]
    fn what_is_not_executed_has_a_name() {
        let refused = |changes: &[(usize, u32)]| TextureEntry::decode(&with(changes), true).unwrap_err();
        let cases: [(&[(usize, u32)], &str); 5] = [
            (&[(2, TWO_D & !(1 << 30))], "a texture with border texels"),
            (&[(0, UNORM8X4 | 1 << 30)], "a texture of packed components"),
            // The sides of 14 levels are up to 8192 texels.
            (
                &[(2, TWO_D + (4 << 14)), (4, 8192), (5, 13 << 28 | 1 << 16 | 60)],
                "an array or a cube map with more than 13 levels",
            ),
            // Sizes G8B8G8R8.
            (&[(0, UNORM8X4 & !63 | 0x22)], "the format of a texture"),
            (&[(0, UNORM8X4 ^ 3 << 12)], "a texture whose components have several types"),
        ];
        for (changes, name) in cases {
            assert_eq!(refused(changes), Reason::Unsupported(name));
        }
        // A pitch with levels, a buffer in blocks, a type and a source without meaning, a block of 64 gobs, and no width.
        for (word, value) in [
            (2, TWO_D | 1 << 18),
            (2, 1 << 30 | 6 << 14),
            (2, 1 << 30 | 9 << 14),
            (2, 1 << 30 | 15 << 14),
            (0, UNORM8X4 & !(7 << 18) | 1 << 18),
            (2, TWO_D | 6 << 22),
            (4, 1 << 31),
        ] {
            assert_eq!(refused(&[(word, value)]), Reason::IllegalValue, "{word} {value:#x}");
        }
    }
}
