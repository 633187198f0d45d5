//! Sets up lines and points: four half planes around them, and weights along them.

use super::clip_primitives::clip_line;
use super::transform_vertices::{Dropped, SetUpCorner, WindowVertex};
use crate::arith::{ONE, fragment as fp, special};
use crate::pipeline::SampleMode;
use crate::pipeline::front_end::raster_parameters::RasterParameters;
use crate::pipeline::primitive_setup::{
    LinearFunction, PrimitiveSetup, RECORD_BACKWARD, RECORD_CLIPPED, RECORD_VALID, RECORD_Y_MAJOR, SUBPIXEL_BITS,
    rounded,
};

/// Largest point, in subpixels.
// Unverified: the maximum size that the chip draws.
const MAX_POINT: i32 = 4095 << SUBPIXEL_BITS;

/// 1/16: subpixels to pixels.
const SIXTEENTH: u32 = 0x3d80_0000;

/// How far smooth lines fade out beyond their edges, in subpixels.
const FADE: i32 = 8;

/// Sets up a line.
///
/// In each column (row) of their major axis, aliased lines cover as many pixels as they are wide, from the first end up
/// to but excluding the last (by the diamond-exit rule of OpenGL 2.1, section 3.4.1). Smooth lines cover the rectangle
/// along their direction and half a pixel around it. With multisampling, lines cover the samples in that rectangle,
/// with no margin (OpenGL 2.1, section 3.4.4).
// Unverified: that the chip follows the rule.
pub(crate) fn set_up_line(
    parameters: &RasterParameters<'_>,
    record: &mut PrimitiveSetup,
    vertices: [&WindowVertex; 2],
) -> Result<(), Dropped> {
    let [outside_a, outside_b] = vertices.map(|vertex| vertex.outside);
    if outside_a & outside_b != 0 {
        return Err(Dropped::Invisible);
    }
    let clipped = clip_line(parameters, vertices.map(|vertex| vertex.homogeneous), outside_a | outside_b)
        .ok_or(Dropped::Invisible)?;
    let [a, b] = clipped.map(|corner| SetUpCorner::of_corner(&corner, &vertices));
    let delta = [0, 1].map(|axis| i64::from(b.point[axis]) - i64::from(a.point[axis]));
    let [dx, dy] = delta;
    if dx == 0 && dy == 0 {
        return Err(Dropped::Invisible);
    }
    let squared = dx * dx + dy * dy;
    let is_y_major = dy.abs() > dx.abs();
    let major = usize::from(is_y_major);
    let sign = delta[major].signum();

    record.set(RECORD_VALID, true);
    record.set(RECORD_CLIPPED, (outside_a | outside_b) != 0);
    record.set(RECORD_Y_MAJOR, is_y_major);
    record.set(RECORD_BACKWARD, sign < 0);
    let to_end = LinearFunction::through(-dx, -dy, b.point, 0);
    let from_start = LinearFunction::through(dx, dy, a.point, 0);
    record.weights = [to_end, from_start, LinearFunction::default()];
    record.perspective = [a.reciprocal, b.reciprocal, 0, special::rcp(rounded(squared))];
    record.depth = [a.depth, fp::sub(b.depth, a.depth), 0, record.depth[3]];
    record.shares = [[clipped[0].shares[0], clipped[1].shares[0], 0, 0], [0; 4]];

    let width = parameters.raster.line_width_eighths;
    let is_multisampled = parameters.raster.samples != SampleMode::One;
    let around = if is_multisampled || parameters.has_smooth_lines {
        let fade = if is_multisampled { 0 } else { FADE };
        let reach = width.max(8).cast_signed() + fade;
        let length = fp::mul(rounded(squared), fp::rsq(rounded(squared)));
        let scaled = |subpixels: i32| i64::from(fp::float_to_fixed(fp::mul(fp::int_to_float(subpixels), length), 0));
        // OpenGL 2.1, section 3.4.2.3: the stipple of smooth lines counts units of length, not pixels of the major axis.
        let pixels = fp::float_to_fixed(fp::mul(length, SIXTEENTH), 0);
        let pixels_per_unit = fp::mul(fp::rsq(rounded(squared)), SIXTEENTH);
        record.span = [fp::mul(fp::int_to_float(reach), SIXTEENTH), pixels.cast_unsigned(), 0, pixels_per_unit];
        // It has no effect, because its corner has no 1/w.
        record.weights[2] = LinearFunction::through(-dy, dx, a.point, 0);
        record.edges = [
            LinearFunction::through(-dy, dx, a.point, scaled(reach)),
            LinearFunction::through(dy, -dx, a.point, scaled(reach)),
            LinearFunction::through(dx, dy, a.point, scaled(fade)),
            LinearFunction::through(-dx, -dy, b.point, scaled(fade)),
        ];
        if is_multisampled {
            record.edges = record.edges.map(LinearFunction::without_ties);
        }
        reach + fade
    } else {
        // OpenGL 2.1, section 3.4.2.1: the width of aliased lines is rounded to an integer, at least 1.
        let half = ((width + 4) / 8).max(1).cast_signed() * 8;
        let reach = i64::from(half) * delta[major].abs();
        // Grows across the line: downward for x-major lines, to the right for y-major ones.
        let across = if is_y_major { [sign * dy, -sign * dx] } else { [-sign * dy, sign * dx] };
        let along = if is_y_major { [0, sign] } else { [sign, 0] };
        let first = first_pixel(a.point, is_y_major, sign);
        let behind = first_pixel(b.point, is_y_major, sign);
        let step = if sign < 0 { -1 } else { 1 };
        record.span = [first.cast_unsigned(), ((behind - first) * step).cast_unsigned(), 0, 0];
        let center = |pixel: i32| [(pixel << SUBPIXEL_BITS) + 8; 2];
        record.edges = [
            LinearFunction::through(across[0], across[1], a.point, reach),
            LinearFunction::through(-across[0], -across[1], a.point, reach).exclusive(),
            LinearFunction::through(along[0], along[1], center(first), 0),
            LinearFunction::through(-along[0], -along[1], center(behind - step), 0),
        ];
        // The line covers its first and last pixel, whose centers can lie half a pixel beyond its ends.
        half + 8
    };
    let low = [0, 1].map(|axis: usize| a.point[axis].min(b.point[axis]) - around - 1);
    let high = [0, 1].map(|axis: usize| a.point[axis].max(b.point[axis]) + around + 1);
    record.fit_bounds(parameters, low, high);
    Ok(())
}

/// The first pixel along the major axis of a line that starts at a point; a line that ends there has its last pixel
/// before this one.
///
/// A pixel is drawn when the line leaves its diamond, |x| + |y| ≤ 1/2 around the center: a line that ends before the
/// center or inside the diamond leaves it to the next line. The diamond contains its two lower edges and its bottom
/// corner, for y-major lines also its right corner (US patent 8,482,567, claim 4; Direct3D 10 has the same area).
// Unverified: that the chip's diamond has these edges. OpenGL 2.1, section 3.4.1, moves ends by −(ε, ε²) in principle and
// allows other choices.
const fn first_pixel(point: [i32; 2], is_y_major: bool, sign: i64) -> i32 {
    let [x, y] = point;
    // Corners count as the right corner of the left pixel and the bottom corner of the upper one: −7..=8 from the center.
    let (column, row) = ((x - 1) >> SUBPIXEL_BITS, (y - 1) >> SUBPIXEL_BITS);
    let (dx, dy) = (((x - 1) & 15) - 7, ((y - 1) & 15) - 7);
    let (pixel, offset) = if is_y_major { (row, dy) } else { (column, dx) };
    let distance = dx.abs() + dy.abs();
    let is_in_diamond = distance < 8 || (distance == 8 && (dy > 0 || (is_y_major && dx == 8)));
    let has_passed = (offset > 0) == (sign > 0);
    if !has_passed || is_in_diamond {
        pixel
    } else if sign > 0 {
        pixel + 1
    } else {
        pixel - 1
    }
}

/// Sets up a point: a square around its position.
// Unverified: multisampled points are also squares of their exact size; OpenGL 2.1, section 3.3.3, requires circles.
pub(crate) fn set_up_point(
    parameters: &RasterParameters<'_>,
    record: &mut PrimitiveSetup,
    outputs: &[[u32; 4]],
    vertex: &WindowVertex,
) -> Result<(), Dropped> {
    if vertex.outside != 0 {
        return Err(Dropped::Invisible);
    }
    let corner = SetUpCorner::of_vertex(vertex);
    let raster = parameters.raster;
    let size = parameters.outputs.point_size.map_or(raster.point_size, |output| output.of(outputs));
    let mut size = fp::float_to_fixed(size, SUBPIXEL_BITS).clamp(1 << SUBPIXEL_BITS, MAX_POINT);
    let half = |size: i32| size >> 1;
    let low = if !raster.centers_points_exactly() && raster.samples == SampleMode::One {
        // OpenGL 2.1, section 3.3.1: the size of points that are neither smooth nor sprites is rounded to an integer;
        // an odd square is centered on the middle of the pixel, an even one on the nearest corner. OpenGL's rows count
        // upward, so a position between two rows belongs to the upper one.
        size = (size + 8) & !15;
        let is_odd = size & 16 != 0;
        let [x, y] = corner.point;
        [x, y - 1].map(
            |position| if is_odd { (position & !15) + 8 - half(size) } else { ((position + 8) & !15) - half(size) },
        )
    } else {
        corner.point.map(|position| position - half(size))
    };
    let high = low.map(|position| position + size);
    record.set(RECORD_VALID, true);
    record.weights[0] = LinearFunction { low: 1, ..LinearFunction::default() };
    record.perspective = [corner.reciprocal, 0, 0, ONE];
    record.depth = [corner.depth, 0, 0, record.depth[3]];
    record.span = [low[0] as u32, low[1] as u32, special::rcp(fp::int_to_float(size)), 0];
    record.edges = [
        LinearFunction::through(1, 0, low, 0),
        LinearFunction::through(0, 1, low, 0),
        LinearFunction::through(-1, 0, high, 0).exclusive(),
        LinearFunction::through(0, -1, high, 0).exclusive(),
    ];
    record.fit_bounds(parameters, low, high);
    Ok(())
}
