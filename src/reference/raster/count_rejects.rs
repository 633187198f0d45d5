//! Counts the pixels of primitives that the scissor or the window clips take away.

use super::rasterize_tiles::{QUAD_PIXELS, passes_window_clip, rasterize_tiles};
use crate::pipeline::ShadedVertex;
use crate::pipeline::front_end::raster_parameters::{RasterParameters, SURFACE_LIMIT};
use crate::pipeline::primitive_setup::PrimitiveSetup;

/// Pixels that primitives cover in the surface, and that are not drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RasterRejects {
    /// Those outside of the scissor.
    pub scissor: u64,
    /// Those inside of the scissor that window clips take away.
    pub window_clip: u64,
}

/// Counts for records that are set up over all of the surface, with [`RasterParameters::over_surface`]; `parameters` are those
/// of the draw.
#[must_use]
pub fn count_rejects(
    parameters: &RasterParameters<'_>,
    over_surface: &RasterParameters<'_>,
    vertices: &[ShadedVertex],
    records: &[PrimitiveSetup],
) -> RasterRejects {
    let mut rejects = RasterRejects::default();
    // A record at a time keeps the list of quads short; one tile holds all of them.
    for record in records {
        let tiles = rasterize_tiles(over_surface, vertices, std::slice::from_ref(record), SURFACE_LIMIT);
        for quad in tiles.into_iter().flat_map(|tile| tile.quads) {
            let samples = quad.coverage;
            let covered = samples | samples >> 4 | samples >> 8 | samples >> 12;
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
