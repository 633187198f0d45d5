//! Turns set-up records into covered quads, tile by tile: half planes, clip rectangles, stipples, user clip planes.

use crate::arith::fragment as fp;
use crate::pipeline::SampleMode;
use crate::pipeline::ShadedVertex;
use crate::pipeline::front_end::assemble_primitives::{KIND_LINE, KIND_MASK, KIND_TRIANGLE};
use crate::pipeline::front_end::raster_parameters::{
    LINE_SMOOTH, LINE_STIPPLE, POLYGON_STIPPLE, RasterParameters, USER_CLIP, WINDOW_CLIP, WINDOW_CLIP_EXCLUSIVE,
};
use crate::pipeline::primitive_setup::{PrimitiveSetup, RECORD_BACKWARD, RECORD_Y_MAJOR};
use crate::reference::interp::interpolate::Weights;

/// Pixels of a quad relative to its upper left one.
pub const QUAD_PIXELS: [(u32, u32); 4] = [(0, 0), (1, 0), (0, 1), (1, 1)];

/// A 2×2 quad that a primitive touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoveredQuad {
    /// The set-up record.
    pub record: u32,
    /// Column of the left pixels; even.
    pub x: u32,
    /// Row of the upper pixels; even.
    pub y: u32,
    /// Bit 4 × s + i: sample s of pixel i is covered; never 0. Without multisampling only sample 0, the centre, counts.
    pub coverage: u16,
}

/// The quads of one tile in submission order, row by row within a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// First column.
    pub x: u32,
    /// First row.
    pub y: u32,
    /// The quads.
    pub quads: Vec<CoveredQuad>,
}

/// Finds the quads of every tile that the clip rectangle touches, tiles row by row.
///
/// `tile_size` is a power of two, at least 2. Which quads are found does not depend on it.
#[must_use]
pub fn rasterize_tiles(
    parameters: &RasterParameters,
    vertices: &[ShadedVertex],
    records: &[PrimitiveSetup],
    tile_size: u32,
) -> Vec<Tile> {
    let [left, top, right, bottom] = parameters.clip;
    if left >= right || top >= bottom {
        return Vec::new();
    }
    let (first, last) = ([left / tile_size, top / tile_size], [(right - 1) / tile_size, (bottom - 1) / tile_size]);
    let columns = last[0] - first[0] + 1;
    let mut tiles = Vec::new();
    for row in first[1]..=last[1] {
        for column in first[0]..=last[0] {
            tiles.push(Tile { x: column * tile_size, y: row * tile_size, quads: Vec::new() });
        }
    }
    for (index, record) in (0..).zip(records).filter(|(_, record)| record.is_valid()) {
        let [x0, y0] = [record.header[1] & 0xffff, record.header[1] >> 16];
        let [x1, y1] = [record.header[2] & 0xffff, record.header[2] >> 16];
        let samples: Vec<_> = parameters.samples().offsets().iter().map(|offset| record.moved(*offset)).collect();
        for y in (y0 & !1..=y1).step_by(2) {
            for x in (x0 & !1..=x1).step_by(2) {
                let moved = samples.iter().zip(0..);
                let coverage = moved
                    .map(|(record, sample)| u16::from(coverage(parameters, vertices, record, x, y)) << (4 * sample))
                    .fold(0, |all, sample| all | sample);
                if coverage != 0 {
                    let tile = (y / tile_size - first[1]) * columns + x / tile_size - first[0];
                    tiles[tile as usize].quads.push(CoveredQuad { record: index, x, y, coverage });
                }
            }
        }
    }
    tiles
}

/// The pixels of the quad at (x, y) of which one sample is covered; the record is moved to that sample.
fn coverage(parameters: &RasterParameters, vertices: &[ShadedVertex], record: &PrimitiveSetup, x: u32, y: u32) -> u8 {
    let [left, top, right, bottom] = parameters.clip;
    let inside = |(dx, dy): (u32, u32)| {
        let (x, y) = (x + dx, y + dy);
        let clipped = x < left || x >= right || y < top || y >= bottom;
        !clipped
            && record.edges.iter().all(|edge| edge.at(i64::from(x), i64::from(y)) >= 0)
            && passes_window_clip(parameters, x, y)
            && passes_stipple(parameters, record, x, y)
    };
    let mut mask = 0;
    for (pixel, offset) in QUAD_PIXELS.into_iter().enumerate() {
        mask |= u8::from(inside(offset)) << pixel;
    }
    if mask != 0 && parameters.flags & USER_CLIP != 0 {
        for (pixel, (dx, dy)) in QUAD_PIXELS.into_iter().enumerate() {
            let weights = Weights::at(record, x + dx, y + dy);
            mask &= !(u8::from(!passes_user_clip(parameters, vertices, record, weights)) << pixel);
        }
    }
    mask
}

pub(crate) fn passes_window_clip(parameters: &RasterParameters, x: u32, y: u32) -> bool {
    if parameters.flags & WINDOW_CLIP == 0 {
        return true;
    }
    let inside = parameters.window_clips.iter().any(|[x0, y0, x1, y1]| x >= *x0 && x < *x1 && y >= *y0 && y < *y1);
    inside != (parameters.flags & WINDOW_CLIP_EXCLUSIVE != 0)
}

// Unverified: the most significant bit of a stipple word is column 0, and rows count in memory order.
fn passes_stipple(parameters: &RasterParameters, record: &PrimitiveSetup, x: u32, y: u32) -> bool {
    let kind = record.header[0] & KIND_MASK;
    if kind == KIND_TRIANGLE && parameters.flags & POLYGON_STIPPLE != 0 {
        let row = (y & 31) as usize;
        return parameters.stipple[row / 4][row % 4] << (x & 31) >> 31 != 0;
    }
    if kind == KIND_LINE && parameters.flags & LINE_STIPPLE != 0 && parameters.samples() != SampleMode::One {
        // Steps are units of length along the line (OpenGL 2.1, section 3.4.4).
        let distance = fp::mul(record.weights[1].float_at(i64::from(x), i64::from(y)), record.span[3]);
        let steps = fp::float_to_int_floor(distance).cast_unsigned();
        return is_stipple_on(parameters, record.span[2].wrapping_add(steps));
    }
    // The stipple of smooth lines is part of their coverage.
    if kind == KIND_LINE && parameters.flags & (LINE_STIPPLE | LINE_SMOOTH) == LINE_STIPPLE {
        let steps = line_steps(record, x, y);
        return is_stipple_on(parameters, record.span[2].wrapping_add(steps));
    }
    true
}

const fn is_stipple_on(parameters: &RasterParameters, counter: u32) -> bool {
    let [_, _, repeat, pattern] = parameters.shapes;
    pattern >> ((counter / repeat) & 15) & 1 != 0
}

/// How many stipple steps a pixel is from the start of its line.
const fn line_steps(record: &PrimitiveSetup, x: u32, y: u32) -> u32 {
    let position = if record.header[0] & RECORD_Y_MAJOR != 0 { y } else { x };
    let is_backward = record.header[0] & RECORD_BACKWARD != 0;
    if is_backward { record.span[0].wrapping_sub(position) } else { position.wrapping_sub(record.span[0]) }
}

fn passes_user_clip(
    parameters: &RasterParameters,
    vertices: &[ShadedVertex],
    record: &PrimitiveSetup,
    weights: Weights,
) -> bool {
    parameters.clip_planes.iter().filter(|plane| **plane != 0).all(|plane| {
        let (register, component) = ((plane >> 2 & 15) as usize, (plane & 3) as usize);
        let value = |vertex: u32| vertices.get(vertex as usize).map_or(0, |v| v.outputs[register][component]);
        let [v0, v1, v2, _] = record.vertices;
        let distance = weights.interpolate(value(v0), value(v1), value(v2));
        let is_negative = fp::is_less(distance, 0);
        let is_positive = fp::is_less_equal(0, distance);
        if plane >> 8 == 1 { is_negative } else { is_positive }
    })
}
