//! Decides which surfaces of a draw let a kernel load and store pixels in pairs, for software adapters.

use crate::kernels::memory_mirror::{Locate, MirrorWindow};
use crate::pipeline::{Draw, SurfaceLayout};
use crate::recompiler::rop::merge_pixels::MergeKey;

/// A surface that a draw writes, and its location in the mirror.
#[derive(Clone, Copy)]
struct Surface {
    place: MirrorWindow,
    layout: SurfaceLayout,
    pixel_bytes: u32,
}

impl Surface {
    /// Whether the two pixels of a quad row, or each pixel of at least 64 bits, share words that are entirely inside or
    /// entirely outside the surface.
    fn is_paired(&self) -> bool {
        let word = match self.pixel_bytes {
            2 => 4,
            bytes if bytes >= 4 => 8,
            _ => return false,
        };
        let follows = match self.layout {
            SurfaceLayout::Linear { pitch_bytes } => pitch_bytes.is_multiple_of(word),
            // The lowest bit of the offset is that of the column, unless there is one column.
            SurfaceLayout::Swizzled { log2_width, .. } => log2_width >= 1,
        };
        follows && self.place.start.is_multiple_of(word) && self.place.bytes.is_multiple_of(word)
    }

    /// The bytes of the mirror that hold its pixels, extended to whole words.
    fn range(&self, right: u32, bottom: u32) -> std::ops::Range<u64> {
        let start = u64::from(self.place.start);
        let span = self.layout.span_bytes(right, bottom, self.pixel_bytes).min(self.place.bytes.into());
        start..(start + span).next_multiple_of(8)
    }
}

/// Determines which surfaces have paired pixels; the drawn pixels are left of `right` and above `bottom`.
///
/// An undrawn pixel is stored back unchanged if the other pixel of its pair is drawn. No other invocation may observe
/// that, so if surfaces share a word, none has pairs.
fn paired(surfaces: [Option<Surface>; 5], right: u32, bottom: u32) -> [bool; 5] {
    let mut ranges: Vec<_> = surfaces.iter().flatten().map(|surface| surface.range(right, bottom)).collect();
    ranges.sort_unstable_by_key(|range| range.start);
    let is_apart = ranges.windows(2).all(|pair| pair[0].end <= pair[1].start);
    surfaces.map(|surface| is_apart && surface.is_some_and(|surface| surface.is_paired()))
}

/// Lets a kernel that draws all pixels of a quad in one invocation access them in pairs, if surfaces allow it.
pub(in crate::kernels) fn pair_pixels(key: &mut MergeKey, draw: &Draw, locate: Locate<'_>) {
    let rect = draw.targets.texels();
    let color_bytes = draw.targets.color_format.bytes();
    let color = |index: usize| {
        let target = draw.targets.color[index].as_ref().filter(|_| key.colors[index].is_some())?;
        Some(Surface { place: locate(target.window), layout: target.layout, pixel_bytes: color_bytes })
    };
    let zeta = draw.rop.used_zeta(&draw.targets).map(|zeta| Surface {
        place: locate(zeta.window),
        layout: zeta.layout,
        pixel_bytes: zeta.format.bytes(),
    });
    let surfaces = [color(0), color(1), color(2), color(3), zeta];
    let [colors @ .., zeta] = paired(surfaces, rect.x + rect.width, rect.y + rect.height);
    for (key, is_paired) in key.colors.iter_mut().zip(colors) {
        if let Some(key) = key {
            key.is_paired = is_paired;
        }
    }
    if let Some(key) = &mut key.zeta {
        key.is_paired = zeta;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surfaces_have_pairs_where_they_share_no_word() {
        let surface = |start, pixel_bytes, pitch_bytes| {
            let place = MirrorWindow { start, bytes: 1 << 16 };
            Some(Surface { place, layout: SurfaceLayout::Linear { pitch_bytes }, pixel_bytes })
        };
        // Four rows of five pixels, 24 bytes apart, take 3 × 24 + 20 bytes and end in the middle of the word at 88.
        let pairs = |other| paired([surface(0, 4, 24), None, None, None, other], 5, 4);
        assert_eq!(pairs(None), [true, false, false, false, false]);
        assert_eq!(pairs(surface(96, 4, 24)), [true, false, false, false, true]);
        assert_eq!(pairs(surface(96, 4, 20)), [true, false, false, false, false]);
        assert_eq!(pairs(surface(92, 2, 12)), [false; 5]);
        assert_eq!(pairs(surface(0, 4, 24)), [false; 5]);
    }
}
