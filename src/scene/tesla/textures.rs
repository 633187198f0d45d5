//! Describes a scene's textures by entries in memory, and binds them to the units of a stage.

use super::methods::Methods;
use crate::chip::tesla::{SamplerEntry, TextureEntry};
use crate::command::methods::tesla::three_d::{below_1400 as early, from_1400 as late};
use crate::format::TextureFormat;
use crate::pipeline::{
    BorderColor, Compare, Dimensions, Filter, MipFilter, RemappedChannel, Sampler, TextureLayout, TextureView, Wrap,
};
use crate::scene::schema::Texture;
use crate::scene::text::{MagFilter, MinFilter, ShadowCompare};
use crate::scene::texture::PlacedTexture;
use RemappedChannel::{One, Source};

/// The bytes of an entry.
pub(super) const ENTRY_BYTES: usize = 32;

/// The base-2 logarithms of the largest blocks of textures: of height and depth, by whether they have slices.
const MAX_BLOCKS: [[u8; 2]; 2] = [[4, 0], [2, 3]];

/// The largest size of volumes, and of others.
const MAX_SIZES: [u32; 2] = [2048, 8192];

/// How texels in the formats of scenes are read: the format of their components, and which of them is red, green, blue and
/// alpha, as on NV40. Depths have a format in which they are compared.
const FORMATS: [(TextureFormat, TextureFormat, [RemappedChannel; 4], Option<TextureFormat>); 19] = [
    (TextureFormat::A8R8G8B8, TextureFormat::Unorm8x4, [Source(2), Source(1), Source(0), Source(3)], None),
    (TextureFormat::D8R8G8B8, TextureFormat::Unorm8x4, [Source(2), Source(1), Source(0), One], None),
    (TextureFormat::A4R4G4B4, TextureFormat::Unorm4x4, [Source(2), Source(1), Source(0), Source(3)], None),
    (TextureFormat::R5G6B5, TextureFormat::Unorm5Unorm6Unorm5, [Source(2), Source(1), Source(0), One], None),
    (TextureFormat::B8, TextureFormat::Unorm8, [Source(0), Source(0), Source(0), One], None),
    (TextureFormat::G8B8, TextureFormat::Unorm8x2, [Source(0), Source(1), Source(0), Source(1)], None),
    (TextureFormat::Dxt1, TextureFormat::Bc1, RemappedChannel::IDENTITY, None),
    (TextureFormat::Dxt23, TextureFormat::Bc2, RemappedChannel::IDENTITY, None),
    (TextureFormat::Dxt45, TextureFormat::Bc3, RemappedChannel::IDENTITY, None),
    (TextureFormat::W16Z16Y16X16F, TextureFormat::Float16x4, RemappedChannel::IDENTITY, None),
    (TextureFormat::W32Z32Y32X32F, TextureFormat::Float32x4, RemappedChannel::IDENTITY, None),
    (TextureFormat::Y16X16F, TextureFormat::Float16x2, [Source(0), Source(1), Source(0), Source(1)], None),
    (TextureFormat::X32F, TextureFormat::Float32, [Source(0); 4], None),
    (TextureFormat::X16, TextureFormat::Unorm16, [One, Source(0), One, Source(0)], None),
    (TextureFormat::Y16X16, TextureFormat::Unorm16x2, [Source(0), Source(1), Source(0), Source(1)], None),
    (TextureFormat::A1R5G5B5, TextureFormat::Unorm5x3Unorm1, [Source(2), Source(1), Source(0), Source(3)], None),
    (TextureFormat::D1R5G5B5, TextureFormat::Unorm5x3Unorm1, [Source(2), Source(1), Source(0), One], None),
    (
        TextureFormat::Depth24D8,
        TextureFormat::Unorm8Unorm24,
        [Source(1), Source(1), Source(1), One],
        Some(TextureFormat::Z24S8),
    ),
    (TextureFormat::Depth16, TextureFormat::Unorm16, [Source(0), Source(0), Source(0), One], Some(TextureFormat::Z16)),
];

/// The layout of new texels.
pub(in crate::scene) fn place(
    format: TextureFormat,
    dimensions: Dimensions,
    size: [u32; 3],
    levels: u32,
    linear: Option<bool>,
) -> Result<PlacedTexture, String> {
    let limit = MAX_SIZES[usize::from(dimensions != Dimensions::Three)];
    if size.iter().any(|texels| *texels == 0 || *texels > limit) {
        return Err(format!("sizes of 1 to {limit} texels are possible"));
    }
    match linear {
        Some(false) => Err("the GeForce 8 has no swizzled textures: leave the layout out for blocks".to_owned()),
        Some(true) if levels > 1 || dimensions != Dimensions::Two || format.is_compressed() => {
            Err("LINEAR textures have two dimensions, one level and no blocks of texels".to_owned())
        }
        Some(true) => PlacedTexture::new(format, dimensions, size, levels, linear),
        None => {
            let log2_block = MAX_BLOCKS[usize::from(dimensions == Dimensions::Three)];
            let layout = TextureLayout::BlockLinear { log2_block };
            Ok(PlacedTexture { format, dimensions, layout, size, levels, offset: 0 })
        }
    }
}

/// The entries of a texture and of its sampler.
pub(super) fn entries(texture: &Texture, placed: &PlacedTexture) -> Result<[[u32; 8]; 2], String> {
    let refused = [
        (texture.signed, "signed"),
        (texture.expand, "expand"),
        (texture.alpha_kill, "alpha_kill"),
        (texture.kernel.is_some(), "kernel"),
    ];
    if let Some((_, name)) = refused.iter().find(|(is_set, _)| *is_set) {
        return Err(format!("{name}: the GeForce 8 has no such switch, its programs compute it"));
    }
    let (plain, compared) = view(placed)?;
    let compares = texture.compare.is_some();
    if compares && compared.is_none() {
        return Err(format!("compare: texels of {} are no depths", placed.format.name()));
    }
    let letters = texture.remap.as_ref().map_or("rgba", |letters| letters.as_str());
    let view = TextureView {
        is_unnormalized: texture.rectangle,
        remap: remap(letters, plain.remap)?,
        gamma: if texture.srgb { [true, true, true, false] } else { [false; 4] },
        ..plain
    };
    let entry = TextureEntry::encode(&view, placed.offset.into(), compared);
    let entry = entry.ok_or("a texture with texel coordinates has one level and two dimensions")?;
    let sampler = SamplerEntry { sampler: sampler(texture, placed)?, compares, converts_srgb: texture.srgb };
    Ok([entry, sampler.encode().ok_or("no sampler has this state")?])
}

/// The entries of texels that are read one by one.
pub(super) fn texel_entries(placed: &PlacedTexture) -> Result<[[u32; 8]; 2], String> {
    let entry =
        TextureEntry::encode(&view(placed)?.0, placed.offset.into(), None).ok_or("no texture has this layout")?;
    let sampler = Sampler { border_color: BorderColor::Words([0; 4]), ..Sampler::PLAIN };
    let sampler = SamplerEntry { sampler, compares: false, converts_srgb: false };
    Ok([entry, sampler.encode().ok_or("no sampler has this state")?])
}

/// A texture with its components in their places, and the format in which it is compared.
fn view(placed: &PlacedTexture) -> Result<(TextureView, Option<TextureFormat>), String> {
    let row = FORMATS.iter().find(|(named, ..)| *named == placed.format);
    let missing = || format!("scenes of the GeForce 8 have no textures of {}", placed.format.name());
    let &(_, format, remap, compared) = row.ok_or_else(missing)?;
    let plain = TextureView::plain(format, placed.dimensions, placed.size);
    Ok((TextureView { layout: placed.layout, levels: placed.levels, remap, ..plain }, compared))
}

/// The sources of red, green, blue and alpha by letters.
fn remap(letters: &str, channels: [RemappedChannel; 4]) -> Result<[RemappedChannel; 4], String> {
    let source = |letter| match letter {
        '0' => Some(RemappedChannel::Zero),
        '1' => Some(One),
        letter => "rgba".find(letter).map(|place| channels[place]),
    };
    let sources: Option<Vec<_>> = letters.chars().map(source).collect();
    let sources = sources.and_then(|sources| <[RemappedChannel; 4]>::try_from(sources).ok());
    sources.ok_or_else(|| "a remap is four letters of r, g, b, a, 0, 1".to_owned())
}

/// The state of a texture's sampler.
fn sampler(texture: &Texture, placed: &PlacedTexture) -> Result<Sampler, String> {
    let minification =
        texture.min.map_or(if placed.levels > 1 { "LINEAR_MIPMAP_LINEAR" } else { "LINEAR" }, MinFilter::name);
    let (min_filter, mip_filter) = match minification {
        "NEAREST" => (Filter::Nearest, MipFilter::None),
        "LINEAR" => (Filter::Linear, MipFilter::None),
        "NEAREST_MIPMAP_NEAREST" => (Filter::Nearest, MipFilter::Nearest),
        "LINEAR_MIPMAP_NEAREST" => (Filter::Linear, MipFilter::Nearest),
        "NEAREST_MIPMAP_LINEAR" => (Filter::Nearest, MipFilter::Linear),
        "LINEAR_MIPMAP_LINEAR" => (Filter::Linear, MipFilter::Linear),
        other => return Err(format!("min: the GeForce 8 has no {other} filter")),
    };
    let mag_filter = match texture.mag.map_or("LINEAR", MagFilter::name) {
        "NEAREST" => Filter::Nearest,
        "LINEAR" => Filter::Linear,
        other => return Err(format!("mag: the GeForce 8 has no {other} filter")),
    };
    let wraps = texture.wrap.map_or([1; 3], |(s, t, r)| [s.0, t.0, r.0]);
    let wrap = wraps.map(|code| Wrap::ALL[(code.max(1) as usize - 1) % Wrap::ALL.len()]);
    let shadow_compare = match texture.compare.map_or("NEVER", ShadowCompare::name) {
        "LESS" => Compare::Less,
        "EQUAL" => Compare::Equal,
        "LEQUAL" => Compare::LessEqual,
        "GREATER" => Compare::Greater,
        "NOTEQUAL" => Compare::NotEqual,
        "GEQUAL" => Compare::GreaterEqual,
        "ALWAYS" => Compare::Always,
        _ => Compare::Never,
    };
    let max_anisotropy = u8::try_from(texture.anisotropy).ok().filter(|own| [1, 2, 4, 6, 8, 10, 12, 16].contains(own));
    let (smallest, largest) = texture.lod.unwrap_or((0.0, f64::from(placed.levels - 1)));
    let (r, g, b, a) = texture.border;
    #[expect(clippy::cast_possible_truncation, reason = "colors are singles")]
    let border = [r, g, b, a].map(|value| (value as f32).to_bits());
    Ok(Sampler {
        wrap,
        min_filter,
        mip_filter,
        mag_filter,
        lod_bias: fixed(texture.lod_bias, -16.0),
        min_lod: fixed(smallest, 0.0).cast_unsigned(),
        max_lod: fixed(largest, 0.0).cast_unsigned(),
        max_anisotropy: max_anisotropy.ok_or("an anisotropy is 1, 2, 4, 6, 8, 10, 12 or 16")?,
        border_color: BorderColor::Words(border),
        shadow_compare,
        ..Sampler::PLAIN
    })
}

/// Levels in 1/256, from a least one to just below 16.
#[expect(clippy::cast_possible_truncation, reason = "clamped before")]
fn fixed(levels: f64, least: f64) -> i32 {
    (levels.clamp(least, 15.996) * 256.0).round() as i32
}

/// Tells where the entries are: those of textures, then as many of samplers.
pub(super) fn describe(methods: &mut Methods, address: u32, count: u32) {
    let samplers = address + count * u32::try_from(ENTRY_BYTES).unwrap_or(0);
    methods.set_address(late::TIC_ADDRESS_HIGH, late::TIC_ADDRESS_LOW, address);
    methods.set(late::TIC_LIMIT, count.saturating_sub(1));
    methods.set_address(late::TSC_ADDRESS_HIGH, late::TSC_ADDRESS_LOW, samplers);
    methods.set(late::TSC_LIMIT, count.saturating_sub(1));
    for stage in 0..3 {
        methods.set_element(early::TEX_LIMITS, early::TEX_LIMITS::STRIDE, stage, 0x54u32);
    }
}

/// Forgets texels that earlier steps of the frame may have written, and entries.
pub(super) fn flush(methods: &mut Methods) {
    methods.act(early::TIC_FLUSH, 0);
    methods.act(early::TSC_FLUSH, 0);
    methods.act(early::TEX_CACHE_CTL, 0x20);
}

/// Binds an entry and its sampler to the units of a stage with this number.
pub(super) fn bind(methods: &mut Methods, stage: u16, unit: u32, entry: u32) {
    methods.act(late::BIND_TIC + 8 * stage, entry << 9 | unit << 1 | 1);
    methods.act(late::BIND_TSC + 8 * stage, entry << 12 | unit << 4 | 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::TexelStorage;
    use crate::format::texel::Field;
    use crate::pipeline::LayoutKind;

    #[test]
    fn letters_name_components_of_the_chip_s_format() {
        let bgra = FORMATS[0].2;
        assert_eq!(remap("rgba", bgra).unwrap(), bgra);
        assert_eq!(remap("b0a1", bgra).unwrap(), [Source(0), RemappedChannel::Zero, Source(3), One]);
        assert!(remap("xyzw", bgra).is_err() && remap("rgb", bgra).is_err());
    }

    #[test]
    fn components_lie_where_the_formats_of_scenes_have_them() {
        let mut compared = 0;
        for (named, plain, channels, _) in FORMATS {
            let (TexelStorage::Fields(fields), Some(plain)) = (named.storage(), plain.storage().packed()) else {
                continue;
            };
            for (field, source) in fields.into_iter().zip(channels) {
                match source {
                    Source(component) => assert_eq!(plain.fields[usize::from(component)], field),
                    source => assert_eq!((source, field), (One, Field::One)),
                }
                compared += 1;
            }
        }
        assert!(compared >= 40, "{compared}");
    }

    #[test]
    fn layouts_are_blocks_unless_rows_are_asked_for() {
        let two = Dimensions::Two;
        let blocks = place(TextureFormat::A8R8G8B8, two, [100, 60, 1], 7, None).unwrap();
        assert_eq!(blocks.layout, TextureLayout::BlockLinear { log2_block: [4, 0] });
        let rows = place(TextureFormat::A8R8G8B8, two, [100, 60, 1], 1, Some(true)).unwrap();
        assert_eq!(rows.layout.kind(), LayoutKind::Linear);
        assert!(place(TextureFormat::A8R8G8B8, two, [64, 64, 1], 1, Some(false)).is_err());
    }
}
