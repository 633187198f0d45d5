//! Smooth polygons: fading edges, and the fraction of a pixel that a polygon covers.
//!
//! Each edge of the polygon (not those between the triangles into which it is split) fades over one pixel, half a pixel
//! on either side: at a distance of d pixels inside, it contributes s = clamp(d + 1/2). The losses at the edges add up,
//! so a pixel's coverage is 1 − Σ(1 − s), at least 0. This is exact for one edge and for both sides of a thin triangle,
//! and the coverages of polygons on either side of an edge add up to 1. (OpenGL 2.1, section 3.5.3, asks for an
//! estimate of the area.)
// Unverified: the chip's filter, and that a triangle of a larger polygon uses only its own edges.

use crate::arith::{MINUS_ONE, ONE, fragment as fp};
use crate::pipeline::front_end::assemble_primitives::OUTLINE_SHIFT;
use crate::pipeline::primitive_setup::{LinearFunction, PrimitiveSetup, rounded};

/// How far edges fade outside the polygon, in subpixels.
pub(crate) const FADE: i32 = 8;
/// 1/16: subpixels to pixels.
const SIXTEENTH: u32 = 0x3d80_0000;

/// Moves the outline edges of a triangle half a pixel outward, and stores 1 / (their length × 16) beside them.
///
/// `flags` are those of the primitive. An edge that clipping removed stays unchanged.
pub(crate) fn soften_edges(record: &mut PrimitiveSetup, flags: u32) {
    for edge in 0..3 {
        let LinearFunction { a, b, .. } = record.edges[edge];
        if flags >> (OUTLINE_SHIFT as usize + edge) & 1 == 0 || (a == 0 && b == 0) {
            continue;
        }
        let squared = rounded(i64::from(a) * i64::from(a) + i64::from(b) * i64::from(b));
        let per_length = fp::rsq(squared);
        let length = fp::mul(squared, per_length);
        let reach = i64::from(fp::float_to_fixed(fp::mul(fp::int_to_float(FADE), length), 0));
        // Centers on the edge belong to both sides here.
        let tie = i64::from(!record.edges[edge].is_top_left());
        record.edges[edge] = record.edges[edge].raised(reach + tie);
        record.span[edge] = fp::mul(per_length, SIXTEENTH);
    }
}

/// The coverage of a pixel, 0..1.
#[must_use]
pub fn polygon_coverage(record: &PrimitiveSetup, x: u32, y: u32) -> u32 {
    let mut coverage = ONE;
    for (edge, per_unit) in record.edges.iter().zip(&record.span[..3]) {
        if *per_unit != 0 {
            let kept = fp::saturate(fp::mul(edge.float_at(i64::from(x), i64::from(y)), *per_unit));
            coverage = fp::add(coverage, fp::add(kept, MINUS_ONE));
        }
    }
    fp::saturate(coverage)
}
