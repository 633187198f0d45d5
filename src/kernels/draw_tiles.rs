//! The stages from rasteriser to output merger as one kernel: its parameters and dispatches.

use std::sync::Arc;

use super::geometry::grown;
use super::merge_pixels::MergeParameters;
use crate::gpu::{Bound, DeviceError, Gpu, Kernel, Recording};
use crate::memory::MemoryWindow;
use crate::program::fragment::FragmentProgram;
pub use crate::recompiler::fragment::tile_key::{
    CONTINUATIONS, Interpolation, TILES_PER_GROUP, TileKernelKey, most_dispatches,
};
pub use crate::recompiler::fragment::tiles::source;
use crate::work::{Draw, SurfaceLayout, TextureState};

/// Where so many dispatches may be needed, the host looks after the first few whether all is done, as it mostly is: an
/// empty dispatch costs host and driver about 5 µs, a look 150.
const LEAST_LOOKED_AT: u64 = 48;
/// The dispatches before that look.
const BEFORE_LOOK: u64 = 4;

/// Where tiles go on that one dispatch does not end; buffers are kept from draw to draw.
#[derive(Debug, Default)]
pub(super) struct TileStage {
    /// Binding 9: where each tile goes on.
    progress: Option<wgpu::Buffer>,
    /// Binding 10: the workgroups of later dispatches, which are none where nothing is left to do. A dispatch whose
    /// counts come from one of these writes the next counts into the other.
    continuations: [Option<wgpu::Buffer>; 2],
}

/// The same stages with each interpolation.
#[derive(Debug, Clone)]
pub struct TileKernels {
    /// Begins tiles.
    pub plain: Arc<Kernel>,
    /// Goes on with tiles that are not plain.
    pub exact: Arc<Kernel>,
}

/// What all dispatches of a batch share.
pub(super) struct TileDispatches<'a> {
    /// Dispatched in turn.
    pub(super) kernels: [&'a Kernel; 2],
    pub(super) bindings: &'a [(u32, Bound<'a>)],
    /// [`parameters`] for whether tiles have begun.
    pub(super) parameters: &'a dyn Fn(bool) -> Vec<u32>,
    pub(super) tile_count: u32,
    /// After so many dispatches all is done.
    pub(super) most: u64,
}

impl TileStage {
    /// Records as many dispatches as a batch may need.
    ///
    /// Where they may be very many, what is recorded is submitted now and then to see whether all is done.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn dispatch(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        batch: &TileDispatches<'_>,
    ) -> Result<(), DeviceError> {
        let &TileDispatches { kernels, bindings, parameters, tile_count, most } = batch;
        let slot_bytes = 12;
        let list_bytes = u64::from(CONTINUATIONS) * slot_bytes;
        let progress = grown(gpu, &mut self.progress, "tile progress", u64::from(tile_count) * 8)?;
        let [even, odd] = &mut self.continuations;
        let lists = [even, odd].map(|list| grown(gpu, list, "continuations", list_bytes));
        let [even, odd] = lists;
        let lists = [even?, odd?];
        let groups = [tile_count.div_ceil(TILES_PER_GROUP), 1, 1];
        let parameters = [false, true].map(parameters);
        for number in 0..most {
            let parity = usize::from(!number.is_multiple_of(2));
            let slot = (number % u64::from(CONTINUATIONS)) * slot_bytes;
            if (slot == 0 && number != 0) || (number == BEFORE_LOOK && most >= LEAST_LOOKED_AT) {
                let mut left = [0u8; 4];
                gpu.read_back(recording, &lists[parity], slot, &mut left)?;
                if left == [0; 4] {
                    return Ok(());
                }
            }
            if slot == 0 {
                lists.iter().for_each(|list| recording.clear(list, 0, list_bytes));
            }
            let parameters = &parameters[usize::from(number != 0)];
            let parameters = recording.store_changed("tile parameters", bytemuck::cast_slice(parameters))?;
            let own = [(9, (&progress).into()), (10, (&lists[1 - parity]).into()), (12, (&parameters).into())];
            let bindings = [bindings, &own].concat();
            if slot == 0 {
                recording.dispatch(kernels[parity], &bindings, groups);
            } else {
                recording.dispatch_indirect(kernels[parity], &bindings, &lists[parity], slot);
            }
        }
        Ok(())
    }
}

/// Whether a draw may sample memory that it also writes: then all of a batch must be shaded before it is merged.
///
/// Levels beyond the limits of a unit do not count, so that a texture's levels can be drawn one from another.
#[must_use]
pub fn samples_its_targets(draw: &Draw, sampled_units: u16) -> bool {
    let clip = draw.raster.clip.texels(draw.targets.samples);
    let bytes = draw.targets.color_format.bytes();
    let color = draw.targets.color.iter().flatten().map(|target| (target.window, target.layout, bytes));
    let zeta = draw.rop.used_zeta(&draw.targets).map(|zeta| (zeta.window, zeta.layout, zeta.format.bytes()));
    let written = |(window, layout, bytes): (MemoryWindow, SurfaceLayout, u32)| {
        let range = layout.word_range(clip, bytes);
        let end = u32::try_from(range.end).unwrap_or(u32::MAX);
        window.truncated(end).from_offset(u32::try_from(range.start).unwrap_or(u32::MAX))
    };
    let written: Vec<_> = color.chain(zeta).map(written).collect();
    let units = (0..16).filter(|unit| sampled_units >> unit & 1 != 0);
    units.filter_map(|unit| draw.textures[unit].as_ref()).any(|texture| may_sample(texture, &written))
}

/// Whether fetches may take texels from any of these windows.
fn may_sample(texture: &TextureState, windows: &[MemoryWindow]) -> bool {
    let sampled = texture.sampled_windows();
    sampled.iter().any(|sampled| windows.iter().any(|window| sampled.overlaps(*window)))
}

/// Binding 12: the parameters of the output merger, whether earlier dispatches began the tiles, then the program's
/// constants.
#[must_use]
pub fn parameters(merge: &MergeParameters, has_begun: bool, program: &FragmentProgram) -> Vec<u32> {
    let mut words: Vec<u32> = bytemuck::cast_slice(std::slice::from_ref(merge)).to_vec();
    words.extend([u32::from(has_begun), 0, 0, 0]);
    words.extend(program.constants.iter().flatten());
    // A runtime array has at least one element.
    words.extend([0; 4]);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::TextureFormat;
    use crate::memory::MemorySpace;
    use crate::work::{MipFilter, Rect, plain_texture};

    #[test]
    fn a_level_that_is_drawn_does_not_count_where_it_cannot_be_sampled() {
        let start = 0x4000;
        let window = |start, bytes| MemoryWindow { space: MemorySpace::Vram, start, bytes };
        let mut texture = plain_texture(TextureFormat::A8R8G8B8, 16, 16, 5);
        (texture.window, texture.mip_filter) = (window(start, 0x1_0000), MipFilter::Nearest);
        // Levels of 1024, 256, 64, 16 and 4 bytes; level 2 is drawn.
        let level2 = window(start + 1280, 64);
        let limited = |mip_filter, min_lod, max_lod| TextureState { mip_filter, min_lod, max_lod, ..texture.clone() };
        let reads = |texture: &TextureState| may_sample(texture, &[level2]);
        assert!(!reads(&limited(MipFilter::Nearest, 0x100, 0x100)));
        assert!(!reads(&limited(MipFilter::Linear, 0, 0x100)));
        assert!(!reads(&limited(MipFilter::Nearest, 0x300, 0x400)));
        assert!(!reads(&limited(MipFilter::None, 0, 0xfff)));
        assert!(reads(&limited(MipFilter::Nearest, 0x200, 0x200)));
        assert!(reads(&limited(MipFilter::Linear, 0, 0x101)), "with a weight");
        assert!(reads(&limited(MipFilter::Nearest, 0, 0x181)), "more than half way");
        assert!(reads(&limited(MipFilter::Linear, 0, 0xfff)));
        // The other space, and the same bytes under another texture.
        assert!(!may_sample(
            &limited(MipFilter::Nearest, 0x200, 0x200),
            &[MemoryWindow { space: MemorySpace::Gart, ..level2 }]
        ));
        let over = TextureState { window: window(start + 1024, 0x1_0000), ..limited(MipFilter::None, 0, 0) };
        assert!(reads(&over));
    }

    #[test]
    fn one_pixel_of_a_wide_surface_is_not_the_level_before_it() {
        // As the open driver draws the last level of a texture: a pixel at column 2 of 16×2, behind the level of 2×2.
        let target = SurfaceLayout::Swizzled { log2_width: 4, log2_height: 1 };
        let range = target.word_range(Rect { x: 2, y: 0, width: 1, height: 1 }, 4);
        let mut texture = plain_texture(TextureFormat::A8R8G8B8, 2, 2, 2);
        texture.window = MemoryWindow { space: MemorySpace::Vram, start: 0, bytes: 0x100 };
        texture.mip_filter = MipFilter::Nearest;
        let [start, end] = [range.start, range.end].map(|place| u32::try_from(place).unwrap());
        let written = texture.window.truncated(end).from_offset(start);
        let limited = |lod| TextureState { min_lod: lod, max_lod: lod, ..texture.clone() };
        assert!(!may_sample(&limited(0), &[written]) && may_sample(&limited(0x100), &[written]));
    }
}
