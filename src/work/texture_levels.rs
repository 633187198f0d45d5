//! Geometry of a texture's mip levels, and what of a texture unit's state is not executed yet.

use super::{Dimensions, Filter, TextureState};
use crate::format::texel::Field;
use crate::format::{TexelStorage, TextureFormat};

/// Most mip levels that a texture has.
pub const MAX_LEVELS: u32 = 13;

/// One mip level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MipLevel {
    /// Bytes from the start of the texture (of the face, for cubes) to the level.
    pub offset: u32,
    /// Width, height, depth in texels.
    pub size: [u32; 3],
    /// Bytes from one row of texels or blocks to the next, where rows exist.
    pub pitch_bytes: u32,
}

impl MipLevel {
    /// Bytes from one slice to the next, where slices follow each other.
    #[must_use]
    pub const fn slice_bytes(&self, is_compressed: bool) -> u32 {
        let rows = if is_compressed { self.size[1].div_ceil(4) } else { self.size[1] };
        self.pitch_bytes.wrapping_mul(rows)
    }
}

impl TextureState {
    /// The last mip level.
    #[must_use]
    pub fn last_level(&self) -> u32 {
        self.levels.clamp(1, MAX_LEVELS) - 1
    }

    /// The bias of the level of detail in 1/256, small enough that sums cannot overflow.
    #[must_use]
    pub fn limited_lod_bias(&self) -> i32 {
        self.lod_bias.clamp(-(1 << 20), 1 << 20)
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
            let pitch_bytes = match (self.is_linear, is_compressed) {
                (true, _) => self.pitch_bytes,
                (false, true) => size[0].div_ceil(4).wrapping_mul(self.format.bytes()),
                (false, false) => size[0].wrapping_mul(self.format.bytes()),
            };
            let level = MipLevel { offset, size, pitch_bytes };
            offset = offset.wrapping_add(level.slice_bytes(is_compressed).wrapping_mul(size[2]));
            levels.push(level);
        }
        let face_bytes = if self.is_linear { offset } else { offset.wrapping_add(127) & !127 };
        (levels, face_bytes)
    }

    /// Whether texels are compared with the coordinate's third component.
    ///
    /// Unverified: depth formats always compare, because the open driver re-declares them to read their values.
    #[must_use]
    pub fn compares_depth(&self) -> bool {
        matches!(self.format.storage(), TexelStorage::Depth { .. } | TexelStorage::FloatDepth)
    }

    /// Whether texels are filtered as 16-bit fractions rather than as floats.
    #[must_use]
    pub fn filters_integers(&self) -> bool {
        match self.format.storage() {
            TexelStorage::Depth { .. } | TexelStorage::FloatDepth => true,
            TexelStorage::Fields(_) | TexelStorage::Block(_) | TexelStorage::Pair(_) => {
                self.signed & 15 == 0 && !self.expand_normal
            }
            TexelStorage::SignedFields(_) | TexelStorage::Half(_) | TexelStorage::Float(_) => false,
        }
    }

    /// Whether minified pixels are averaged over an ellipse.
    ///
    /// Unverified: volumes and cube maps never are.
    #[must_use]
    pub fn is_anisotropic(&self) -> bool {
        let is_flat = matches!(self.dimensions, Dimensions::One | Dimensions::Two);
        is_flat && self.max_anisotropy > 1 && self.filters_linearly().0
    }

    /// The base-2 logarithm of the largest anisotropy, in 1/256.
    #[must_use]
    pub fn anisotropy_limit(&self) -> i32 {
        /// Those of 1..=16, to the nearest.
        const LOGARITHMS: [i32; 16] = [0, 256, 406, 512, 594, 662, 719, 768, 812, 850, 886, 918, 947, 975, 1000, 1024];
        LOGARITHMS[usize::from(self.max_anisotropy.clamp(1, 16)) - 1]
    }

    /// Whether gamma is removed: only from formats of fractions of at most 8 bits.
    #[must_use]
    pub fn removes_gamma(&self) -> bool {
        let has_bytes = match self.format.storage() {
            TexelStorage::Fields(fields) => {
                fields.iter().all(|field| !matches!(field, Field::Bits { width, .. } if *width > 8))
            }
            TexelStorage::Block(_) | TexelStorage::Pair(_) => true,
            TexelStorage::SignedFields(_)
            | TexelStorage::Depth { .. }
            | TexelStorage::FloatDepth
            | TexelStorage::Half(_)
            | TexelStorage::Float(_) => false,
        };
        has_bytes && self.gamma & 15 != 0
    }

    /// Minification and magnification: whether texels are weighted. Single floats are never filtered.
    #[must_use]
    pub fn filters_linearly(&self) -> (bool, bool) {
        let can_filter = !matches!(self.format.storage(), TexelStorage::Float(_));
        (can_filter && self.min_filter != Filter::Nearest, can_filter && self.mag_filter != Filter::Nearest)
    }

    /// Says what of this state is decoded but not executed; `None` when everything is.
    #[must_use]
    pub fn unsupported(&self) -> Option<String> {
        let refuse = |what: &str| Some(format!("a {} texture with {what}", self.format.name()));
        let bytes = self.format.bytes();
        let is_compressed = self.format.is_compressed();
        let is_volume = self.dimensions == Dimensions::Three;
        let limit = if is_volume { 512 } else { 4096 };
        if self.size.iter().any(|&texels| texels == 0 || texels > limit) {
            return refuse(&format!("a size of {}×{}×{}", self.size[0], self.size[1], self.size[2]));
        }
        if self.levels == 0 || self.levels > MAX_LEVELS {
            return refuse(&format!("{} levels", self.levels));
        }
        if !is_volume && self.size[2] != 1 {
            return refuse("slices, but not three dimensions");
        }
        if self.has_border_texels {
            return refuse("border texels");
        }
        if self.alpha_kill {
            return refuse("alpha kill");
        }
        if [self.min_filter, self.mag_filter].iter().any(|filter| matches!(filter, Filter::Convolution(_))) {
            return refuse("a convolution filter");
        }
        if self.format.storage() == TexelStorage::FloatDepth {
            return refuse("comparison of floating-point depth");
        }
        if self.compares_depth() && !matches!(self.dimensions, Dimensions::One | Dimensions::Two) {
            return refuse("depth comparison in three dimensions");
        }
        if self.is_unnormalized && (self.levels != 1 || self.dimensions == Dimensions::Cube) {
            return refuse("unnormalised coordinates and mip levels or faces");
        }
        if !self.is_linear && !is_compressed {
            if self.size.iter().any(|texels| !texels.is_power_of_two()) {
                return refuse("swizzled order and a size that is no power of two");
            }
            if bytes > 4 || matches!(self.format.storage(), TexelStorage::Pair(_)) {
                return refuse("swizzled order");
            }
        }
        if !self.is_linear && is_compressed && is_volume {
            return refuse("bricks of slices");
        }
        if self.removes_gamma() && (self.signed & 15 != 0 || self.expand_normal) {
            return refuse("gamma and signed channels at once");
        }
        None
    }

    /// The remap in effect: for red, green, blue, alpha the natural channel that it takes (0 red … 3 alpha), or a
    /// constant 0 or 1.
    #[must_use]
    pub fn remapped_channels(&self) -> [RemappedChannel; 4] {
        let is_float = matches!(self.format.storage(), TexelStorage::Half(_) | TexelStorage::Float(_));
        let is_pair = matches!(
            self.format,
            TextureFormat::X16 | TextureFormat::Y16X16 | TextureFormat::HiLo8 | TextureFormat::HiLoS8
        );
        // Two-channel formats swap halves instead of channels (nv40-textures-formats §6).
        let sources = match (self.remap & 0xff, (self.remap >> 16) & 1) {
            _ if is_float => 0xe4,
            (0xe4, 0) if is_pair => 0x66,
            (0x4e, 0) if is_pair => 0x99,
            (0xe4, _) if is_pair => 0x56,
            (0x4e, _) if is_pair => 0xa9,
            (sources, _) => sources,
        };
        // Fields hold alpha, red, green, blue from the low end, and count the sources in that order.
        [1, 2, 3, 0].map(|field| match (self.remap >> (8 + 2 * field)) & 3 {
            0 => RemappedChannel::Zero,
            1 => RemappedChannel::One,
            _ => RemappedChannel::Source([3, 0, 1, 2][(sources as usize >> (2 * field)) & 3]),
        })
    }
}

/// What a channel of the sampled value is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RemappedChannel {
    /// The constant 0.
    Zero,
    /// The constant 1.
    One,
    /// A natural channel: 0 red, 1 green, 2 blue, 3 alpha.
    Source(u8),
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::{MipFilter, Wrap};
    use super::*;
    use crate::memory::MemoryWindow;

    /// A swizzled two-dimensional texture with nearest filters and identity remap.
    pub(crate) fn plain_texture(format: TextureFormat, width: u32, height: u32, levels: u32) -> TextureState {
        TextureState {
            window: MemoryWindow::EMPTY,
            format,
            dimensions: Dimensions::Two,
            is_linear: false,
            is_unnormalized: false,
            has_border_texels: false,
            size: [width, height, 1],
            pitch_bytes: 0,
            levels,
            wrap: [Wrap::Repeat; 3],
            min_filter: Filter::Nearest,
            mip_filter: MipFilter::None,
            mag_filter: Filter::Nearest,
            lod_bias: 0,
            min_lod: 0,
            max_lod: 0xfff,
            max_anisotropy: 1,
            border_color: 0,
            remap: 0xaae4,
            shadow_compare: 0,
            signed: 0,
            gamma: 0,
            expand_normal: false,
            alpha_kill: false,
        }
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
    fn remap_selects_and_replaces() {
        use RemappedChannel::{One, Source, Zero};
        let mut texture = plain_texture(TextureFormat::A8R8G8B8, 1, 1, 1);
        assert_eq!(texture.remapped_channels(), [Source(0), Source(1), Source(2), Source(3)]);
        // Red and blue exchanged, alpha one: sources A0 R3 G2 B1, controls A1 R2 G2 B2.
        texture.remap = 0b10_10_10_01 << 8 | 0b01_10_11_00;
        assert_eq!(texture.remapped_channels(), [Source(2), Source(1), Source(0), One]);
        texture.remap = 0;
        assert_eq!(texture.remapped_channels(), [Zero; 4]);
        texture.format = TextureFormat::Y16X16;
        texture.remap = 0xaa4e;
        assert_eq!(texture.remapped_channels(), [Source(1), Source(0), Source(1), Source(0)]);
        texture.format = TextureFormat::X32F;
        assert_eq!(texture.remapped_channels(), [Source(0), Source(1), Source(2), Source(3)]);
    }

    #[test]
    fn what_is_not_executed_says_so() {
        let texture = plain_texture(TextureFormat::A8R8G8B8, 8, 8, 1);
        assert_eq!(texture.unsupported(), None);
        let broken = TextureState { size: [6, 8, 1], ..texture.clone() };
        assert!(broken.unsupported().unwrap().contains("no power of two"));
        assert!(TextureState { alpha_kill: true, ..texture }.unsupported().is_some());
    }
}
