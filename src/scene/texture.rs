//! Lays out and encodes a scene's textures, and writes the registers of their units.

use super::block_encode::encode_block;
use super::image::{Texel, Texels};
use super::schema::Texture;
use super::subchannels::THREE_D;
use super::texel_encode::{encode, encode_pair};
use super::text::{Convolution, MagFilter, MinFilter, ShadowCompare, Wrap};
use crate::command::methods::three_d::texture::{self as methods};
use crate::command::writer::StreamWriter;
use crate::format::{TexelStorage, TextureFormat};
use crate::pipeline::{Dimensions, LayoutKind, MipLevel, TextureLayout, TextureState, TextureView};

/// The alignment of linear rows in bytes.
const PITCH_ALIGNMENT: u32 = 64;

/// A texture in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlacedTexture {
    pub(crate) format: TextureFormat,
    pub(crate) dimensions: Dimensions,
    pub(crate) layout: TextureLayout,
    pub(crate) size: [u32; 3],
    pub(crate) levels: u32,
    /// The address in VRAM.
    pub(crate) offset: u32,
}

impl PlacedTexture {
    /// The layout of new texels; `linear` requests one order.
    pub(crate) fn new(
        format: TextureFormat,
        dimensions: Dimensions,
        size: [u32; 3],
        levels: u32,
        linear: Option<bool>,
    ) -> Result<Self, String> {
        let limit = if dimensions == Dimensions::Three { 512 } else { 4096 };
        if size.iter().any(|texels| *texels == 0 || *texels > limit) {
            return Err(format!("sizes of 1 to {limit} texels are possible"));
        }
        let is_pair = matches!(format.storage(), TexelStorage::Pair(_));
        let is_compressed = format.is_compressed();
        let is_odd = size.iter().any(|texels| !texels.is_power_of_two());
        // Swizzled order needs powers of two and elements of at most four bytes.
        let must_be_linear = !is_compressed && (is_odd || format.bytes() > 4 || is_pair)
            || is_compressed && dimensions == Dimensions::Three;
        if must_be_linear && linear == Some(false) {
            return Err(format!("{} of this size can only be LINEAR", format.name()));
        }
        if is_pair && !size[0].is_multiple_of(2) {
            return Err(format!("{} needs an even width", format.name()));
        }
        let layout = match linear.unwrap_or(must_be_linear) {
            true => TextureLayout::Linear { pitch_bytes: row_pitch(format, size[0]) },
            false => TextureLayout::Swizzled,
        };
        Ok(Self { format, dimensions, layout, size, levels, offset: 0 })
    }

    /// The state of a unit that has it.
    fn state(&self) -> TextureState {
        let plain = TextureState::plain(self.format, self.dimensions, self.size);
        TextureState { view: TextureView { layout: self.layout, levels: self.levels, ..plain.view }, ..plain }
    }

    /// The levels, and the bytes from one face to the next.
    fn levels(&self) -> (Vec<MipLevel>, u32) {
        self.state().view.level_layout()
    }

    /// Whether it is stored in rows.
    fn has_rows(&self) -> bool {
        self.layout.kind() == LayoutKind::Linear
    }

    /// The pitch in a unit's registers; the unit ignores it unless the texture has rows.
    pub(crate) const fn pitch_bytes(&self) -> u32 {
        match self.layout {
            TextureLayout::Linear { pitch_bytes } => pitch_bytes,
            _ => row_pitch(self.format, self.size[0]),
        }
    }

    /// Its size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let (levels, face_bytes) = self.levels();
        let faces = if self.dimensions == Dimensions::Cube { 6 } else { 1 };
        let last = levels.last().map_or(0, |level| u64::from(level.offset) + level.bytes);
        u64::from(face_bytes).max(last) * faces
    }

    /// The bytes of texels in this layout.
    pub(crate) fn encode(&self, texels: &Texels) -> Vec<u8> {
        let (levels, face_bytes) = self.levels();
        let mut bytes = vec![0; usize::try_from(self.bytes()).unwrap_or(0)];
        for (face, contents) in texels.faces.iter().enumerate() {
            let start = face * face_bytes as usize;
            for (level, texels) in levels.iter().zip(contents) {
                let bytes = &mut bytes[start + level.offset as usize..];
                self.fill_level(level, bytes, |place| self.element(level.size, texels, place));
            }
        }
        bytes
    }

    /// The bytes of elements in this layout, which are given row by row, slice by slice, level by level, face by face;
    /// `None` if they are too few or too many.
    pub(crate) fn arrange(&self, elements: &[u8]) -> Option<Vec<u8>> {
        if elements.len() as u64 != self.packed_bytes() {
            return None;
        }
        let (levels, face_bytes) = self.levels();
        let faces = if self.dimensions == Dimensions::Cube { 6 } else { 1 };
        let mut rest = elements.chunks_exact(self.element_bytes());
        let mut bytes = vec![0; usize::try_from(self.bytes()).unwrap_or(0)];
        for face in 0..faces {
            for level in &levels {
                let bytes = &mut bytes[face * face_bytes as usize + level.offset as usize..];
                self.fill_level(level, bytes, |_| {
                    let mut element = [0; 16];
                    rest.next().into_iter().for_each(|next| element[..next.len()].copy_from_slice(next));
                    element
                });
            }
        }
        Some(bytes)
    }

    /// The bytes of all elements, without the gaps between rows, levels and faces.
    pub(crate) fn packed_bytes(&self) -> u64 {
        let (columns, rows) = self.element_texels();
        let of_level = |level: &MipLevel| {
            let [width, height, depth] = level.size.map(u64::from);
            width.div_ceil(columns.into()) * height.div_ceil(rows.into()) * depth
        };
        let faces = if self.dimensions == Dimensions::Cube { 6 } else { 1 };
        self.levels().0.iter().map(of_level).sum::<u64>() * faces * self.element_bytes() as u64
    }

    /// Columns and rows of texels that an element holds.
    const fn element_texels(&self) -> (u32, u32) {
        match self.format.storage() {
            TexelStorage::Block(_) => (4, 4),
            TexelStorage::Pair(_) => (2, 1),
            _ => (1, 1),
        }
    }

    /// The bytes of an element.
    const fn element_bytes(&self) -> usize {
        self.format.element_bytes() as usize
    }

    /// Writes the elements of a level; `element` is asked for them row by row, by the place of the first texel.
    fn fill_level(&self, level: &MipLevel, bytes: &mut [u8], mut element: impl FnMut([u32; 3]) -> [u8; 16]) {
        let [width, height, depth] = level.size;
        let (columns, rows) = self.element_texels();
        let (state, element_bytes) = (self.state(), self.element_bytes());
        for z in 0..depth {
            for y in (0..height).step_by(rows as usize) {
                for x in (0..width).step_by(columns as usize) {
                    let element = element([x, y, z]);
                    let offset = state.view.element_offset(level, [x, y, z]) as usize;
                    if let Some(place) = bytes.get_mut(offset..offset + element_bytes) {
                        place.copy_from_slice(&element[..element_bytes]);
                    }
                }
            }
        }
    }

    /// The element of a level's texels from a place on.
    fn element(&self, [width, height, _]: [u32; 3], texels: &[Texel], [x, y, z]: [u32; 3]) -> [u8; 16] {
        let at =
            |x: u32, y: u32, z: u32| texels[((z * height + y.min(height - 1)) * width + x.min(width - 1)) as usize];
        let words = match self.format.storage() {
            TexelStorage::Block(kind) => encode_block(
                kind,
                &std::array::from_fn(|place| {
                    let place = u32::try_from(place).unwrap_or(0);
                    at(x + place % 4, y + place / 4, z)
                }),
            ),
            TexelStorage::Pair(places) => [encode_pair(places, at(x, y, z), at(x + 1, y, z)), 0, 0, 0],
            _ => encode(self.format, at(x, y, z)),
        };
        let mut bytes = [0; 16];
        bytes.as_chunks_mut::<4>().0.iter_mut().zip(words).for_each(|(place, word)| *place = word.to_le_bytes());
        bytes
    }
}

/// Bytes from one row of texels, or of blocks of them, to the next.
const fn row_pitch(format: TextureFormat, width: u32) -> u32 {
    let elements = if format.is_compressed() { width.div_ceil(4) } else { width };
    (elements * format.bytes()).next_multiple_of(PITCH_ALIGNMENT)
}

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

    fn layout(format: TextureFormat, dimensions: Dimensions, size: [u32; 3], levels: u32) -> PlacedTexture {
        PlacedTexture::new(format, dimensions, size, levels, None).unwrap()
    }

    #[test]
    fn layouts_follow_format_and_size() {
        let two = Dimensions::Two;
        assert!(!layout(TextureFormat::A8R8G8B8, two, [64, 32, 1], 1).has_rows());
        assert!(layout(TextureFormat::A8R8G8B8, two, [48, 32, 1], 1).has_rows());
        assert!(layout(TextureFormat::W16Z16Y16X16F, two, [64, 32, 1], 1).has_rows());
        assert_eq!(layout(TextureFormat::A8R8G8B8, two, [50, 3, 1], 1).pitch_bytes(), 256);
        assert_eq!(layout(TextureFormat::A8R8G8B8, two, [4, 4, 1], 3).bytes(), 128);
        assert_eq!(layout(TextureFormat::Dxt1, two, [16, 16, 1], 1).bytes(), 128);
        assert_eq!(layout(TextureFormat::A8R8G8B8, Dimensions::Cube, [2, 2, 1], 2).bytes(), 6 * 128);
        assert!(PlacedTexture::new(TextureFormat::A8R8G8B8, two, [5000, 1, 1], 1, None).is_err());
        assert!(PlacedTexture::new(TextureFormat::A8R8G8B8, two, [48, 32, 1], 1, Some(false)).is_err());
    }

    #[test]
    fn texels_land_where_the_layout_says() {
        let texels = |size: [u32; 3]| {
            let all = (0..size.iter().product::<u32>()).map(|index| [0.0, 0.0, index as f32 / 255.0, 0.0]).collect();
            Texels::new(Dimensions::Two, size, vec![all])
        };
        let blues = |bytes: &[u8]| bytes.chunks(4).map(|texel| texel[0]).collect::<Vec<_>>();
        // Swizzled: (0,0) (1,0) (0,1) (1,1) (2,0) (3,0) (2,1) (3,1).
        let swizzled = layout(TextureFormat::A8R8G8B8, Dimensions::Two, [4, 2, 1], 1);
        assert_eq!(blues(&swizzled.encode(&texels([4, 2, 1])))[..8], [0, 1, 4, 5, 2, 3, 6, 7]);
        let linear = layout(TextureFormat::A8R8G8B8, Dimensions::Two, [3, 2, 1], 1);
        let bytes = linear.encode(&texels([3, 2, 1]));
        assert_eq!((blues(&bytes)[..3].to_vec(), blues(&bytes)[16..19].to_vec()), (vec![0, 1, 2], vec![3, 4, 5]));
        assert_eq!(layout(TextureFormat::Dxt45, Dimensions::Two, [8, 8, 1], 1).encode(&texels([8, 8, 1])).len(), 128);
    }

    #[test]
    fn remaps_are_letters() {
        assert_eq!(remap("rgba").unwrap().value(), Some(0xaae4));
        assert_eq!(remap("0001").unwrap().value(), Some(0x0100));
        assert!(remap("xyzw").is_err() && remap("rgb").is_err());
    }
}
