//! Decides whether a draw assembles only filled triangles, which have their own set-up kernels.

use crate::pipeline::{Draw, PolygonMode};

/// Whether all primitives of a draw are filled triangles, neither smooth nor stippled.
pub(in crate::kernels) fn draws_filled_triangles(draw: &Draw) -> bool {
    draw.rasterized_primitive().corners() == 3
        && draw.raster.polygon_mode == [PolygonMode::Fill; 2]
        && !draw.can_draw_smooth_polygons()
        && draw.raster.line_stipple.is_none()
}
