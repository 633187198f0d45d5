//! Transforms positions into window coordinates, and these into corners on the subpixel grid.

use super::clip_primitives::{Corner, outside_planes};
use crate::arith::{ONE, fragment as fp, special};
use crate::pipeline::front_end::raster_parameters::{GUARD_PIXELS, RasterParameters};
use crate::pipeline::primitive_setup::SUBPIXEL_BITS;

/// A vertex in window coordinates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WindowVertex {
    /// x, y, z and 1/w.
    pub(crate) window: [u32; 4],
    /// x, y, z and w before the division.
    pub(crate) homogeneous: [u32; 4],
    /// The planes that it lies outside of.
    pub(crate) outside: u32,
}

/// Why a primitive draws nothing.
#[derive(Clone, Copy)]
pub(crate) enum Dropped {
    /// A position is infinite or not a number.
    NotFinite,
    /// It shows the culled face.
    Culled,
    /// It is outside or has no area.
    Invisible,
}

const fn is_finite(bits: u32) -> bool {
    bits & 0x7f80_0000 != 0x7f80_0000
}

/// Transforms a position into window coordinates.
pub(crate) fn transform(parameters: &RasterParameters<'_>, position: [u32; 4]) -> Result<WindowVertex, Dropped> {
    if !position.iter().all(|value| is_finite(*value)) {
        return Err(Dropped::NotFinite);
    }
    if parameters.viewport.skips_transform {
        // Mesa's driver passes 1/w with window coordinates. Unverified: that the chip interprets it so.
        let [_, _, z, reciprocal] = position;
        // The driver's own transformation ignores the origin that it sets for surfaces at unaligned addresses.
        let [x, y] = [0, 1].map(|axis: usize| fp::add(position[axis], parameters.translate[axis]));
        let homogeneous = [x, y, z, ONE];
        // Unverified: what the chip does with window coordinates beyond its range; they are dropped here.
        if outside_planes(parameters, homogeneous) & !2 != 0 {
            return Err(Dropped::Invisible);
        }
        return Ok(WindowVertex { window: [x, y, z, reciprocal], homogeneous, outside: 0 });
    }
    let w = position[3];
    let reciprocal = special::rcp(w);
    let (scale, translate) = (parameters.viewport.scale, parameters.translate);
    let axes = [0, 1, 2];
    let [x, y, z] =
        axes.map(|axis| fp::add(fp::mul(fp::mul(position[axis], reciprocal), scale[axis]), translate[axis]));
    let window = [x, y, z, reciprocal];
    let [x, y, z] = axes.map(|axis| fp::add(fp::mul(position[axis], scale[axis]), fp::mul(w, translate[axis])));
    let homogeneous = [x, y, z, w];
    Ok(WindowVertex { window, homogeneous, outside: outside_planes(parameters, homogeneous) })
}

/// A corner in window coordinates: snapped x and y, depth, 1/w.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SetUpCorner {
    pub(crate) point: [i32; 2],
    pub(crate) depth: u32,
    pub(crate) reciprocal: u32,
}

/// Converts window coordinates to subpixels, clamped to the guard band.
fn snap(value: u32) -> i32 {
    let limit = GUARD_PIXELS << SUBPIXEL_BITS;
    fp::float_to_fixed(value, SUBPIXEL_BITS).clamp(-limit, limit)
}

impl SetUpCorner {
    pub(crate) fn of_vertex(vertex: &WindowVertex) -> Self {
        let [x, y, depth, reciprocal] = vertex.window;
        Self { point: [snap(x), snap(y)], depth, reciprocal }
    }

    pub(crate) fn of_corner(corner: &Corner, vertices: &[&WindowVertex]) -> Self {
        if let Some(vertex) = corner.original {
            return Self::of_vertex(vertices[vertex]);
        }
        let [x, y, z, w] = corner.position;
        let reciprocal = special::rcp(w);
        let point = [snap(fp::mul(x, reciprocal)), snap(fp::mul(y, reciprocal))];
        Self { point, depth: fp::mul(z, reciprocal), reciprocal }
    }
}
