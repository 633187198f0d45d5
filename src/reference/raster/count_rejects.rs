//! Counts the pixels of primitives that the scissor or the window clips reject.

use super::rasterize_tiles::{QUAD_PIXELS, covered_pixels, passes_window_clip, rasterize_tiles};
use crate::pipeline::ShadedVertex;
use crate::pipeline::front_end::raster_parameters::{RasterParameters, SURFACE_LIMIT};
use crate::pipeline::primitive_setup::PrimitiveSetup;

/// Pixels of the surface that primitives cover but that are not drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RasterRejects {
    /// Those outside the scissor.
    pub scissor: u64,
    /// Those inside the scissor that window clips reject.
    pub window_clip: u64,
}

/// Counts for primitives set up over the whole surface with [`RasterParameters::over_surface`]; `parameters` are those
/// of the draw.
#[must_use]
pub fn count_rejects(
    parameters: &RasterParameters<'_>,
    over_surface: &RasterParameters<'_>,
    vertices: &[ShadedVertex],
    records: &[PrimitiveSetup],
) -> RasterRejects {
    let mut rejects = RasterRejects::default();
    // One primitive at a time keeps the list of quads short; one tile holds all of them.
    for record in records {
        let tiles = rasterize_tiles(over_surface, vertices, std::slice::from_ref(record), SURFACE_LIMIT);
        for quad in tiles.into_iter().flat_map(|tile| tile.quads) {
            let covered = covered_pixels(quad.coverage);
            for (pixel, (column, row)) in QUAD_PIXELS.into_iter().enumerate() {
                let (x, y) = (quad.x + column, quad.y + row);
                if covered >> pixel & 1 == 0 {
                    continue;
                }
                if !parameters.clip.contains(x, y) {
                    rejects.scissor += 1;
                } else if !passes_window_clip(parameters, x, y) {
                    rejects.window_clip += 1;
                }
            }
        }
    }
    rejects
}
