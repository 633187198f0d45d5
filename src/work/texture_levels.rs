//! Geometry of a texture's mip levels in memory.

use super::{Dimensions, TextureState};
use crate::format::TexelStorage;

/// Most mip levels that a texture has.
pub const MAX_LEVELS: u32 = 13;

/// One mip level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MipLevel {
    /// Bytes from the start of the texture (of the face, for cubes) to the level.
    pub offset: u32,
    /// Width, height, depth in texels, without border texels.
    pub size: [u32; 3],
    /// Width, height, depth as stored: with border texels, and filled up to powers of two where the order needs it.
    pub stored_size: [u32; 3],
    /// Bytes from one row of texels or blocks to the next, where rows exist.
    pub pitch_bytes: u32,
}

impl MipLevel {
    /// Bytes from one slice to the next, where slices follow each other.
    #[must_use]
    pub const fn slice_bytes(&self, is_compressed: bool) -> u32 {
        let rows = if is_compressed { self.stored_size[1].div_ceil(4) } else { self.stored_size[1] };
        self.pitch_bytes.wrapping_mul(rows)
    }
}

impl TextureState {
    /// The last mip level.
    #[must_use]
    pub fn last_level(&self) -> u32 {
        self.levels.clamp(1, MAX_LEVELS) - 1
    }

    /// Border texels on each side, per axis.
    ///
    /// Unverified: one in linear order, four (of which the inner one is used) otherwise, so that blocks stay whole.
    #[must_use]
    pub const fn border_texels(&self) -> [u32; 3] {
        if !self.has_border_texels {
            return [0; 3];
        }
        let texels = if self.is_linear && !self.format.is_compressed() { 1 } else { 4 };
        match self.dimensions {
            Dimensions::One => [texels, 0, 0],
            Dimensions::Two | Dimensions::Cube => [texels, texels, 0],
            Dimensions::Three => [texels; 3],
        }
    }

    /// Whether levels are stored with each side filled up to a power of two.
    ///
    /// Unverified: swizzled order of other sizes, which no document forbids.
    #[must_use]
    pub fn is_padded(&self) -> bool {
        let is_odd = !self.format.is_compressed() && self.size.iter().any(|texels| !texels.is_power_of_two());
        !self.is_linear && (self.has_border_texels || is_odd)
    }

    /// Whether four slices at a time are stored block by block (`NV_texture_compression_vtc`).
    ///
    /// Unverified: only volumes whose stored sides are powers of two.
    #[must_use]
    pub fn has_bricks(&self) -> bool {
        let is_power = || self.stored_size(self.size).iter().all(|texels| texels.is_power_of_two());
        let is_volume = self.dimensions == Dimensions::Three;
        is_volume && !self.is_linear && matches!(self.format.storage(), TexelStorage::Block(_)) && is_power()
    }

    fn stored_size(&self, size: [u32; 3]) -> [u32; 3] {
        let border = self.border_texels();
        std::array::from_fn(|axis| {
            let texels = size[axis].wrapping_add(2 * border[axis]);
            if self.is_padded() { texels.checked_next_power_of_two().unwrap_or(texels) } else { texels }
        })
    }

    /// All mip levels, and the bytes from one cube face to the next.
    ///
    /// Linear levels keep the base level's pitch and follow each other; swizzled and compressed levels are tight.
    #[must_use]
    pub fn level_layout(&self) -> (Vec<MipLevel>, u32) {
        let is_compressed = self.format.is_compressed();
        let mut offset = 0u32;
        let mut levels = Vec::new();
        for index in 0..=self.last_level() {
            let size = self.size.map(|texels| (texels >> index).max(1));
            let stored_size = self.stored_size(size);
            let pitch_bytes = match (self.is_linear, is_compressed) {
                (true, _) => self.pitch_bytes,
                (false, true) => stored_size[0].div_ceil(4).wrapping_mul(self.format.bytes()),
                (false, false) => stored_size[0].wrapping_mul(self.format.bytes()),
            };
            let level = MipLevel { offset, size, stored_size, pitch_bytes };
            offset = offset.wrapping_add(level.slice_bytes(is_compressed).wrapping_mul(stored_size[2]));
            levels.push(level);
        }
        let face_bytes = if self.is_linear { offset } else { offset.wrapping_add(127) & !127 };
        (levels, face_bytes)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::format::TextureFormat;

    /// A swizzled two-dimensional texture with nearest filters and identity remap.
    pub(crate) fn plain_texture(format: TextureFormat, width: u32, height: u32, levels: u32) -> TextureState {
        TextureState { levels, max_lod: 0xfff, ..TextureState::plain(format, Dimensions::Two, [width, height, 1]) }
    }

    #[test]
    fn swizzled_levels_are_tight() {
        let (levels, face) = plain_texture(TextureFormat::A8R8G8B8, 8, 2, 4).level_layout();
        let offsets: Vec<_> = levels.iter().map(|level| level.offset).collect();
        assert_eq!(offsets, [0, 64, 80, 88]);
        assert_eq!(levels[3].size, [1, 1, 1]);
        assert_eq!(face, 128);
    }

    #[test]
    fn linear_levels_keep_the_pitch() {
        // 17×10 halves to 8×5, 4×2, 2×1, 1×1; all rows are 128 bytes apart.
        let mut texture = plain_texture(TextureFormat::A8R8G8B8, 17, 10, 5);
        (texture.is_linear, texture.pitch_bytes) = (true, 128);
        let (levels, face) = texture.level_layout();
        let offsets: Vec<_> = levels.iter().map(|level| level.offset / 128).collect();
        assert_eq!(offsets, [0, 10, 15, 17, 18]);
        assert_eq!((levels[1].size, face / 128), ([8, 5, 1], 19));
    }

    #[test]
    fn compressed_levels_count_blocks() {
        let (levels, _) = plain_texture(TextureFormat::Dxt1, 16, 8, 3).level_layout();
        let geometry: Vec<_> = levels.iter().map(|level| (level.offset, level.pitch_bytes)).collect();
        assert_eq!(geometry, [(0, 32), (64, 16), (80, 8)]);
    }

    #[test]
    fn borders_surround_every_level() {
        // Swizzled: next power of two of size + 8, in both directions; linear: one texel on each side.
        let mut texture = plain_texture(TextureFormat::A8R8G8B8, 16, 4, 2);
        texture.has_border_texels = true;
        let (levels, _) = texture.level_layout();
        assert_eq!(levels.iter().map(|level| level.stored_size).collect::<Vec<_>>(), [[32, 16, 1], [16, 16, 1]]);
        assert_eq!(levels[1].offset, 32 * 16 * 4);
        (texture.is_linear, texture.pitch_bytes) = (true, 128);
        let (levels, _) = texture.level_layout();
        assert_eq!((levels[0].stored_size, levels[1].offset), ([18, 6, 1], 6 * 128));
        texture.dimensions = Dimensions::One;
        assert_eq!(texture.border_texels(), [1, 0, 0]);
        texture.format = TextureFormat::Dxt1;
        assert_eq!(texture.border_texels(), [4, 0, 0]);
    }

    #[test]
    fn other_sizes_fill_up_to_powers_of_two_when_swizzled() {
        let (levels, _) = plain_texture(TextureFormat::B8, 20, 3, 2).level_layout();
        assert_eq!((levels[0].stored_size, levels[1].offset, levels[1].stored_size), ([32, 4, 1], 128, [16, 1, 1]));
    }

    #[test]
    fn compressed_volumes_are_bricks_where_sides_are_powers_of_two() {
        let mut texture = plain_texture(TextureFormat::Dxt1, 8, 8, 1);
        (texture.dimensions, texture.size[2]) = (Dimensions::Three, 8);
        assert!(texture.has_bricks());
        assert!(!TextureState { size: [8, 8, 6], ..texture.clone() }.has_bricks());
        assert!(!TextureState { is_linear: true, ..texture }.has_bricks());
    }
}
