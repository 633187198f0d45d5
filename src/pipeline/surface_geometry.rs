//! Computes the addresses of surface pixels, and finds the target layouts that are not executed.

#![expect(clippy::cast_possible_truncation, reason = "offsets are taken modulo 2³²")]

use super::{Clear, ColorTarget, LayoutKind, MAX_COLOR_TARGETS, Rect, RopState, SurfaceLayout, Targets, ZetaTarget};
use crate::format::{ColorFormat, ZetaFormat};
use crate::memory::MemoryWindow;
use crate::memory::block_linear::{BlockLinear, GOB_BYTES, MAX_LOG2_BLOCK};
use crate::memory::layout::{linear_offset, swizzled_index, swizzled_offset};

/// The color of the fragment program that is the second source of blending.
pub(crate) const SECOND_SOURCE: usize = 1;

/// Limit of texels along a side of a surface: the chip's coordinates have 12 bits, and a pixel has up to two texels.
const MAX_SIDE: u64 = 8192;

impl SurfaceLayout {
    /// A two-dimensional image in Morton order.
    #[must_use]
    pub const fn swizzled(log2_width: u8, log2_height: u8) -> Self {
        Self::Swizzled { log2_size: [log2_width, log2_height, 0] }
    }

    /// Its kind, without sizes.
    #[must_use]
    pub const fn kind(self) -> LayoutKind {
        match self {
            Self::Linear { .. } => LayoutKind::Linear,
            Self::Swizzled { .. } => LayoutKind::Swizzled,
            Self::BlockLinear { .. } => LayoutKind::BlockLinear,
        }
    }

    /// Byte offset of an element of an image, modulo 2³². Linear images have one slice. Of a swizzled position, bits beyond
    /// the size are ignored.
    #[must_use]
    pub fn element_offset(self, [x, y, z]: [u32; 3], element_bytes: u32) -> u32 {
        match self {
            Self::Linear { pitch_bytes } => linear_offset(x, y, pitch_bytes, element_bytes),
            Self::Swizzled { log2_size } => {
                swizzled_index([x, y, z], log2_size.map(u32::from)).wrapping_mul(element_bytes)
            }
            Self::BlockLinear { blocks, slice } => {
                blocks.offset([x.wrapping_mul(element_bytes), y, slice.wrapping_add(z)]) as u32
            }
        }
    }

    /// Byte offset of a pixel; [`OUTSIDE`](crate::memory::layout::OUTSIDE) beyond the size of a swizzled surface.
    #[must_use]
    pub fn pixel_offset(self, x: u32, y: u32, pixel_bytes: u32) -> u32 {
        match self {
            Self::Swizzled { log2_size: [log2_width, log2_height, _] } => {
                swizzled_offset(x, y, log2_width.into(), log2_height.into(), pixel_bytes)
            }
            Self::Linear { .. } | Self::BlockLinear { .. } => self.element_offset([x, y, 0], pixel_bytes),
        }
    }

    /// Byte offset of a word of a pixel of more than 32 bits, or of a whole smaller pixel.
    ///
    /// Swizzled surfaces store such pixels as neighboring 32-bit pixels in a wider surface, as RPCS3 does, so the
    /// halves of 128 bits need not be adjacent.
    #[must_use]
    pub fn word_offset(self, x: u32, y: u32, pixel_bytes: u32, word: u32) -> u32 {
        match self {
            Self::Swizzled { log2_size: [log2_width, log2_height, _] } if pixel_bytes > 4 => {
                let words = pixel_bytes / 4;
                let log2_words = u32::from(log2_width) + words.trailing_zeros();
                swizzled_offset(x.saturating_mul(words) + word, y, log2_words, log2_height.into(), 4)
            }
            // A gob holds all words of its pixels side by side.
            _ => self.pixel_offset(x, y, pixel_bytes).wrapping_add(4 * word),
        }
    }

    /// Bytes from the start of the surface to the end of the pixels left of `right` and above `bottom`; of blocks, to the
    /// end of those that hold the pixels.
    #[must_use]
    pub fn span_bytes(self, right: u32, bottom: u32, pixel_bytes: u32) -> u64 {
        match self {
            Self::Linear { .. } | Self::BlockLinear { .. } if right == 0 || bottom == 0 => 0,
            Self::Linear { pitch_bytes } => {
                u64::from(bottom - 1) * u64::from(pitch_bytes) + u64::from(right) * u64::from(pixel_bytes)
            }
            Self::Swizzled { log2_size: [log2_width, log2_height, _] } => {
                u64::from(pixel_bytes) << (u32::from(log2_width) + u32::from(log2_height)).min(32)
            }
            Self::BlockLinear { blocks, slice } => block_rows(blocks, slice, 0..bottom).end,
        }
    }

    /// The bytes that hold all pixels of a rectangle, from the first of them to the end of the last, in whole words.
    #[must_use]
    pub fn word_range(self, rect: Rect, pixel_bytes: u32) -> std::ops::Range<u64> {
        let (right, bottom) = (rect.x.saturating_add(rect.width), rect.y.saturating_add(rect.height));
        let [right, bottom] = match self {
            Self::Linear { .. } | Self::BlockLinear { .. } => [right, bottom],
            // Pixels outside are not stored.
            Self::Swizzled { log2_size: [log2_width, log2_height, _] } => {
                [right.min(1 << log2_width.min(16)), bottom.min(1 << log2_height.min(16))]
            }
        };
        if rect.x >= right || rect.y >= bottom {
            return 0..0;
        }
        let [start, end] = match self {
            Self::Linear { pitch_bytes } => [
                u64::from(rect.y) * u64::from(pitch_bytes) + u64::from(rect.x) * u64::from(pixel_bytes),
                self.span_bytes(right, bottom, pixel_bytes),
            ],
            // Both orders increase with either coordinate.
            Self::Swizzled { log2_size: [0..=12, 0..=12, _] } => {
                let last = self.word_offset(right - 1, bottom - 1, pixel_bytes, pixel_bytes.div_ceil(4) - 1);
                [
                    self.word_offset(rect.x, rect.y, pixel_bytes, 0).into(),
                    u64::from(last) + u64::from(pixel_bytes.min(4)),
                ]
            }
            Self::Swizzled { .. } => [0, u64::from(u32::MAX)],
            Self::BlockLinear { blocks, slice } => return block_rows(blocks, slice, rect.y..bottom),
        };
        start / 4 * 4..end.next_multiple_of(4)
    }

    /// Why pixels of `rect` cannot be written independently of each other: rows that overlap or share words, or a size
    /// that no surface has.
    #[must_use]
    pub fn unsupported(self, start: u32, rect: Rect, pixel_bytes: u32, alignment: u32) -> Option<String> {
        let [right, bottom] = [u64::from(rect.x) + u64::from(rect.width), u64::from(rect.y) + u64::from(rect.height)];
        if right > MAX_SIDE || bottom > MAX_SIDE {
            return Some(format!("a surface of {right}×{bottom} pixels"));
        }
        if !start.is_multiple_of(alignment) {
            return Some(format!("a surface at byte {start:#x}"));
        }
        let row_bytes = u64::from(pixel_bytes) * right;
        match self {
            Self::Linear { pitch_bytes } => {
                if bottom > 1 && (!pitch_bytes.is_multiple_of(alignment) || u64::from(pitch_bytes) < row_bytes) {
                    return Some(format!("rows of {row_bytes} bytes at a pitch of {pitch_bytes}"));
                }
                if self.span_bytes(rect.x + rect.width, rect.y + rect.height, pixel_bytes) > u64::from(u32::MAX) {
                    return Some(format!("a surface with a pitch of {pitch_bytes} beyond 4 GiB"));
                }
            }
            Self::Swizzled { log2_size: [log2_width, log2_height, log2_depth] } => {
                if log2_width > 12 || log2_height > 12 || log2_depth > 0 {
                    return Some(format!("a swizzled surface of 2^{log2_width}×2^{log2_height}×2^{log2_depth}"));
                }
            }
            Self::BlockLinear { blocks, slice } => {
                if blocks.log2_block.iter().any(|log2| *log2 > MAX_LOG2_BLOCK) {
                    return Some(format!("blocks of 2^{:?} gobs", blocks.log2_block));
                }
                let [width, height, depth] = blocks.size;
                if row_bytes > width.into() || bottom > height.into() || slice >= depth {
                    return Some(format!(
                        "rows of {row_bytes} bytes, {bottom} of them, of slice {slice} of {width}×{height}×{depth} bytes"
                    ));
                }
                if !start.is_multiple_of(GOB_BYTES) || blocks.bytes() > u64::from(u32::MAX) {
                    return Some(format!("{} bytes of blocks at byte {start:#x}", blocks.bytes()));
                }
            }
        }
        None
    }
}

/// The bytes of the rows of blocks that hold rows of a slice.
fn block_rows(blocks: BlockLinear, slice: u32, rows: std::ops::Range<u32>) -> std::ops::Range<u64> {
    let ([_, height, depth], [across, down, _]) = (blocks.block_size(), blocks.blocks());
    let row_bytes = u64::from(across) * u64::from(blocks.block_bytes());
    let first = u64::from(slice / depth) * u64::from(down);
    let of = |row: u32| (first + u64::from(row)) * row_bytes;
    of(rows.start / height)..of(rows.end.div_ceil(height))
}

impl Targets {
    /// The texels of a rectangle of pixels: those of all samples.
    #[must_use]
    pub fn texels(&self) -> Rect {
        self.rect.texels(self.samples)
    }

    /// A color target that a mask writes: its number and surface.
    pub(crate) fn written_colors(&self, masks: [u8; MAX_COLOR_TARGETS]) -> impl Iterator<Item = (usize, &ColorTarget)> {
        let targets = self.color.iter().zip(masks).enumerate();
        targets.filter_map(|(index, (target, mask))| Some((index, target.as_ref().filter(|_| mask & 15 != 0)?)))
    }
}

impl RopState {
    /// The colors that merging reads from shaded quads, bit i for color i: those of bound targets, color 0 if its alpha is
    /// tested or determines coverage, and the second source if blending reads it.
    #[must_use]
    pub fn shaded_colors(&self, targets: &Targets) -> u8 {
        let bound = targets.color.iter().enumerate().filter_map(|(index, target)| target.map(|_| index));
        let alpha_to_coverage = self.multisampling(targets).is_some_and(|samples| samples.alpha_to_coverage);
        let reads_alpha = self.alpha_test.is_some() || alpha_to_coverage;
        let mut blends =
            targets.written_colors(self.color_mask).filter_map(|(index, target)| self.used_blend(index, target.format));
        let second = u8::from(blends.any(|blend| blend.reads_second())) << SECOND_SOURCE;
        bound.fold(u8::from(reads_alpha) | second, |mask, index| mask | 1 << self.color_source(index))
    }

    /// The depth and stencil surface, if a test uses it.
    #[must_use]
    pub fn used_zeta<'a>(&self, targets: &'a Targets) -> Option<&'a ZetaTarget> {
        let is_used = self.depth_test.is_some() || self.depth_bounds.is_some() || self.stencil.is_some();
        targets.zeta.as_ref().filter(|_| is_used)
    }

    /// Returns what is decoded but not executed in this state; `None` if everything is executed.
    #[must_use]
    pub fn unsupported(&self, targets: &Targets) -> Option<String> {
        let mut ranges = Vec::new();
        if let Some(zeta) = self.used_zeta(targets) {
            ranges.push((zeta.window, zeta.layout, zeta.format.bytes()));
        }
        for (_, color) in targets.written_colors(self.color_mask) {
            ranges.push((color.window, color.layout, color.format.bytes()));
        }
        let rect = targets.texels();
        for &(window, layout, bytes) in &ranges {
            if let Some(what) = layout.unsupported(window.start, rect, bytes, 4) {
                return Some(what);
            }
        }
        let (right, bottom) = (rect.x + rect.width, rect.y + rect.height);
        let covered = |&(window, layout, bytes): &(MemoryWindow, SurfaceLayout, u32)| {
            window.truncated(u32::try_from(layout.span_bytes(right, bottom, bytes)).unwrap_or(u32::MAX))
        };
        // Surfaces that share every pixel are written in order, pixel by pixel. If pixels at different
        // positions share memory, the chip's result depends on the order among its units, which is not known.
        let shares_pixels = |a: &(MemoryWindow, SurfaceLayout, u32), b: &(MemoryWindow, SurfaceLayout, u32)| {
            (a.0.space, a.0.start, a.1, a.2) == (b.0.space, b.0.start, b.1, b.2)
        };
        for (index, range) in ranges.iter().enumerate() {
            let mut earlier = ranges[..index].iter().filter(|other| !shares_pixels(other, range));
            if earlier.any(|other| covered(other).overlaps(covered(range))) {
                return Some("targets that overlap in memory without sharing their pixels".to_owned());
            }
        }
        None
    }
}

impl Clear {
    /// Returns what is decoded but not executed in this clear; `None` if everything is executed.
    #[must_use]
    pub fn unsupported(&self) -> Option<String> {
        for (_, color) in self.targets.written_colors([self.color_mask; MAX_COLOR_TARGETS]) {
            let bytes = color.format.bytes();
            if let Some(what) = color.layout.unsupported(color.window.start, self.rect, bytes, bytes.min(4)) {
                return Some(what);
            }
        }
        let zeta = self.targets.zeta.as_ref().filter(|_| self.clears_depth || self.clears_stencil)?;
        let bytes = zeta.format.bytes();
        zeta.layout.unsupported(zeta.window.start, self.rect, bytes, bytes.min(4))
    }

    /// Bits of the words of a pixel of a color target that the clear writes.
    #[must_use]
    pub fn color_word_masks(&self, format: ColorFormat) -> [u32; 4] {
        format.write_masks(self.color_mask, true)
    }

    /// The color targets that the clear writes to.
    pub(crate) fn cleared_colors(&self) -> impl Iterator<Item = &ColorTarget> {
        self.targets.color.iter().flatten().filter(|target| self.color_word_masks(target.format) != [0; 4])
    }

    /// Bits of the words of a depth pixel that the clear writes.
    #[must_use]
    pub const fn zeta_masks(&self, format: ZetaFormat) -> [u32; 2] {
        format.write_masks(self.clears_depth, if self.clears_stencil { self.stencil_mask } else { 0 })
    }

    /// The values and masks of four words of a depth surface: those of a pixel, a short one in each.
    #[must_use]
    pub const fn zeta_words(&self, format: ZetaFormat) -> ([u32; 4], [u32; 4]) {
        let ([low, high], [low_mask, high_mask]) = (self.zeta, self.zeta_masks(format));
        match format.bytes() {
            8 => ([low, high, 0, 0], [low_mask, high_mask, 0, 0]),
            _ => ([low; 4], [low_mask; 4]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_lies_in_the_words_from_its_first_to_its_last_pixel() {
        let rect = |x, y, width, height| Rect { x, y, width, height };
        let linear = SurfaceLayout::Linear { pitch_bytes: 100 };
        assert_eq!(linear.word_range(rect(3, 2, 5, 4), 4), 212..532);
        assert_eq!(linear.word_range(rect(3, 2, 5, 4), 2), 204..516);
        assert_eq!(linear.word_range(rect(3, 2, 0, 4), 4), 0..0);
        // 16×2: from the lowest bit x0 y0 x1 x2 x3.
        let swizzled = SurfaceLayout::swizzled(4, 1);
        assert_eq!(swizzled.word_range(rect(2, 0, 1, 1), 4), 16..20);
        assert_eq!(swizzled.word_range(rect(0, 0, 99, 99), 4), 0..128);
        // Pixels of 16 bytes are four of 4 bytes in a surface of 64×2.
        assert_eq!(swizzled.word_range(rect(1, 0, 1, 1), 16), 32..56);
        assert_eq!(swizzled.word_range(rect(16, 0, 4, 1), 4), 0..0);
    }

    #[test]
    fn a_slice_of_blocks_lies_in_rows_of_them() {
        // Blocks of 64 bytes, 8 rows and 2 slices: 4 × 4 × 2 of them, of 1024 bytes. Slice 3 is the second of its blocks.
        let blocks = BlockLinear { size: [200, 30, 4], log2_block: [0, 1, 1] };
        let layout = SurfaceLayout::BlockLinear { blocks, slice: 3 };
        assert_eq!(layout.span_bytes(50, 30, 4), 32 * 1024);
        let rect = Rect { x: 3, y: 9, width: 5, height: 8 };
        assert_eq!(layout.word_range(rect, 4), 20 * 1024..28 * 1024);
        // Byte 68 of row 9: block 1 of the second row of them, whose first gob of the second slice is the third.
        assert_eq!(layout.pixel_offset(17, 9, 4), (16 + 5) * 1024 + 512 + 64 + 4);
        assert_eq!(layout.word_offset(8, 9, 8, 1), (16 + 5) * 1024 + 512 + 64 + 4);
        let refused = |blocks, slice, start, width| {
            let rect = Rect { x: 0, y: 0, width, height: 30 };
            SurfaceLayout::BlockLinear { blocks, slice }.unsupported(start, rect, 4, 4)
        };
        assert_eq!(refused(blocks, 3, 0x300, 50), None);
        assert!(refused(blocks, 3, 0x300, 51).is_some_and(|what| what.contains("rows of 204 bytes")));
        assert!(refused(blocks, 4, 0x300, 50).is_some_and(|what| what.contains("slice 4")));
        assert!(refused(blocks, 3, 0x380, 50).is_some_and(|what| what.contains("at byte 0x380")));
        let large = BlockLinear { log2_block: [0, 40, 0], ..blocks };
        assert!(refused(large, 3, 0, 50).is_some_and(|what| what.contains("gobs")));
    }
}
