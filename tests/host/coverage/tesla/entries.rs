//! The values of texture and sampler entries: draws that read a texture through an entry with each of them.

use curie::chip::tesla::{SamplerEntry, TextureEntry};
use curie::command::methods::tesla::three_d::below_1400 as early;
use curie::format::TextureFormat;
use curie::pipeline::{BorderColor, Compare, Dimensions, Filter, MipFilter, Sampler, TextureLayout, TextureView, Wrap};

use super::scene::{CONSTANT_BUFFER, ENTRY, ENTRY_BUFFER, SAMPLER_ENTRY, SAMPLERS, TEXTURE_ENTRY};
use crate::host::coverage::family::{Family, ValueWrites};
use crate::host::coverage::probe::value_state;
use crate::host::coverage::rows::Row;

/// The types of textures, by their number.
const TYPES: [&str; 9] = [
    "ONE_D",
    "TWO_D",
    "THREE_D",
    "CUBEMAP",
    "ONE_D_ARRAY",
    "TWO_D_ARRAY",
    "ONE_D_BUFFER",
    "TWO_D_NO_MIPMAP",
    "CUBE_ARRAY",
];

/// Where components that programs read come from.
const SOURCES: [(u32, &str); 7] =
    [(0, "ZERO"), (2, "R"), (3, "G"), (4, "B"), (5, "A"), (6, "ONE_INT"), (7, "ONE_FLOAT")];

/// A sampler whose border is black.
const PLAIN: Sampler = Sampler { border_color: BorderColor::Words([0; 4]), ..Sampler::PLAIN };

/// A value with the two entries that have it.
struct Value {
    name: String,
    code: u32,
    texture: [u32; 8],
    sampler: [u32; 8],
}

/// The rows of all values.
pub(super) fn rows(family: &dyn Family) -> Vec<Row> {
    let sections = [
        ("Texture entries, type", types()),
        ("Texture entries, component source", sources()),
        ("Texture entries, format", formats()),
        ("Texture entries, format with comparison", depths()),
        ("Sampler entries, wrap", wraps()),
        ("Sampler entries, magnification filter", filters(|sampler, filter| sampler.mag_filter = filter)),
        ("Sampler entries, minification filter", filters(|sampler, filter| sampler.min_filter = filter)),
        ("Sampler entries, filter between levels", mip_filters()),
        ("Sampler entries, comparison", comparisons()),
        ("Sampler entries, anisotropy", anisotropies()),
    ];
    sections.into_iter().flat_map(|(section, values)| section_rows(family, section, &values)).collect()
}

fn section_rows(family: &dyn Family, section: &str, values: &[Value]) -> Vec<Row> {
    let numbers: Vec<u32> = (0..).take(values.len()).collect();
    let row = |&number: &u32| {
        let others: Vec<u32> = numbers.iter().copied().filter(|other| *other != number).collect();
        let writes = |number: u32| writes(&values[number as usize]);
        let Value { name, code, .. } = &values[number as usize];
        Row {
            section: section.to_owned(),
            name: name.clone(),
            code: format!("{code:#x}"),
            state: value_state(family, 0x5097, early::CB_ADDR, number, &others, &writes),
            mutant: None,
        }
    };
    numbers.iter().map(row).collect()
}

/// Writes both entries through a constant buffer.
fn writes(value: &Value) -> ValueWrites {
    let entry = |offset: u32, words: [u32; 8]| {
        let seek = (early::CB_ADDR, offset << 6 | ENTRY_BUFFER);
        std::iter::once(seek).chain(words.map(|word| (early::CB_DATA, word)))
    };
    let prepare = entry(ENTRY, value.texture).chain(entry(SAMPLERS + ENTRY, value.sampler)).collect();
    ValueWrites { prepare, word: CONSTANT_BUFFER, follow: Vec::new() }
}

/// A texture with a word that has other bits.
fn with_bits(word: usize, low: u32, width: u32, value: u32) -> [u32; 8] {
    let mut texture = TEXTURE_ENTRY;
    texture[word] = texture[word] & !((u32::MAX >> (32 - width)) << low) | value << low;
    texture
}

fn types() -> Vec<Value> {
    let value = |(code, name): (u32, &&str)| {
        let mut texture = with_bits(2, 14, 4, code);
        if *name == "ONE_D_BUFFER" {
            texture[2] |= 1 << 18;
        }
        Value { name: (*name).to_owned(), code, texture, sampler: SAMPLER_ENTRY }
    };
    (0..).zip(&TYPES).map(value).collect()
}

fn sources() -> Vec<Value> {
    let value = |(code, name): (u32, &str)| Value {
        name: name.to_owned(),
        code,
        texture: with_bits(0, 18, 3, code),
        sampler: SAMPLER_ENTRY,
    };
    SOURCES.into_iter().map(value).collect()
}

fn view(format: TextureFormat) -> TextureView {
    TextureView {
        layout: TextureLayout::BlockLinear { log2_block: [1, 0] },
        ..TextureView::plain(format, Dimensions::Two, [8, 8, 1])
    }
}

fn formats() -> Vec<Value> {
    let formats = TextureFormat::ALL.iter().filter(|format| format.code() >= 0x40);
    let value = |format: &TextureFormat| Value {
        name: format.name().to_owned(),
        code: format.code(),
        texture: TextureEntry::encode(&view(*format), TEXTURE_ENTRY[1].into(), None).expect("an entry has the format"),
        sampler: SAMPLER_ENTRY,
    };
    formats.map(value).collect()
}

/// A sampler that compares.
fn comparing(sampler: Sampler) -> [u32; 8] {
    let entry = SamplerEntry { sampler, compares: true, converts_srgb: false };
    entry.encode().expect("an entry holds the sampler")
}

/// Depths in the format of their bits.
fn depth(format: TextureFormat) -> Option<[u32; 8]> {
    let mut plain = TextureFormat::ALL.iter().filter(|plain| plain.code() >= 0x40);
    plain.find_map(|plain| TextureEntry::encode(&view(*plain), TEXTURE_ENTRY[1].into(), Some(format)))
}

fn depths() -> Vec<Value> {
    let formats = TextureFormat::ALL.iter().filter(|format| format.is_of_tesla() && format.code() < 0x40);
    let value = |format: &TextureFormat| Value {
        name: format.name().to_owned(),
        code: format.code(),
        texture: depth(*format).expect("depths have a format of their bits"),
        sampler: comparing(Sampler { shadow_compare: Compare::LessEqual, ..PLAIN }),
    };
    formats.map(value).collect()
}

/// Values of samplers.
fn samplers(values: impl IntoIterator<Item = (String, u32, Sampler)>) -> Vec<Value> {
    let value = |(name, code, sampler)| {
        let entry = SamplerEntry { sampler, compares: false, converts_srgb: false };
        let sampler = entry.encode().expect("an entry holds the sampler");
        Value { name, code, texture: TEXTURE_ENTRY, sampler }
    };
    values.into_iter().map(value).collect()
}

fn wraps() -> Vec<Value> {
    samplers((0..).zip(Wrap::ALL).map(|(code, wrap)| (format!("{wrap:?}"), code, Sampler { wrap: [wrap; 3], ..PLAIN })))
}

fn filters(set: fn(&mut Sampler, Filter)) -> Vec<Value> {
    let values = (1..).zip([Filter::Nearest, Filter::Linear]).map(|(code, filter)| {
        let mut sampler = PLAIN;
        set(&mut sampler, filter);
        (format!("{filter:?}"), code, sampler)
    });
    samplers(values)
}

fn mip_filters() -> Vec<Value> {
    let filters = (1..).zip([MipFilter::None, MipFilter::Nearest, MipFilter::Linear]);
    samplers(
        filters.map(|(code, mip_filter)| {
            (format!("{mip_filter:?}"), code, Sampler { mip_filter, max_lod: 0xf00, ..PLAIN })
        }),
    )
}

fn comparisons() -> Vec<Value> {
    let texture = depth(TextureFormat::Z24S8).expect("depths have a format of their bits");
    let value = |(code, shadow_compare): (u32, Compare)| Value {
        name: format!("{shadow_compare:?}"),
        code,
        texture,
        sampler: comparing(Sampler { shadow_compare, ..PLAIN }),
    };
    (0..).zip(Compare::ALL).map(value).collect()
}

fn anisotropies() -> Vec<Value> {
    let numbers = (0..).zip([1, 2, 4, 6, 8, 10, 12, 16]);
    samplers(numbers.map(|(code, max_anisotropy): (u32, u8)| {
        (max_anisotropy.to_string(), code, Sampler { max_anisotropy, ..PLAIN })
    }))
}
