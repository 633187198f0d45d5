//! Whether a draw assembles nothing but filled triangles, which have set-up kernels of their own.

use crate::pipeline::front_end::raster_parameters::{LINE_STIPPLE, POLYGON_SMOOTH};
use crate::pipeline::{Draw, PolygonMode, PrimitiveType};

/// Whether everything that a draw assembles is a filled triangle, neither smooth nor stippled.
pub(in crate::kernels) fn draws_filled_triangles(draw: &Draw, flags: u32) -> bool {
    use PrimitiveType::{LineLoop, LineStrip, Lines, Points};
    !matches!(draw.primitive, Points | Lines | LineLoop | LineStrip)
        && draw.raster.polygon_mode == [PolygonMode::Fill; 2]
        && flags & (POLYGON_SMOOTH | LINE_STIPPLE) == 0
}
