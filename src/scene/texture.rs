//! Lays out and encodes a scene's textures.

use super::block_encode::encode_block;
use super::image::{Texel, Texels};
use super::texel_encode::{encode, encode_pair};
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
    pub(super) fn has_rows(&self) -> bool {
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
}
