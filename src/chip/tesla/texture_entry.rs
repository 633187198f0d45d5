//! Texture entries (TIC): eight words in memory that describe a texture.
//!
//! Source: envytools `rnndb/graph/g80_texture.xml`, domain `TIC`; what drivers write, Mesa's `nv50_tex.c`.

use super::address::Address;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{bit, field, field8};
use crate::format::{TexelStorage, TextureFormat};
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
}

const fn texture_type(dimensions: Dimensions, has_levels: bool) -> Result<TextureType, &'static str> {
    Ok(TextureType { dimensions, has_levels })
}

/// The types, by `TEXTURE_TYPE`.
const TYPES: [Result<TextureType, &str>; 9] = [
    texture_type(Dimensions::One, true),
    texture_type(Dimensions::Two, true),
    texture_type(Dimensions::Three, true),
    Err("a cube map"),
    Err("an array of textures"),
    Err("an array of textures"),
    texture_type(Dimensions::One, false),
    texture_type(Dimensions::Two, false),
    Err("an array of cube maps"),
];

/// The number of buffers among the types.
const BUFFER: u32 = 6;

/// What an entry can ask for that is not executed: a bit of a word, its value, and its name.
const NOT_EXECUTED: [(usize, u32, bool, &str); 4] = [
    (0, 30, true, "a texture of packed components"),
    (2, 10, true, "an sRGB texture"),
    (2, 13, true, "a color key"),
    (2, 30, false, "a texture with border texels"),
];

/// A texture: the levels that programs see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextureEntry {
    /// All but its memory.
    pub(super) view: TextureView,
    /// The virtual address of its first level.
    pub(super) address: u64,
}

impl TextureEntry {
    /// The texture of an entry. Chips after G80 have views, which hide levels.
    pub(super) fn decode(words: &[u32; 8], has_views: bool) -> Result<Self, Reason> {
        let number = field(words[2], 17, 14);
        let kind = TYPES.get(number as usize).ok_or(Reason::IllegalValue)?.map_err(Reason::Unsupported)?;
        let asked = NOT_EXECUTED.iter().find(|(word, place, value, _)| bit(words[*word], *place) == *value);
        if let Some((.., name)) = asked {
            return Err(Reason::Unsupported(name));
        }
        let format = format(words[0])?;
        let whole = size(words, kind.dimensions);
        if whole.contains(&0) {
            return Err(Reason::IllegalValue);
        }
        let address = Address { high: words[2], low: words[1] }.value();
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
                if last >= MAX_LEVELS {
                    return Err(Reason::Unsupported("a texture with more than 13 levels"));
                }
                (TextureLayout::BlockLinear { log2_block }, [first, last])
            }
            _ => return Err(Reason::IllegalValue),
        };
        let all = TextureView {
            layout,
            is_unnormalized: !bit(words[2], 31),
            levels: last + 1,
            remap: remap(words[0])?,
            ..TextureView::plain(format, kind.dimensions, whole)
        };
        // A view that begins at a level is a texture that begins there.
        let (stored, _) = all.level_layout();
        let (hidden, seen) = stored.split_at_checked(first as usize).ok_or(Reason::IllegalValue)?;
        let begin = seen.first().ok_or(Reason::IllegalValue)?;
        Ok(Self {
            view: TextureView { size: begin.size, levels: last + 1 - first, ..all },
            address: hidden.iter().fold(address, |address, level| address.saturating_add(level.bytes)),
        })
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
        Dimensions::Two => [width, height, 1],
        Dimensions::Three | Dimensions::Cube => [width, height, field(words[5], 27, 16)],
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

/// The format of texels: a code of component sizes, and the type of each component, which must be the same for all that are
/// stored.
fn format(word: u32) -> Result<TextureFormat, Reason> {
    let types = [8, 11, 14, 17].map(|high| field(word, high, high - 2));
    let sizes = field(word, 5, 0);
    let row = match (types[0], sizes) {
        (0, _) | (_, 0x20..) => None,
        (first, sizes) => TextureFormat::from_code(first << 5 | sizes),
    };
    let format = row.ok_or(Reason::Unsupported("the format of a texture"))?;
    let count = match format.storage() {
        TexelStorage::Components(components) => usize::from(components.count),
        _ => types.len(),
    };
    match types[..count].iter().all(|own| *own == types[0]) {
        true => Ok(format),
        false => Err(Reason::Unsupported("a texture whose components have several types")),
    }
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
        assert_eq!(decoded(LEVELS), TextureEntry { view, address: 0x12_3456_7800 });
    }

    #[test]
    fn a_view_begins_at_a_level() {
        // Level 0: 7 × 4 blocks of 64 × 16 bytes. Level 1: 50 × 30 texels, 4 × 2 blocks. Level 2: 25 × 15, in 2 × 1 blocks.
        let TextureEntry { view, address } = decoded(with(&[(7, 0x22)]));
        assert_eq!((view.size, view.levels, view.layout), ([25, 15, 1], 1, blocks(2, 0)));
        assert_eq!((address, view.reached_bytes()), (0x12_3456_7800 + (28 + 8) * 1024, 2 * 1024));
        // Level 4: 6 × 3 texels in one gob; level 3, 12 × 7, has blocks of two.
        let TextureEntry { view, address } = decoded(with(&[(7, 0x64)]));
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
    fn what_is_not_executed_has_a_name() {
        let refused = |changes: &[(usize, u32)]| TextureEntry::decode(&with(changes), true).unwrap_err();
        let cases: [(&[(usize, u32)], &str); 9] = [
            (&[(2, TWO_D + (2 << 14))], "a cube map"),
            (&[(2, TWO_D + (4 << 14))], "an array of textures"),
            (&[(2, TWO_D | 1 << 10)], "an sRGB texture"),
            (&[(2, TWO_D & !(1 << 30))], "a texture with border texels"),
            (&[(0, UNORM8X4 | 1 << 30)], "a texture of packed components"),
            // The sides of 14 levels are up to 8192 texels.
            (&[(4, 8192), (5, 13 << 28 | 1 << 16 | 60)], "a texture with more than 13 levels"),
            // Sizes A2B10G10R10; then DXT1, whose code has a sixth bit.
            (&[(0, UNORM8X4 + 1)], "the format of a texture"),
            (&[(0, UNORM8X4 & !63 | 0x24)], "the format of a texture"),
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
            (0, UNORM8X4 & !(7 << 18) | 1 << 18),
            (2, TWO_D | 6 << 22),
            (4, 1 << 31),
        ] {
            assert_eq!(refused(&[(word, value)]), Reason::IllegalValue, "{word} {value:#x}");
        }
    }
}
