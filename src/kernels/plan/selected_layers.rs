//! Decides whether kernels may draw the layers that a program selects one after the other: the reference draws primitive by
//! primitive, so no layer may hold bytes of another one.

use std::ops::Range;

use crate::pipeline::{Draw, LayerStep, SurfaceLayout, WrittenSurface};
use crate::recompiler::selection_block::MAX_VIEWPORTS;

/// Layers begin at multiples of this many bytes, so that words of the same size hold their pixels.
const ALIGNMENT: u32 = 8;

/// The most layers that kernels draw: they set up all primitives for each. The reference does not.
const MAX_LAYERS: u32 = 512;

/// Whether kernels run draws that select like this one.
pub(in crate::kernels) fn draws_layers(draw: &Draw) -> bool {
    let Some(selection) = &draw.selection else { return true };
    if selection.viewports.len() > MAX_VIEWPORTS || selection.selected_layers() > MAX_LAYERS {
        return false;
    }
    if selection.selected_layers() == 1 {
        return true;
    }
    let rect = draw.targets.texels();
    let surfaces: Vec<_> = draw.written_surfaces().collect();
    let place = |surface: &WrittenSurface| {
        let Range { start, end } = surface.range(rect);
        let [start, end] = [start, end].map(|place| u64::from(surface.window.start) + place);
        (surface.window.space, start / u64::from(ALIGNMENT), end.div_ceil(ALIGNMENT.into()))
    };
    let places: Vec<_> = surfaces.iter().map(place).collect();
    let are_apart = places.iter().enumerate().all(|(number, (space, start, end))| {
        places[..number].iter().all(|(other, first, last)| other != space || last <= start || end <= first)
    });
    are_apart && surfaces.iter().all(|surface| has_layers_apart(surface, surface.range(rect).end))
}

/// Whether no byte belongs to two layers of a surface that ends there.
fn has_layers_apart(surface: &WrittenSurface, end: u64) -> bool {
    let is_inside = end <= u64::from(u32::MAX);
    is_inside
        && match (surface.step, surface.layout) {
            (LayerStep::Bytes(bytes), _) => {
                let others = u64::from(bytes) * u64::from(surface.layers - 1);
                bytes.is_multiple_of(ALIGNMENT) && end - others <= u64::from(bytes)
            }
            (LayerStep::Slice, SurfaceLayout::BlockLinear { blocks, slice }) => {
                slice.checked_add(surface.layers).is_some_and(|slices| slices <= blocks.size[2])
            }
            (LayerStep::Slice, _) => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::block_linear::BlockLinear;
    use crate::memory::{MemorySpace, MemoryWindow};

    #[test]
    fn layers_are_apart_where_they_share_no_byte() {
        let window = MemoryWindow { space: MemorySpace::Vram, start: 0, bytes: 1 << 20 };
        let is_apart = |layout, step, layers, end| {
            has_layers_apart(&WrittenSurface { window, layout, pixel_bytes: 4, step, layers }, end)
        };
        let rows = SurfaceLayout::Linear { pitch_bytes: 64 };
        // 16 rows of 64 bytes.
        let of_rows = |step, layers| {
            is_apart(rows, LayerStep::Bytes(step), layers, 1024 + u64::from(step) * u64::from(layers - 1))
        };
        assert_eq!([1024, 1016, 1028, 2048, 0].map(|step| of_rows(step, 3)), [true, false, false, true, false]);
        assert!(!of_rows(1 << 31, 3), "beyond 4 GiB");
        assert!(!is_apart(rows, LayerStep::Slice, 2, 1024));
        let blocks = BlockLinear { size: [64, 4, 3], log2_block: [0; 3] };
        let of_slices =
            |slice, layers| is_apart(SurfaceLayout::BlockLinear { blocks, slice }, LayerStep::Slice, layers, 768);
        assert_eq!(
            [(0, 3), (1, 2), (1, 3), (u32::MAX, 2)].map(|(slice, layers)| of_slices(slice, layers)),
            [true, true, false, false]
        );
    }
}
