//! Draws that sample what they write.
//!
//! In every engine, fetches of such a draw see memory as it was before the draw. A stream cannot rely on which of a
//! draw's writes its own fetches see.
// Unverified: what the chip returns depends on its texture cache.

use super::{Draw, LayerStep, Rect, SurfaceLayout};
use crate::memory::MemoryWindow;

impl Draw {
    /// Whether fetches from these units may read texels from memory that the draw also writes.
    ///
    /// Levels beyond the limits of a unit do not count, so that one level of a texture can be drawn from another.
    #[must_use]
    pub fn samples_its_targets(&self, units: u16) -> bool {
        let written = self.written_windows();
        self.fetched_windows(units).any(|fetched| written.iter().any(|window| fetched.overlaps(*window)))
    }

    /// The memory that its pixels may change, one window per surface.
    #[must_use]
    pub fn written_windows(&self) -> Vec<MemoryWindow> {
        let clip = self.raster.clip.texels(self.targets.samples);
        let written = |surface: WrittenSurface| {
            let range = surface.range(clip);
            let end = u32::try_from(range.end).unwrap_or(u32::MAX);
            surface.window.truncated(end).from_offset(u32::try_from(range.start).unwrap_or(u32::MAX))
        };
        self.written_surfaces().map(written).collect()
    }

    /// The surfaces whose pixels it may change.
    pub(crate) fn written_surfaces(&self) -> impl Iterator<Item = WrittenSurface> {
        let layers = self.selection.as_ref().map_or(1, |selection| selection.selected_layers());
        let steps = self.selection.as_ref().map_or_else(Default::default, |selection| selection.color_steps);
        let zeta_step = self.selection.as_ref().map_or_else(Default::default, |selection| selection.zeta_step);
        let color = self.targets.color.iter().zip(steps).filter_map(move |(target, step)| {
            let target = target.as_ref()?;
            let (window, layout, pixel_bytes) = (target.window, target.layout, target.format.bytes());
            Some(WrittenSurface { window, layout, pixel_bytes, step, layers })
        });
        let zeta = self.rop.used_zeta(&self.targets).map(|zeta| {
            let (window, layout, pixel_bytes) = (zeta.window, zeta.layout, zeta.format.bytes());
            WrittenSurface { window, layout, pixel_bytes, step: zeta_step, layers }
        });
        color.chain(zeta)
    }
}

/// A surface whose pixels a draw may change, in all layers that its program selects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WrittenSurface {
    pub(crate) window: MemoryWindow,
    /// The layout of the first layer.
    pub(crate) layout: SurfaceLayout,
    pub(crate) pixel_bytes: u32,
    /// From a layer to the next one.
    pub(crate) step: LayerStep,
    /// How many layers there are.
    pub(crate) layers: u32,
}

impl WrittenSurface {
    /// The bytes from the first of the pixels of a rectangle to the last one, in all layers.
    pub(crate) fn range(&self, rect: Rect) -> std::ops::Range<u64> {
        let first = self.layout.word_range(rect, self.pixel_bytes);
        let last = self.layers - 1;
        match self.step {
            _ if last == 0 => first,
            LayerStep::Bytes(bytes) => first.start..first.end + u64::from(bytes) * u64::from(last),
            LayerStep::Slice => {
                let (mut window, mut layout) = (self.window, self.layout);
                self.step.apply(&mut window, &mut layout, last);
                first.start..layout.word_range(rect, self.pixel_bytes).end
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::TextureFormat;
    use crate::memory::MemorySpace;
    use crate::pipeline::{MipFilter, Rect, Sampler, TextureState, TextureView, plain_texture};

    /// Whether sampling may read texels from any of these windows.
    fn may_sample(texture: &TextureState, windows: &[MemoryWindow]) -> bool {
        let sampled = texture.fetched_windows(false);
        sampled.iter().any(|sampled| windows.iter().any(|window| sampled.overlaps(*window)))
    }

    #[test]
    fn a_level_that_is_drawn_does_not_count_where_it_cannot_be_sampled() {
        let start = 0x4000;
        let window = |start, bytes| MemoryWindow { space: MemorySpace::Vram, start, bytes };
        let mut texture = plain_texture(TextureFormat::A8R8G8B8, 16, 16, 5);
        (texture.view.window, texture.sampler.mip_filter) = (window(start, 0x1_0000), MipFilter::Nearest);
        // Levels of 1024, 256, 64, 16 and 4 bytes; level 2 is drawn.
        let level2 = window(start + 1280, 64);
        let limited = |mip_filter, min_lod, max_lod| TextureState {
            sampler: Sampler { mip_filter, min_lod, max_lod, ..texture.sampler },
            ..texture.clone()
        };
        let reads = |texture: &TextureState| may_sample(texture, &[level2]);
        assert!(!reads(&limited(MipFilter::Nearest, 0x100, 0x100)));
        assert!(!reads(&limited(MipFilter::Linear, 0, 0x100)));
        assert!(!reads(&limited(MipFilter::Nearest, 0x300, 0x400)));
        assert!(!reads(&limited(MipFilter::None, 0, 0xfff)));
        assert!(reads(&limited(MipFilter::Nearest, 0x200, 0x200)));
        assert!(reads(&limited(MipFilter::Linear, 0, 0x101)), "with a weight");
        assert!(reads(&limited(MipFilter::Nearest, 0, 0x181)), "more than half way");
        assert!(reads(&limited(MipFilter::Linear, 0, 0xfff)));
        // The other space, and the same bytes in another texture.
        assert!(!may_sample(
            &limited(MipFilter::Nearest, 0x200, 0x200),
            &[MemoryWindow { space: MemorySpace::Gart, ..level2 }]
        ));
        let plain = limited(MipFilter::None, 0, 0);
        let over = TextureState { view: TextureView { window: window(start + 1024, 0x1_0000), ..plain.view }, ..plain };
        assert!(reads(&over));
    }

    #[test]
    fn one_pixel_of_a_wide_surface_is_not_the_level_before_it() {
        // The open driver draws the last level of a texture like this: a pixel at column 2 of 16×2, behind the level of 2×2.
        let target = SurfaceLayout::swizzled(4, 1);
        let range = target.word_range(Rect { x: 2, y: 0, width: 1, height: 1 }, 4);
        let mut texture = plain_texture(TextureFormat::A8R8G8B8, 2, 2, 2);
        texture.view.window = MemoryWindow { space: MemorySpace::Vram, start: 0, bytes: 0x100 };
        texture.sampler.mip_filter = MipFilter::Nearest;
        let [start, end] = [range.start, range.end].map(|place| u32::try_from(place).unwrap());
        let written = texture.view.window.truncated(end).from_offset(start);
        let limited = |lod| TextureState {
            sampler: Sampler { min_lod: lod, max_lod: lod, ..texture.sampler },
            ..texture.clone()
        };
        assert!(!may_sample(&limited(0), &[written]) && may_sample(&limited(0x100), &[written]));
    }
}
