//! Turns primitive setups into covered quads, tile by tile: half planes, clip rectangles, stipples, user clip planes.

use crate::arith::fragment as fp;
use crate::pipeline::front_end::assemble_primitives::{KIND_LINE, KIND_TRIANGLE};
use crate::pipeline::front_end::raster_parameters::{RasterParameters, UserClip};
use crate::pipeline::primitive_setup::{PrimitiveSetup, RECORD_BACKWARD, RECORD_Y_MAJOR};
use crate::pipeline::{SampleMode, ShadedVertex};
use crate::reference::interp::quad_weights::Weights;
use crate::reference::raster::line_coverage::is_stipple_on;

/// Pixels of a quad relative to its upper left one.
pub const QUAD_PIXELS: [(u32, u32); 4] = [(0, 0), (1, 0), (0, 1), (1, 1)];

/// A 2×2 quad that a primitive touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoveredQuad {
    /// The number of the primitive setup.
    pub record: u32,
    /// Column of the left pixels; even.
    pub x: u32,
    /// Row of the upper pixels; even.
    pub y: u32,
    /// Bit 4 × s + i: sample s of pixel i is covered; never 0. Without multisampling only sample 0, the center, counts.
    pub coverage: u32,
}

impl CoveredQuad {
    /// The first sample that is covered in a pixel.
    #[must_use]
    pub fn sample(&self) -> u8 {
        let [sample, ..] = (self.coverage.trailing_zeros() / 4).to_le_bytes();
        sample
    }
}

/// The pixels with any covered sample, bit i for pixel i, from a quad's four bits per sample.
#[must_use]
pub const fn covered_pixels(coverage: u32) -> u32 {
    let pairs = coverage | coverage >> 16;
    (pairs | pairs >> 4 | pairs >> 8 | pairs >> 12) & 15
}

/// The quads of one tile in submission order, row by row within a primitive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// First column.
    pub x: u32,
    /// First row.
    pub y: u32,
    /// The quads.
    pub quads: Vec<CoveredQuad>,
}

/// Finds the quads of every tile that the clip rectangle touches; tiles run row by row.
///
/// `tile_size` is a power of two, at least 2. The set of quads does not depend on it.
#[must_use]
pub fn rasterize_tiles(
    parameters: &RasterParameters<'_>,
    vertices: &[ShadedVertex],
    records: &[PrimitiveSetup],
    tile_size: u32,
) -> Vec<Tile> {
    let clip = parameters.clip;
    if clip.is_empty() {
        return Vec::new();
    }
    let first = [clip.x / tile_size, clip.y / tile_size];
    let last = [(clip.right() - 1) / tile_size, (clip.bottom() - 1) / tile_size];
    let columns = last[0] - first[0] + 1;
    let mut tiles = Vec::new();
    for row in first[1]..=last[1] {
        for column in first[0]..=last[0] {
            tiles.push(Tile { x: column * tile_size, y: row * tile_size, quads: Vec::new() });
        }
    }
    for (index, record) in (0..).zip(records).filter(|(_, record)| record.is_valid()) {
        let [[x0, y0], [x1, y1]] = record.bounds();
        let samples: Vec<_> =
            parameters.raster.samples.samples().iter().map(|sample| record.moved(sample.offset)).collect();
        for y in (y0 & !1..=y1).step_by(2) {
            for x in (x0 & !1..=x1).step_by(2) {
                let moved = samples.iter().zip(0..);
                let coverage = moved
                    .map(|(record, sample)| u32::from(coverage(parameters, vertices, record, x, y)) << (4 * sample))
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

/// The pixels of the quad at (x, y) with one sample covered; the setup is shifted to that sample.
fn coverage(
    parameters: &RasterParameters<'_>,
    vertices: &[ShadedVertex],
    record: &PrimitiveSetup,
    x: u32,
    y: u32,
) -> u8 {
    let inside = |(dx, dy): (u32, u32)| {
        let (x, y) = (x + dx, y + dy);
        parameters.clip.contains(x, y)
            && record.edges.iter().all(|edge| edge.at(i64::from(x), i64::from(y)) >= 0)
            && passes_window_clip(parameters, x, y)
            && passes_stipple(parameters, record, x, y)
    };
    let mut mask = 0;
    for (pixel, offset) in QUAD_PIXELS.into_iter().enumerate() {
        mask |= u8::from(inside(offset)) << pixel;
    }
    if mask != 0 && parameters.user_clips.iter().any(Option::is_some) {
        for (pixel, (dx, dy)) in QUAD_PIXELS.into_iter().enumerate() {
            let weights = Weights::at(record, x + dx, y + dy);
            let is_kept = |clip: &UserClip| passes_user_clip(clip, vertices, record, weights);
            mask &= !(u8::from(!parameters.user_clips.iter().flatten().all(is_kept)) << pixel);
        }
    }
    mask
}

pub(crate) fn passes_window_clip(parameters: &RasterParameters<'_>, x: u32, y: u32) -> bool {
    parameters.window_clip.is_none_or(|clip| clip.keeps(x, y))
}

fn passes_stipple(parameters: &RasterParameters<'_>, record: &PrimitiveSetup, x: u32, y: u32) -> bool {
    let raster = parameters.raster;
    match (record.kind(), &raster.polygon_stipple, raster.line_stipple) {
        (KIND_TRIANGLE, Some(rows), _) => rows[(y & 31) as usize] << (x & 31) >> 31 != 0,
        // The stipple of smooth lines is part of their coverage.
        (KIND_LINE, _, Some(stipple)) if !parameters.has_smooth_lines => {
            let steps = if raster.samples == SampleMode::One {
                line_steps(record, x, y)
            } else {
                // Steps are units of length along the line (OpenGL 2.1, section 3.4.4).
                let distance = fp::mul(record.weights[1].float_at(i64::from(x), i64::from(y)), record.span[3]);
                fp::float_to_int_floor(distance).cast_unsigned()
            };
            is_stipple_on(stipple, record.span[2].wrapping_add(steps))
        }
        _ => true,
    }
}

/// The number of stipple steps between a pixel and the start of its line.
const fn line_steps(record: &PrimitiveSetup, x: u32, y: u32) -> u32 {
    let position = if record.has(RECORD_Y_MAJOR) { y } else { x };
    if record.has(RECORD_BACKWARD) {
        record.span[0].wrapping_sub(position)
    } else {
        position.wrapping_sub(record.span[0])
    }
}

/// Whether a user clip plane keeps a pixel. The sign of the interpolated distance decides, and 0 is not negative (US patent
/// 7,719,545, claim 1). The two modes divide a primitive into halves without a common pixel.
// Unverified: that the interpolated distance alone decides, rather than a clipped edge with the fill rule.
fn passes_user_clip(clip: &UserClip, vertices: &[ShadedVertex], record: &PrimitiveSetup, weights: Weights) -> bool {
    let value = |vertex: u32| vertices.get(vertex as usize).map_or(0, |vertex| clip.distance.of(&vertex.outputs));
    let [v0, v1, v2, _] = record.vertices;
    let distance = weights.interpolate(value(v0), value(v1), value(v2));
    if clip.keeps_negative { fp::is_less(distance, 0) } else { fp::is_less_equal(0, distance) }
}
