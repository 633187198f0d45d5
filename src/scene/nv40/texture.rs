//! Writes the registers of texture units.

use super::subchannels::THREE_D;
use crate::command::methods::three_d::texture::{self as methods};
use crate::command::writer::StreamWriter;
use crate::format::{TexelStorage, TextureFormat};
use crate::pipeline::Dimensions;
use crate::scene::schema::Texture;
use crate::scene::texel_encode::encode;
use crate::scene::text::{Convolution, MagFilter, MinFilter, ShadowCompare, Wrap};
use crate::scene::texture::PlacedTexture;

/// Sets up a fragment texture unit.
pub(super) fn bind(
    writer: &mut StreamWriter,
    unit: u16,
    texture: &Texture,
    layout: &PlacedTexture,
) -> Result<(), String> {
    let dimensions = dimension_code(layout.dimensions);
    let format = methods::TEX_FORMAT::dma(1u32)
        | methods::TEX_FORMAT::cubic(layout.dimensions == Dimensions::Cube)
        | methods::TEX_FORMAT::no_border(true)
        | methods::TEX_FORMAT::dimensions(dimensions)
        | methods::TEX_FORMAT::format(layout.format.code())
        | methods::TEX_FORMAT::linear(layout.has_rows())
        | methods::TEX_FORMAT::rect(texture.rectangle)
        | methods::TEX_FORMAT::bit15(true)
        | methods::TEX_FORMAT::levels(layout.levels);
    let edge = Wrap::named("REPEAT");
    let (s, t, r) = texture.wrap.unwrap_or((edge, edge, edge));
    let gamma = if texture.srgb { 7u32 } else { 0 };
    let wrap = methods::TEX_WRAP::s(s)
        | methods::TEX_WRAP::t(t)
        | methods::TEX_WRAP::r(r)
        | methods::TEX_WRAP::expand_normal(texture.expand)
        | methods::TEX_WRAP::gamma(gamma)
        | methods::TEX_WRAP::compare(texture.compare.unwrap_or(ShadowCompare::named("NEVER")));
    let anisotropy = [1, 2, 4, 6, 8, 10, 12, 16].iter().position(|known| *known == texture.anisotropy);
    let anisotropy = anisotropy.ok_or("an anisotropy is 1, 2, 4, 6, 8, 10, 12 or 16")?;
    let (smallest, largest) = texture.lod.unwrap_or((0.0, f64::from(layout.levels - 1)));
    let enable = methods::TEX_ENABLE::alpha_kill(texture.alpha_kill)
        | methods::TEX_ENABLE::anisotropy(u32::try_from(anisotropy).unwrap_or(0))
        | methods::TEX_ENABLE::max_lod_4_8(lod(largest))
        | methods::TEX_ENABLE::min_lod_4_8(lod(smallest))
        | methods::TEX_ENABLE::enable(true);
    let signed = if texture.signed { 15u32 } else { 0 };
    let filter = methods::TEX_FILTER::lod_bias_4_8(bias(texture.lod_bias))
        | methods::TEX_FILTER::kernel(texture.kernel.unwrap_or(Convolution::named("QUINCUNX")))
        | methods::TEX_FILTER::min(min_filter(texture, layout))
        | methods::TEX_FILTER::mag(mag_filter(texture, layout))
        | methods::TEX_FILTER::signed(signed);
    writer.set_element(THREE_D, unit, methods::TEX_OFFSET::offset(layout.offset));
    writer.set_element(THREE_D, unit, format);
    writer.set_element(THREE_D, unit, wrap);
    writer.set_element(THREE_D, unit, enable);
    writer.set_element(THREE_D, unit, remap(texture.remap.as_ref().map_or("rgba", |text| text.as_str()))?);
    writer.set_element(THREE_D, unit, filter);
    let size = methods::TEX_NPOT_SIZE::width(layout.size[0]) | methods::TEX_NPOT_SIZE::height(layout.size[1]);
    writer.set_element(THREE_D, unit, size);
    let size1 = methods::TEX_SIZE1::pitch(layout.pitch_bytes()) | methods::TEX_SIZE1::depth(layout.size[2]);
    writer.set_element(THREE_D, unit, size1);
    writer.set_element(THREE_D, unit, methods::TEX_BORDER_COLOR::argb(border(texture)));
    Ok(())
}

/// Disables a unit.
pub(super) fn unbind(writer: &mut StreamWriter, unit: u16) {
    writer.set_element(THREE_D, unit, methods::TEX_ENABLE::enable(false));
}

/// Sets up a texture unit of the vertex processor.
pub(super) fn bind_vertex(
    writer: &mut StreamWriter,
    unit: u16,
    texture: &Texture,
    layout: &PlacedTexture,
) -> Result<(), String> {
    if !matches!(layout.format, TextureFormat::X32F | TextureFormat::W32Z32Y32X32F) {
        return Err("vertex programs read X32_FLOAT and W32_Z32_Y32_X32_FLOAT only".to_owned());
    }
    if !layout.has_rows() || !matches!(layout.dimensions, Dimensions::One | Dimensions::Two) {
        return Err("vertex programs read LINEAR textures of one or two dimensions only".to_owned());
    }
    let format = methods::VERTEX_TEX_FORMAT::dma(1u32)
        | methods::VERTEX_TEX_FORMAT::dimensions(dimension_code(layout.dimensions))
        | methods::VERTEX_TEX_FORMAT::format(layout.format.code())
        | methods::VERTEX_TEX_FORMAT::linear(true)
        | bit_15()
        | methods::VERTEX_TEX_FORMAT::levels(layout.levels);
    let edge = Wrap::named("REPEAT");
    let (s, t, _) = texture.wrap.unwrap_or((edge, edge, edge));
    let (smallest, largest) = texture.lod.unwrap_or((0.0, f64::from(layout.levels - 1)));
    let enable = methods::VERTEX_TEX_ENABLE::max_lod_4_8(lod(largest))
        | methods::VERTEX_TEX_ENABLE::min_lod_4_8(lod(smallest))
        | methods::VERTEX_TEX_ENABLE::enable(true);
    writer.set_element(THREE_D, unit, methods::VERTEX_TEX_OFFSET::offset(layout.offset));
    writer.set_element(THREE_D, unit, format);
    writer.set_element(THREE_D, unit, methods::VERTEX_TEX_WRAP::s(s) | methods::VERTEX_TEX_WRAP::t(t));
    writer.set_element(THREE_D, unit, enable);
    writer.set_element(THREE_D, unit, methods::VERTEX_TEX_PITCH::pitch(layout.pitch_bytes()));
    writer.set_element(THREE_D, unit, methods::VERTEX_TEX_FILTER::lod_bias_4_8(bias(texture.lod_bias)));
    let size = methods::VERTEX_TEX_SIZE::width(layout.size[0]) | methods::VERTEX_TEX_SIZE::height(layout.size[1]);
    writer.set_element(THREE_D, unit, size);
    writer.set_element(THREE_D, unit, methods::VERTEX_TEX_BORDER_COLOR::argb(border(texture)));
    Ok(())
}

/// Disables a unit of the vertex processor.
pub(super) fn unbind_vertex(writer: &mut StreamWriter, unit: u16) {
    writer.set_element(THREE_D, unit, methods::VERTEX_TEX_ENABLE::enable(false));
}

/// Bit 15 of the format must be set; the table does not name it.
fn bit_15() -> crate::command::word::MethodWord<0x0904, 32> {
    crate::command::word::MethodWord::field(true, 15, 15)
}

const fn dimension_code(dimensions: Dimensions) -> u32 {
    match dimensions {
        Dimensions::One => 1,
        Dimensions::Two | Dimensions::Cube => 2,
        Dimensions::Three => 3,
    }
}

fn min_filter(texture: &Texture, layout: &PlacedTexture) -> MinFilter {
    let name = match (matches!(layout.format.storage(), TexelStorage::Float(_)), layout.levels > 1) {
        (true, false) => "NEAREST",
        (true, true) => "NEAREST_MIPMAP_NEAREST",
        (false, false) => "LINEAR",
        (false, true) => "LINEAR_MIPMAP_LINEAR",
    };
    texture.min.unwrap_or_else(|| MinFilter::named(name))
}

fn mag_filter(texture: &Texture, layout: &PlacedTexture) -> MagFilter {
    let is_float = matches!(layout.format.storage(), TexelStorage::Float(_));
    texture.mag.unwrap_or_else(|| MagFilter::named(if is_float { "NEAREST" } else { "LINEAR" }))
}

/// A level of detail in 1/256, 0 to just below 16.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before")]
fn lod(level: f64) -> u32 {
    (level.clamp(0.0, 15.996) * 256.0).round() as u32
}

/// A bias in 1/256, −16 to just below 16.
#[expect(clippy::cast_possible_truncation, reason = "clamped before")]
fn bias(levels: f64) -> i32 {
    (levels.clamp(-16.0, 15.996) * 256.0).round() as i32
}

fn border(texture: &Texture) -> u32 {
    let (r, g, b, a) = texture.border;
    #[expect(clippy::cast_possible_truncation, reason = "colors are singles")]
    let texel = [r, g, b, a].map(|value| value as f32);
    encode(TextureFormat::A8R8G8B8, texel)[0]
}

/// Parses letters for the sources of red, green, blue and alpha.
fn remap(letters: &str) -> Result<crate::command::word::MethodWord<0x1a10, 32>, String> {
    let codes: Option<Vec<(u32, u32)>> = letters
        .chars()
        .map(|letter| match letter {
            'a' => Some((0, 2)),
            'r' => Some((1, 2)),
            'g' => Some((2, 2)),
            'b' => Some((3, 2)),
            '0' => Some((0, 0)),
            '1' => Some((0, 1)),
            _ => None,
        })
        .collect();
    match codes.as_deref() {
        Some(&[r, g, b, a]) => Ok(methods::TEX_SWIZZLE::a(a.0)
            | methods::TEX_SWIZZLE::a_is(a.1)
            | methods::TEX_SWIZZLE::r(r.0)
            | methods::TEX_SWIZZLE::r_is(r.1)
            | methods::TEX_SWIZZLE::g(g.0)
            | methods::TEX_SWIZZLE::g_is(g.1)
            | methods::TEX_SWIZZLE::b(b.0)
            | methods::TEX_SWIZZLE::b_is(b.1)),
        _ => Err("a remap is four letters of r, g, b, a, 0, 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaps_are_letters() {
        assert_eq!(remap("rgba").unwrap().value(), Some(0xaae4));
        assert_eq!(remap("0001").unwrap().value(), Some(0x0100));
        assert!(remap("xyzw").is_err() && remap("rgb").is_err());
    }
}
