//! Decides how the kernel of a tile may access the words of surfaces: in pairs of pixels on software adapters, and from
//! which invocations.

use crate::kernels::memory_mirror::{Locate, MirrorWindow};
use crate::pipeline::{Draw, SurfaceLayout};
use crate::recompiler::rop::merge_pixels::{MergeKey, ZETA_SURFACE};

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
            SurfaceLayout::Swizzled { log2_size: [log2_width, ..] } => log2_width >= 1,
            // A gob has the pixels of 64 bytes of a row side by side.
            SurfaceLayout::BlockLinear { .. } => true,
        };
        follows && self.place.start.is_multiple_of(word) && self.place.bytes.is_multiple_of(word)
    }

    /// Whether a word may hold pixels of two quads.
    fn shares_words(&self) -> bool {
        match (self.pixel_bytes, self.layout) {
            (1, SurfaceLayout::Linear { .. } | SurfaceLayout::BlockLinear { .. }) => true,
            // Four pixels of a quad follow one another, unless there is only a row or a column of them.
            (1, SurfaceLayout::Swizzled { log2_size: [log2_width, log2_height, _] }) => {
                log2_width.min(log2_height) == 0
            }
            (2, _) => !self.is_paired(),
            _ => !self.place.start.is_multiple_of(4),
        }
    }

    /// The bytes of the mirror that hold its pixels, extended to whole words.
    fn range(&self, right: u32, bottom: u32) -> std::ops::Range<u64> {
        let start = u64::from(self.place.start);
        let span = self.layout.span_bytes(right, bottom, self.pixel_bytes).min(self.place.bytes.into());
        start..(start + span).next_multiple_of(8)
    }
}

/// Values of the surfaces that a draw writes: those of color targets, then that of depth.
type OfSurfaces<T> = [T; ZETA_SURFACE + 1];

/// Whether all of these have words of their own, for pixels left of `right` and above `bottom`.
fn are_apart(surfaces: &OfSurfaces<Option<Surface>>, right: u32, bottom: u32) -> bool {
    let mut ranges: Vec<_> = surfaces.iter().flatten().map(|surface| surface.range(right, bottom)).collect();
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.windows(2).all(|pair| pair[0].end <= pair[1].start)
}

/// Determines which surfaces have paired pixels; the drawn pixels are left of `right` and above `bottom`.
///
/// An undrawn pixel is stored back unchanged if the other pixel of its pair is drawn or, where the clip rectangle cuts no
/// quad, if it belongs to a quad that a primitive covers. No other invocation may observe that, so if surfaces share a word,
/// none has pairs.
fn paired(surfaces: OfSurfaces<Option<Surface>>, right: u32, bottom: u32) -> OfSurfaces<bool> {
    let is_apart = are_apart(&surfaces, right, bottom);
    surfaces.map(|surface| is_apart && surface.is_some_and(|surface| surface.is_paired()))
}

/// The surfaces that a draw writes.
fn written_surfaces(key: &MergeKey, draw: &Draw, locate: Locate<'_>) -> OfSurfaces<Option<Surface>> {
    let surface = |window, layout, pixel_bytes| Some(Surface { place: locate(window), layout, pixel_bytes });
    std::array::from_fn(|index| {
        if index == ZETA_SURFACE {
            let zeta = draw.rop.used_zeta(&draw.targets)?;
            return surface(zeta.window, zeta.layout, zeta.format.bytes());
        }
        let target = draw.targets.color[index].as_ref().filter(|_| key.colors[index].is_some())?;
        surface(target.window, target.layout, target.format.bytes())
    })
}

/// Whether two quads may have pixels in one word of memory, or two surfaces do, so that only one invocation may draw them.
pub(in crate::kernels) fn quads_share_words(key: &MergeKey, draw: &Draw, locate: Locate<'_>) -> bool {
    let rect = draw.targets.texels();
    let surfaces = written_surfaces(key, draw, locate);
    !are_apart(&surfaces, rect.x + rect.width, rect.y + rect.height)
        || surfaces.iter().flatten().any(Surface::shares_words)
}

/// Lets a kernel that draws all pixels of a quad in one invocation access them in pairs, if surfaces allow it.
pub(in crate::kernels) fn pair_pixels(key: &mut MergeKey, draw: &Draw, locate: Locate<'_>) {
    let rect = draw.targets.texels();
    let surfaces = written_surfaces(key, draw, locate);
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
    fn quads_share_words_of_small_or_misplaced_pixels() {
        let shares = |start, pixel_bytes, layout| {
            Surface { place: MirrorWindow { start, bytes: 1 << 16 }, layout, pixel_bytes }.shares_words()
        };
        let linear =
            |start, pixel_bytes, pitch_bytes| shares(start, pixel_bytes, SurfaceLayout::Linear { pitch_bytes });
        assert_eq!([linear(0, 1, 64), linear(0, 2, 64), linear(2, 2, 64), linear(0, 2, 66)], [true, false, true, true]);
        assert_eq!([linear(4, 4, 68), linear(2, 4, 68), linear(0, 16, 64)], [false, true, false]);
        let swizzled = |pixel_bytes, log2_width, log2_height| {
            shares(0, pixel_bytes, SurfaceLayout::swizzled(log2_width, log2_height))
        };
        assert_eq!(
            [swizzled(1, 3, 3), swizzled(1, 3, 0), swizzled(2, 3, 0), swizzled(2, 0, 3)],
            [false, true, false, true]
        );
    }

    #[test]
    fn surfaces_have_pairs_where_they_share_no_word() {
        let surface = |start, pixel_bytes, pitch_bytes| {
            let place = MirrorWindow { start, bytes: 1 << 16 };
            Some(Surface { place, layout: SurfaceLayout::Linear { pitch_bytes }, pixel_bytes })
        };
        // Four rows of five pixels, 24 bytes apart, take 3 × 24 + 20 bytes and end in the middle of the word at 88.
        let pairs = |other| {
            let mut surfaces = [None; ZETA_SURFACE + 1];
            (surfaces[0], surfaces[ZETA_SURFACE]) = (surface(0, 4, 24), other);
            let paired = paired(surfaces, 5, 4);
            [paired[0], paired[ZETA_SURFACE]]
        };
        assert_eq!(pairs(None), [true, false]);
        assert_eq!(pairs(surface(96, 4, 24)), [true, true]);
        assert_eq!(pairs(surface(96, 4, 20)), [true, false]);
        assert_eq!(pairs(surface(92, 2, 12)), [false, false]);
        assert_eq!(pairs(surface(0, 4, 24)), [false, false]);
    }
}
