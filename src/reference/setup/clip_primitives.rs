//! Clips triangles and lines whose window coordinates would leave the range of primitive setup.
//!
//! Clipping works on homogeneous window coordinates: the clip-space position after scale and translation, before the
//! division by w. Everything inside the range is left to tests per pixel.

use crate::arith::{ONE, fragment as fp, special};
use crate::pipeline::front_end::raster_parameters::{GUARD_PIXELS, RasterParameters};

/// Planes: w, depth, right, left, bottom, top.
pub(crate) const PLANES: usize = 6;
/// The maximum number of corners of a triangle after six planes. Rounding of huge coordinates may break convexity;
/// further corners are then dropped.
const CORNERS: usize = 9;
/// Smallest w used as a divisor: 2^-40.
const MIN_W: u32 = 0x2b80_0000;
const GUARD: u32 = (GUARD_PIXELS as f32).to_bits();

/// A corner of a clipped primitive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Corner {
    /// X, Y, Z, W in homogeneous window coordinates.
    pub(crate) position: [u32; 4],
    /// Shares of vertices 1 and 2 of the primitive.
    pub(crate) shares: [u32; 2],
    /// The vertex of the primitive at this corner; `None` for a corner that clipping made.
    pub(crate) original: Option<usize>,
    /// The edge of the primitive that leads to the next corner; `None` for an edge that clipping made.
    pub(crate) edge: Option<usize>,
}

/// Distances from the planes; inside is 0 or more.
fn distance(parameters: &RasterParameters<'_>, position: [u32; 4], plane: usize) -> u32 {
    let [x, y, z, w] = position;
    let guard = fp::mul(w, GUARD);
    match plane {
        0 => fp::sub(w, MIN_W),
        // Depth −1 is far enough in front of the range, and keeps corner depths of similar magnitude to the range.
        1 if parameters.viewport.clips_depth => fp::add(z, w),
        1 => 0,
        2 => fp::sub(guard, x),
        3 => fp::add(guard, x),
        4 => fp::sub(guard, y),
        _ => fp::add(guard, y),
    }
}

fn is_inside(distance: u32) -> bool {
    fp::is_less_equal(0, distance)
}

/// Bit i: the position lies outside plane i. NaN is outside.
pub(crate) fn outside_planes(parameters: &RasterParameters<'_>, position: [u32; 4]) -> u32 {
    (0..PLANES).fold(0, |code, plane| code | u32::from(!is_inside(distance(parameters, position, plane))) << plane)
}

/// Clips a convex polygon against every plane of `code`, in order; the result has fewer than three corners if nothing
/// remains.
pub(crate) fn clip_polygon(parameters: &RasterParameters<'_>, positions: [[u32; 4]; 3], code: u32) -> Vec<Corner> {
    let mut corners: Vec<_> = (0..3)
        .map(|index| Corner {
            position: positions[index],
            shares: [1, 2].map(|vertex| if index == vertex { ONE } else { 0 }),
            original: Some(index),
            edge: Some(index),
        })
        .collect();
    for plane in (0..PLANES).filter(|plane| code >> plane & 1 != 0) {
        let mut kept = Vec::new();
        for (index, corner) in corners.iter().enumerate() {
            let next = &corners[(index + 1) % corners.len()];
            let here = distance(parameters, corner.position, plane);
            let there = distance(parameters, next.position, plane);
            match (is_inside(here), is_inside(there)) {
                (true, true) => kept.push(*corner),
                (true, false) => kept.extend([*corner, cut(corner, next, here, there, None)]),
                (false, true) => kept.push(cut(next, corner, there, here, corner.edge)),
                (false, false) => {}
            }
        }
        kept.truncate(CORNERS);
        corners = kept;
    }
    corners
}

/// Clips a line against every plane of `code`; `None` if nothing remains.
pub(crate) fn clip_line(parameters: &RasterParameters<'_>, ends: [[u32; 4]; 2], code: u32) -> Option<[Corner; 2]> {
    let mut corners = [0, 1].map(|index| Corner {
        position: ends[index],
        shares: [if index == 1 { ONE } else { 0 }, 0],
        original: Some(index),
        edge: None,
    });
    for plane in (0..PLANES).filter(|plane| code >> plane & 1 != 0) {
        let [here, there] = [0, 1].map(|index: usize| distance(parameters, corners[index].position, plane));
        match (is_inside(here), is_inside(there)) {
            (true, true) => {}
            (true, false) => corners[1] = cut(&corners[0], &corners[1], here, there, None),
            (false, true) => corners[0] = cut(&corners[1], &corners[0], there, here, None),
            (false, false) => return None,
        }
    }
    Some(corners)
}

/// The intersection of a plane with the edge between an inside and an outside corner. It is always computed from the
/// inside, so that primitives that share the edge get the same point.
fn cut(inside: &Corner, outside: &Corner, here: u32, there: u32, edge: Option<usize>) -> Corner {
    let share = fp::mul(here, special::rcp(fp::sub(here, there)));
    let between = |a: u32, b: u32| fp::add(a, fp::mul(share, fp::sub(b, a)));
    Corner {
        position: std::array::from_fn(|axis| between(inside.position[axis], outside.position[axis])),
        shares: std::array::from_fn(|vertex| between(inside.shares[vertex], outside.shares[vertex])),
        original: None,
        edge,
    }
}
