//! The stages from rasteriser to output merger as one kernel: its parameters.

use super::merge_pixels::MergeParameters;
use crate::memory::{MemorySpace, MemoryWindow};
use crate::program::fragment::FragmentProgram;
pub use crate::recompiler::fragment::tiles::{TILES_PER_GROUP, TileKernelKey, source};
use crate::work::{Dimensions, Draw};

/// Whether a draw may sample memory that it also writes: then all of a batch must be shaded before it is merged.
#[must_use]
pub fn samples_its_targets(draw: &Draw, sampled_units: u16) -> bool {
    let clip = draw.raster.clip.texels(draw.targets.samples);
    let (right, bottom) = (clip.x + clip.width, clip.y + clip.height);
    let bytes = draw.targets.color_format.bytes();
    let color = draw.targets.color.iter().flatten().map(|target| (target.window, target.layout, bytes));
    let zeta = draw.rop.used_zeta(&draw.targets).map(|zeta| (zeta.window, zeta.layout, zeta.format.bytes()));
    let written: Vec<_> = color
        .chain(zeta)
        .map(|(window, layout, bytes)| range(window, layout.span_bytes(right, bottom, bytes)))
        .collect();
    let textures =
        (0..16).filter(|unit| sampled_units >> unit & 1 != 0).filter_map(|unit| draw.textures[unit].as_ref());
    textures.into_iter().any(|texture| {
        let faces = if texture.dimensions == Dimensions::Cube { 6 } else { 1 };
        let read = range(texture.window, u64::from(texture.level_layout().1) * faces);
        written
            .iter()
            .any(|written| written.0 == read.0 && written.1.start < read.1.end && read.1.start < written.1.end)
    })
}

fn range(window: MemoryWindow, bytes: u64) -> (MemorySpace, std::ops::Range<u64>) {
    let start = u64::from(window.start);
    (window.space, start..start + bytes.min(u64::from(window.bytes)))
}

/// Binding 12: the parameters of the output merger, then the program's constants.
#[must_use]
pub fn parameters(merge: &MergeParameters, program: &FragmentProgram) -> Vec<u32> {
    let mut words: Vec<u32> = bytemuck::cast_slice(std::slice::from_ref(merge)).to_vec();
    words.extend(program.constants.iter().flatten());
    // A runtime array has at least one element.
    words.extend([0; 4]);
    words
}
