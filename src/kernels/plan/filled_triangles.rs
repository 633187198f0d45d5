//! Whether a draw assembles nothing but filled triangles, which have set-up kernels of their own.

use crate::pipeline::{Draw, PolygonMode, PrimitiveType};

/// Whether everything that a draw assembles is a filled triangle, neither smooth nor stippled.
pub(in crate::kernels) fn draws_filled_triangles(draw: &Draw) -> bool {
    use PrimitiveType::{LineLoop, LineStrip, Lines, Points};
    !matches!(draw.primitive, Points | Lines | LineLoop | LineStrip)
        && draw.raster.polygon_mode == [PolygonMode::Fill; 2]
        && !draw.can_draw_smooth_polygons()
        && draw.raster.line_stipple.is_none()
}
