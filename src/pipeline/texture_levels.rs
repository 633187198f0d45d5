//! Computes the geometry of a texture's mip levels in memory.
#![expect(clippy::cast_possible_truncation, reason = "offsets are taken modulo 2³²; a logarithm of a word fits a byte")]

use std::ops::RangeInclusive;

use super::{Dimensions, MipFilter, SurfaceLayout, TextureLayout, TextureState, TextureView};
use crate::format::TexelStorage;
use crate::memory::MemoryWindow;
use crate::memory::block_linear::BlockLinear;

/// Limit of mip levels in a texture.
pub const MAX_LEVELS: u32 = 13;

/// One mip level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MipLevel {
    /// Bytes from the start of the texture (of the face, for cubes) to the level.
    pub offset: u32,
    /// Width, height, depth in texels, without border texels.
    pub size: [u32; 3],
    /// Width, height, depth as stored: with border texels, and padded to powers of two if the order requires it.
    pub stored_size: [u32; 3],
    /// The order of its elements.
    pub layout: SurfaceLayout,
    /// Bytes from one slice to the next, if it is linear.
    slice_bytes: u32,
    /// Bytes from its start to that of the next level.
    pub bytes: u64,
}

impl TextureView {
    /// The last mip level.
    #[must_use]
    pub fn last_level(&self) -> u32 {
        self.levels.clamp(1, MAX_LEVELS) - 1
    }

    /// Border texels on each side, per axis.
    ///
    /// Unverified: one in linear order, otherwise four (only the inner one is used), so that blocks stay whole.
    #[must_use]
    pub const fn border_texels(&self) -> [u32; 3] {
        if !self.has_border_texels {
            return [0; 3];
        }
        let texels = match self.layout {
            TextureLayout::Linear { .. } if !self.format.is_compressed() => 1,
            _ => 4,
        };
        match self.dimensions {
            Dimensions::One => [texels, 0, 0],
            Dimensions::Two | Dimensions::Cube => [texels, texels, 0],
            Dimensions::Three => [texels; 3],
        }
    }

    /// Whether levels are stored with each side padded to a power of two.
    ///
    /// Unverified: swizzled order of other sizes, which no document forbids.
    #[must_use]
    pub fn is_padded(&self) -> bool {
        let is_odd = !self.format.is_compressed() && self.size.iter().any(|texels| !texels.is_power_of_two());
        self.layout == TextureLayout::Swizzled && (self.has_border_texels || is_odd)
    }

    /// Whether slices are stored in groups of four, block by block (`NV_texture_compression_vtc`).
    ///
    /// Unverified: only volumes whose stored sides are powers of two.
    #[must_use]
    pub fn has_bricks(&self) -> bool {
        let is_power = || self.stored_size(self.size).iter().all(|texels| texels.is_power_of_two());
        let is_morton_volume = self.dimensions == Dimensions::Three && self.layout == TextureLayout::Swizzled;
        is_morton_volume && matches!(self.format.storage(), TexelStorage::Block(_)) && is_power()
    }

    fn stored_size(&self, size: [u32; 3]) -> [u32; 3] {
        let border = self.border_texels();
        std::array::from_fn(|axis| {
            let texels = size[axis].wrapping_add(2 * border[axis]);
            if self.is_padded() { texels.checked_next_power_of_two().unwrap_or(texels) } else { texels }
        })
    }

    /// The columns and rows of elements in a slice; an element holds one texel or several.
    const fn elements(&self, [width, height, _]: [u32; 3]) -> [u32; 2] {
        match (self.format.storage(), self.layout) {
            (TexelStorage::Block(_), _) => [width.div_ceil(4), height.div_ceil(4)],
            (TexelStorage::Pair(_), TextureLayout::Linear { .. }) => [width.div_ceil(2), height],
            _ => [width, height],
        }
    }

    /// All mip levels, and the bytes from one cube face or layer to the next.
    ///
    /// Linear levels use the base level's pitch and are consecutive; all others are tightly packed. A face or layer of blocks begins
    /// with a whole block of the base level (Mesa `nv50_miptree.c`, `layer_stride`).
    #[must_use]
    pub fn level_layout(&self) -> (Vec<MipLevel>, u32) {
        let element_bytes = self.format.element_bytes();
        let mut offset = 0u32;
        let mut levels = Vec::new();
        for index in 0..=self.last_level() {
            let size = self.size.map(|texels| (texels >> index).max(1));
            let stored_size = self.stored_size(size);
            let [columns, rows] = self.elements(stored_size);
            let row_bytes = columns.wrapping_mul(element_bytes);
            let layout = match self.layout {
                TextureLayout::Linear { pitch_bytes } => SurfaceLayout::Linear { pitch_bytes },
                TextureLayout::Swizzled if self.format.is_compressed() => {
                    SurfaceLayout::Linear { pitch_bytes: row_bytes }
                }
                TextureLayout::Swizzled => SurfaceLayout::Swizzled { log2_size: stored_size.map(log2) },
                TextureLayout::BlockLinear { log2_block: [height, depth] } => {
                    let blocks =
                        BlockLinear { size: [row_bytes, rows, stored_size[2]], log2_block: [0, height, depth] };
                    SurfaceLayout::BlockLinear { blocks: blocks.fitted(), slice: 0 }
                }
            };
            let rows_of_all_slices = u64::from(rows) * u64::from(stored_size[2]);
            let (slice_bytes, bytes) = match layout {
                SurfaceLayout::Linear { pitch_bytes } => {
                    (pitch_bytes.wrapping_mul(rows), u64::from(pitch_bytes).saturating_mul(rows_of_all_slices))
                }
                SurfaceLayout::Swizzled { .. } => (0, u64::from(row_bytes).saturating_mul(rows_of_all_slices)),
                SurfaceLayout::BlockLinear { blocks, .. } => (0, blocks.bytes()),
            };
            levels.push(MipLevel { offset, size, stored_size, layout, slice_bytes, bytes });
            offset = offset.wrapping_add(bytes as u32);
        }
        let alignment = self.face_alignment(&levels[0]);
        let packed = offset.wrapping_add(alignment - 1) & !(alignment - 1);
        (levels, self.face_bytes.unwrap_or(packed))
    }

    /// The alignment of faces in bytes, a power of two.
    fn face_alignment(&self, base: &MipLevel) -> u32 {
        match (self.layout, base.layout) {
            (TextureLayout::Linear { .. }, _) => 1,
            (_, SurfaceLayout::BlockLinear { blocks, .. }) => blocks.block_bytes(),
            _ => 128,
        }
    }

    /// Bytes from the start of a level to the element that holds a stored texel, modulo 2³².
    // Unverified: elements of more than 4 bytes are swizzled as a whole.
    #[must_use]
    pub fn element_offset(&self, level: &MipLevel, [x, y, z]: [u32; 3]) -> u32 {
        let element_bytes = self.format.element_bytes();
        let [column, row] = match (self.format.storage(), self.layout) {
            (TexelStorage::Block(_), _) => [x / 4, y / 4],
            (TexelStorage::Pair(_), TextureLayout::Linear { .. }) => [x / 2, y],
            _ => [x, y],
        };
        let SurfaceLayout::Linear { .. } = level.layout else {
            return level.layout.element_offset([column, row, z], element_bytes);
        };
        let in_slice = level.layout.element_offset([column, row, 0], element_bytes);
        if !self.has_bricks() {
            return level.slice_bytes.wrapping_mul(z).wrapping_add(in_slice);
        }
        // The last brick is only as thick as the remaining slices.
        let first = z & !3;
        let thickness = (level.stored_size[2] - first).min(4);
        let brick = in_slice.wrapping_mul(thickness).wrapping_add((z & 3) * element_bytes);
        level.slice_bytes.wrapping_mul(first).wrapping_add(brick)
    }

    /// Bytes from the start of the texture to the end of all its texels; of several faces that are not in blocks, more by the gaps
    /// between them at most.
    #[must_use]
    pub fn reached_bytes(&self) -> u64 {
        let (levels, _) = self.level_layout();
        let most = self.level_ends(&levels).into_iter().max().unwrap_or(0);
        let alignment = u64::from(self.face_alignment(&levels[0]));
        let face = match (self.face_bytes, self.layout) {
            (Some(bytes), _) => bytes.into(),
            // Blocks end with their level.
            (None, TextureLayout::BlockLinear { .. }) => most.next_multiple_of(alignment),
            (None, _) => most.saturating_add(alignment - 1),
        };
        face.saturating_mul(self.faces().saturating_sub(1).into()).saturating_add(most)
    }

    /// The images: the faces of cube maps, or the layers of an array.
    #[must_use]
    pub fn faces(&self) -> u32 {
        let faces = if self.dimensions == Dimensions::Cube { 6 } else { 1 };
        self.layers.unwrap_or(1).saturating_mul(faces)
    }

    /// Bytes from the start of the texture (of the face, for cubes) to the end of each level's last element. Rows may be
    /// longer than the pitch.
    fn level_ends(&self, levels: &[MipLevel]) -> Vec<u64> {
        let mut start = 0;
        let end = |level: &MipLevel| {
            start = u64::saturating_add(start, level.bytes);
            let SurfaceLayout::Linear { pitch_bytes } = level.layout else { return start };
            let row_bytes = u64::from(self.elements(level.stored_size)[0]) * u64::from(self.format.element_bytes());
            start.saturating_add(row_bytes).saturating_sub(pitch_bytes.into())
        };
        levels.iter().map(end).collect()
    }
}

impl TextureState {
    /// The mip levels that a fetch may read, for any level of detail.
    #[must_use]
    pub fn sampled_levels(&self) -> RangeInclusive<u32> {
        let last = self.view.last_level();
        let most = self.sampler.max_lod.min(1 << 20);
        let least = self.sampler.min_lod.min(most);
        // An anisotropic footprint uses the more detailed of two levels; a level of weight 0 does not count.
        match self.sampler.mip_filter {
            MipFilter::None => 0..=0,
            MipFilter::Nearest => (least >> 8).min(last)..=((most + 127) >> 8).min(last),
            MipFilter::Linear => (least >> 8).min(last)..=((most + 255) >> 8).min(last),
        }
    }

    /// The memory that fetches may read: the sampled levels of each face or layer; all levels if texels are read by their numbers.
    #[must_use]
    pub fn fetched_windows(&self, reads_texels: bool) -> Vec<MemoryWindow> {
        let (levels, face_bytes) = self.view.level_layout();
        let ends = self.view.level_ends(&levels);
        if self.view.reached_bytes() > u32::MAX.into() {
            // Offsets wrap around, so texels may lie anywhere.
            return vec![self.view.window];
        }
        let fetched = if reads_texels { 0..=self.view.last_level() } else { self.sampled_levels() };
        let (first, last) = (*fetched.start() as usize, *fetched.end() as usize);
        let end = ends[first..=last].iter().max().map_or(0, |end| u32::try_from(*end).unwrap_or(u32::MAX));
        let of_face = |face: u32| {
            let start = face * face_bytes;
            self.view.window.truncated(start + end).from_offset(start + levels[first].offset)
        };
        (0..self.view.faces()).map(of_face).collect()
    }
}

/// The logarithm of a side that is a power of two.
fn log2(side: u32) -> u8 {
    side.checked_ilog2().unwrap_or(0) as u8
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::format::TextureFormat;
    use crate::pipeline::Sampler;

    /// A swizzled two-dimensional texture with nearest filters and identity remap.
    pub(crate) fn plain_texture(format: TextureFormat, width: u32, height: u32, levels: u32) -> TextureState {
        let plain = TextureState::plain(format, Dimensions::Two, [width, height, 1]);
        TextureState {
            view: TextureView { levels, ..plain.view },
            sampler: Sampler { max_lod: 0xfff, ..plain.sampler },
        }
    }

    #[test]
    fn swizzled_levels_are_tight() {
        let (levels, face) = plain_texture(TextureFormat::A8R8G8B8, 8, 2, 4).view.level_layout();
        let offsets: Vec<_> = levels.iter().map(|level| level.offset).collect();
        assert_eq!(offsets, [0, 64, 80, 88]);
        assert_eq!(levels[3].size, [1, 1, 1]);
        assert_eq!(face, 128);
    }

    #[test]
    fn linear_levels_keep_the_pitch() {
        // 17×10 halves to 8×5, 4×2, 2×1, 1×1; all rows are 128 bytes apart.
        let mut texture = plain_texture(TextureFormat::A8R8G8B8, 17, 10, 5);
        texture.view.layout = TextureLayout::Linear { pitch_bytes: 128 };
        let (levels, face) = texture.view.level_layout();
        let offsets: Vec<_> = levels.iter().map(|level| level.offset / 128).collect();
        assert_eq!(offsets, [0, 10, 15, 17, 18]);
        assert_eq!((levels[1].size, face / 128), ([8, 5, 1], 19));
    }

    #[test]
    fn compressed_levels_count_blocks() {
        let (levels, _) = plain_texture(TextureFormat::Dxt1, 16, 8, 3).view.level_layout();
        let geometry: Vec<_> = levels.iter().map(|level| (level.offset, level.layout)).collect();
        let expected = [(0, 32), (64, 16), (80, 8)];
        assert_eq!(geometry, expected.map(|(offset, pitch_bytes)| (offset, SurfaceLayout::Linear { pitch_bytes })));
    }

    #[test]
    fn borders_surround_every_level() {
        // Swizzled: next power of two of size + 8, in both directions; linear: one texel on each side.
        let mut texture = plain_texture(TextureFormat::A8R8G8B8, 16, 4, 2);
        texture.view.has_border_texels = true;
        let (levels, _) = texture.view.level_layout();
        assert_eq!(levels.iter().map(|level| level.stored_size).collect::<Vec<_>>(), [[32, 16, 1], [16, 16, 1]]);
        assert_eq!(levels[1].offset, 32 * 16 * 4);
        texture.view.layout = TextureLayout::Linear { pitch_bytes: 128 };
        let (levels, _) = texture.view.level_layout();
        assert_eq!((levels[0].stored_size, levels[1].offset), ([18, 6, 1], 6 * 128));
        texture.view.dimensions = Dimensions::One;
        assert_eq!(texture.view.border_texels(), [1, 0, 0]);
        texture.view.format = TextureFormat::Dxt1;
        assert_eq!(texture.view.border_texels(), [4, 0, 0]);
    }

    #[test]
    fn other_sizes_fill_up_to_powers_of_two_when_swizzled() {
        let (levels, _) = plain_texture(TextureFormat::B8, 20, 3, 2).view.level_layout();
        assert_eq!((levels[0].stored_size, levels[1].offset, levels[1].stored_size), ([32, 4, 1], 128, [16, 1, 1]));
    }

    #[test]
    fn levels_of_blocks_follow_each_other_in_blocks_that_fit() {
        // 100 × 60 texels of 4 bytes in blocks of 64 bytes and 16 rows: 7 × 4 of them. Level 1 has rows of 200 bytes, thus
        // 4 × 2 blocks; level 2 has 15 rows of 100 bytes, thus 2 × 1, and level 3 has 7 rows, for which blocks of 8 suffice.
        let mut texture = plain_texture(TextureFormat::A8R8G8B8, 100, 60, 5);
        texture.view.layout = TextureLayout::BlockLinear { log2_block: [2, 0] };
        let (levels, face) = texture.view.level_layout();
        let offsets: Vec<_> = levels.iter().map(|level| level.offset / 1024).collect();
        assert_eq!(offsets, [0, 28, 36, 38, 38]);
        assert_eq!(levels[4].offset, 38 * 1024 + 512);
        // Level 4 is a gob. Another face would begin with a block of level 0.
        assert_eq!((face, texture.view.reached_bytes()), (39 * 1024, 38 * 1024 + 768));
        // Texel (17, 5) of level 1 is in the second block of a row, row 5 of it: gob 1, its second row.
        assert_eq!(texture.view.element_offset(&levels[1], [17, 5, 0]), 1024 + 256 + 64 + 4);
        // Blocks of 4 × 4 texels are elements: 25 × 15 of 8 bytes, in rows of 200 bytes.
        texture.view.format = TextureFormat::Dxt1;
        let (levels, _) = texture.view.level_layout();
        assert_eq!(
            (levels[1].offset, texture.view.element_offset(&levels[0], [36, 20, 0])),
            (4 * 1024, 1024 + 256 + 64 + 8)
        );
    }

    #[test]
    fn slices_of_blocks_lie_in_blocks() {
        // 8 × 4 texels of 4 bytes and 6 slices: a gob each, in blocks of four slices.
        let mut texture = plain_texture(TextureFormat::A8R8G8B8, 8, 4, 1);
        (texture.view.dimensions, texture.view.size[2]) = (Dimensions::Three, 6);
        texture.view.layout = TextureLayout::BlockLinear { log2_block: [0, 2] };
        let (levels, _) = texture.view.level_layout();
        let offsets = [0, 1, 3, 4, 5].map(|z| texture.view.element_offset(&levels[0], [2, 3, z]));
        assert_eq!(offsets, [0, 256, 768, 1024, 1280].map(|slice| slice + 3 * 64 + 8));
        assert_eq!(texture.view.reached_bytes(), 2 * 1024);
    }

    #[test]
    fn compressed_volumes_are_bricks_where_sides_are_powers_of_two() {
        let mut texture = plain_texture(TextureFormat::Dxt1, 8, 8, 1);
        (texture.view.dimensions, texture.view.size[2]) = (Dimensions::Three, 8);
        assert!(texture.view.has_bricks());
        assert!(
            !TextureState { view: TextureView { size: [8, 8, 6], ..texture.view }, ..texture.clone() }
                .view
                .has_bricks()
        );
        let layout = TextureLayout::Linear { pitch_bytes: 16 };
        assert!(!TextureState { view: TextureView { layout, ..texture.view }, ..texture }.view.has_bricks());
    }

    #[test]
    fn levels_between_the_limits_are_sampled() {
        let mut texture = plain_texture(TextureFormat::A8R8G8B8, 64, 64, 7);
        let sampled = |texture: &TextureState, min_lod, max_lod| {
            let texture = TextureState { sampler: Sampler { min_lod, max_lod, ..texture.sampler }, ..texture.clone() };
            texture.sampled_levels().into_inner()
        };
        assert_eq!(sampled(&texture, 0x200, 0x400), (0, 0));
        texture.sampler.mip_filter = MipFilter::Nearest;
        assert_eq!(sampled(&texture, 0x200, 0x400), (2, 4));
        // Half a level and less belongs to the lower-numbered level; a footprint uses the more detailed of two.
        assert_eq!([sampled(&texture, 0x280, 0x280), sampled(&texture, 0x281, 0x281)], [(2, 2), (2, 3)]);
        texture.sampler.mip_filter = MipFilter::Linear;
        assert_eq!([sampled(&texture, 0x200, 0x200), sampled(&texture, 0x200, 0x201)], [(2, 2), (2, 3)]);
        assert_eq!([sampled(&texture, 0, 0xfff), sampled(&texture, 0x400, 0x200)], [(0, 6), (2, 2)]);
        assert_eq!(sampled(&texture, u32::MAX, u32::MAX), (6, 6));
    }

    #[test]
    fn sampled_memory_is_that_of_the_levels() {
        let window = MemoryWindow { space: crate::memory::MemorySpace::Vram, start: 0x1000, bytes: 0x10_0000 };
        let ranges = |texture: &TextureState| {
            let windows = texture.fetched_windows(false);
            windows.iter().map(|window| (window.start - 0x1000, window.bytes)).collect::<Vec<_>>()
        };
        let mut texture = plain_texture(TextureFormat::A8R8G8B8, 8, 8, 4);
        (texture.view.window, texture.sampler.mip_filter, texture.sampler.min_lod, texture.sampler.max_lod) =
            (window, MipFilter::Nearest, 0x100, 0x200);
        // Levels of 256, 64, 16 and 4 bytes; faces begin at multiples of 128.
        assert_eq!(ranges(&texture), [(256, 80)]);
        let all = texture.fetched_windows(true);
        assert_eq!(all.iter().map(|window| (window.start - 0x1000, window.bytes)).collect::<Vec<_>>(), [(0, 340)]);
        texture.view.dimensions = Dimensions::Cube;
        assert_eq!(ranges(&texture), [0, 384, 768, 1152, 1536, 1920].map(|face| (face + 256, 80)));
        // Rows of 32 bytes 8 bytes apart: the last one of level 0 reaches beyond the start of level 1.
        let layout = TextureLayout::Linear { pitch_bytes: 8 };
        let mut texture =
            TextureState { view: TextureView { dimensions: Dimensions::Two, layout, ..texture.view }, ..texture };
        (texture.sampler.min_lod, texture.sampler.max_lod) = (0, 0);
        assert_eq!(ranges(&texture), [(0, 7 * 8 + 32)]);
        texture.sampler.max_lod = 0x300;
        assert_eq!(ranges(&texture), [(0, 14 * 8 + 4)]);
        // 8 rows of 2³⁰ bytes: the offset of level 1 wraps around.
        texture.view.layout = TextureLayout::Linear { pitch_bytes: 1 << 30 };
        assert_eq!(ranges(&texture), [(0, 0x10_0000)]);
    }
}
