//! Turns a covered quad into the inputs of its fragments: perspective-correct interpolants of its four pixels.

use super::quad_weights::Weights;
use crate::arith::{ONE, fragment as fp, special};
use crate::pipeline::front_end::assemble_primitives::{KIND_LINE, KIND_POINT, KIND_TRIANGLE};
use crate::pipeline::front_end::raster_parameters::{RasterParameters, TextureCoordinate};
use crate::pipeline::primitive_setup::{PrimitiveSetup, RECORD_FRONT};
use crate::pipeline::{
    Fog, FogCurve, PixelCenter, QuadInputs, QuadSamples, Sample, SampleMode, ShadedVertex, SpriteR, WindowOrigin,
    WindowPosition,
};
use crate::reference::raster::line_coverage::line_coverage;
use crate::reference::raster::polygon_coverage::polygon_coverage;
use crate::reference::raster::rasterize_tiles::{CoveredQuad, QUAD_PIXELS};

const HALF: u32 = 0x3f00_0000;
/// 11.084 × log2(e): the exponential fog of FOGC.y, as a power of two.
const EXPONENTIAL: u32 = 0x417f_da72;
/// 4.709 × sqrt(log2(e)).
const EXPONENTIAL_SQUARED: u32 = 0x40b4_fea7;
const MINUS_ONE_AND_A_HALF: u32 = 0xbfc0_0000;
const MINUS_ONE: u32 = 0xbf80_0000;

/// Gathers the inputs of a quad's fragments. Pixels outside the depth range, and those with zero coverage by a smooth
/// line, are removed from its coverage.
#[must_use]
pub fn interpolate(
    parameters: &RasterParameters<'_>,
    vertices: &[ShadedVertex],
    record: &PrimitiveSetup,
    quad: CoveredQuad,
) -> QuadInputs {
    let weights = QUAD_PIXELS.map(|(dx, dy)| Weights::at(record, quad.x + dx, quad.y + dy));
    let is_front_facing = record.has(RECORD_FRONT);
    let centroids = centroids(parameters, record, quad).unwrap_or(weights);
    let source = Source { parameters, vertices, record, weights, centroids, quad };
    let samples = samples(parameters, record, quad);
    let mut coverage = match &samples {
        Some(samples) => samples.coverage.iter().fold(0, |all, sample| all | sample),
        None => pixels_in_range(parameters, quad.coverage, weights.map(|weights| weights.depth)),
    };
    let alpha_coverage = alpha_coverage(parameters, record, quad);
    for (pixel, share) in alpha_coverage.iter().flatten().enumerate() {
        coverage &= !(u8::from(*share == 0) << pixel);
    }
    let depth = weights.map(|weights| final_depth(parameters, record, weights.depth));
    QuadInputs {
        x: quad.x,
        y: quad.y,
        coverage,
        samples,
        alpha_coverage,
        is_front_facing,
        depth,
        slots: (0..parameters.input_slots).map(|slot| source.input(slot, depth)).collect(),
    }
}

/// The pixels of a set of samples whose depth lies in the depth range, if the range clips.
fn pixels_in_range(parameters: &RasterParameters<'_>, coverage: u32, depth: [u32; 4]) -> u8 {
    let viewport = parameters.viewport;
    let is_inside =
        |depth| fp::is_less_equal(viewport.depth_near, depth) && fp::is_less_equal(depth, viewport.depth_far);
    (0..4).fold(0, |pixels, pixel| {
        let is_clipped = viewport.clips_depth && !is_inside(depth[pixel]);
        pixels | u8::from(coverage >> pixel & 1 != 0 && !is_clipped) << pixel
    })
}

/// Coverage and depth sample by sample; `None` without multisampling.
fn samples(parameters: &RasterParameters<'_>, record: &PrimitiveSetup, quad: CoveredQuad) -> Option<QuadSamples> {
    let mode = parameters.raster.samples;
    if mode == SampleMode::One {
        return None;
    }
    let mut samples = QuadSamples::default();
    for (sample, Sample { offset, .. }) in mode.samples().iter().enumerate() {
        let record = record.moved(*offset);
        let depth = QUAD_PIXELS.map(|(dx, dy)| Weights::at(&record, quad.x + dx, quad.y + dy).depth);
        samples.coverage[sample] = pixels_in_range(parameters, quad.coverage >> (4 * sample), depth);
        samples.depth[sample] = depth.map(|depth| final_depth(parameters, &record, depth));
    }
    Some(samples)
}

/// A position that the primitive covers in a pixel, in subpixels from its center: the center of pixels that are fully covered
/// or not covered, the first covered sample of others.
// Unverified: which position the chips use.
pub(super) fn covered_place(mode: SampleMode, coverage: u32, pixel: usize) -> [i32; 2] {
    let samples = mode.samples();
    let is_covered = |sample: &usize| coverage >> (4 * sample + pixel) & 1 != 0;
    let covered: Vec<usize> = (0..samples.len()).filter(is_covered).collect();
    match covered.first() {
        Some(first) if covered.len() < samples.len() => samples[*first].offset,
        _ => [0, 0],
    }
}

/// Weights at a position that the primitive covers in each pixel.
fn centroids(parameters: &RasterParameters<'_>, record: &PrimitiveSetup, quad: CoveredQuad) -> Option<[Weights; 4]> {
    let is_used = parameters.texture_coordinates.iter().any(|coordinate| coordinate.is_centroid);
    is_used.then(|| {
        std::array::from_fn(|pixel| {
            let (dx, dy) = QUAD_PIXELS[pixel];
            let place = covered_place(parameters.raster.samples, quad.coverage, pixel);
            Weights::at(&record.moved(place), quad.x + dx, quad.y + dy)
        })
    })
}

/// The coverage of pixels by smooth lines and polygons; other primitives of such draws cover pixels fully.
fn alpha_coverage(parameters: &RasterParameters<'_>, record: &PrimitiveSetup, quad: CoveredQuad) -> Option<[u32; 4]> {
    let RasterParameters { has_smooth_lines, has_smooth_polygons, .. } = *parameters;
    if !has_smooth_lines && !has_smooth_polygons {
        return None;
    }
    Some(QUAD_PIXELS.map(|(dx, dy)| match record.kind() {
        KIND_LINE if has_smooth_lines => line_coverage(parameters, record, quad.x + dx, quad.y + dy),
        KIND_TRIANGLE if has_smooth_polygons => polygon_coverage(record, quad.x + dx, quad.y + dy),
        _ => ONE,
    }))
}

/// Depth after offset and clamp.
fn final_depth(parameters: &RasterParameters<'_>, record: &PrimitiveSetup, depth: u32) -> u32 {
    let mut depth = fp::add(depth, record.depth[3]);
    let viewport = parameters.viewport;
    if viewport.clamps_depth {
        depth = fp::min(fp::max(depth, viewport.depth_near), viewport.depth_far);
    }
    fp::saturate(depth)
}

/// The fog factor, 0..1, for a fog coordinate.
fn fog_factor(fog: Fog, coordinate: u32) -> u32 {
    let Fog { curve, takes_magnitude, parameters: [p0, p1] } = fog;
    let distance = if takes_magnitude { fp::absolute(coordinate) } else { coordinate };
    let scaled = fp::mul(p1, distance);
    let exponent = |factor| fp::mul(fp::add(fp::add(scaled, p0), MINUS_ONE_AND_A_HALF), factor);
    fp::saturate(match curve {
        FogCurve::Linear => fp::add(scaled, fp::add(p0, MINUS_ONE)),
        FogCurve::Exponential => fp::ex2(exponent(EXPONENTIAL)),
        FogCurve::ExponentialSquared => {
            let root = exponent(EXPONENTIAL_SQUARED);
            fp::ex2(fp::negate(fp::mul(root, root)))
        }
    })
}

struct Source<'a> {
    parameters: &'a RasterParameters<'a>,
    vertices: &'a [ShadedVertex],
    record: &'a PrimitiveSetup,
    weights: [Weights; 4],
    /// Weights at covered positions.
    centroids: [Weights; 4],
    quad: CoveredQuad,
}

impl Source<'_> {
    /// An input slot of programs over registers of four components.
    fn input(&self, slot: usize, depth: [u32; 4]) -> [[u32; 4]; 4] {
        match slot {
            0 => std::array::from_fn(|pixel| self.window_position(pixel, depth[pixel])),
            1 | 2 => {
                let shows_back = self.parameters.raster.two_sided_color && !self.record.has(RECORD_FRONT);
                self.color(self.parameters.outputs.colors[slot - 1 + if shows_back { 2 } else { 0 }])
            }
            3 => self.fog(),
            slot => self.texture_coordinate(self.parameters.texture_coordinates[slot - 4]),
        }
    }

    fn output(&self, vertex: u32, slot: u8) -> [u32; 4] {
        self.vertices.get(vertex as usize).map_or([0; 4], |vertex| vertex.slot(slot))
    }

    /// Interpolates an output slot at every pixel.
    fn slot(&self, slot: u8) -> [[u32; 4]; 4] {
        self.wrapped_slot(slot, self.weights, [false; 4])
    }

    /// Interpolates an output slot with some components that wrap around a cylinder.
    fn wrapped_slot(&self, slot: u8, weights: [Weights; 4], wraps: [bool; 4]) -> [[u32; 4]; 4] {
        let [v0, v1, v2, _] = self.record.vertices;
        let values = [v0, v1, v2].map(|vertex| self.output(vertex, slot));
        weights.map(|weights| {
            std::array::from_fn(|i| {
                let [a0, a1, a2] = values.map(|value| value[i]);
                if wraps[i] { weights.interpolate_around(a0, a1, a2) } else { weights.interpolate(a0, a1, a2) }
            })
        })
    }

    /// Window x and y under the coordinate conventions, depth, 1/w.
    // Unverified: with integer centers and an inverted origin the row is height − 1 − y.
    fn window_position(&self, pixel: usize, depth: u32) -> [u32; 4] {
        let (dx, dy) = QUAD_PIXELS[pixel];
        let WindowPosition { origin, height, pixel_center } = self.parameters.window_position;
        let x = 2 * (self.quad.x + dx) as i32 + 1;
        let y = 2 * (self.quad.y + dy) as i32 + 1;
        let y = if origin == WindowOrigin::LowerLeft { 2 * height as i32 - y } else { y };
        let center = i32::from(pixel_center == PixelCenter::Integer);
        let halves = |value: i32| fp::mul(fp::int_to_float(value - center), HALF);
        [halves(x), halves(y), depth, self.weights[pixel].reciprocal_w]
    }

    /// Interpolates a color, clamped to 0..1.
    fn color(&self, slot: Option<u8>) -> [[u32; 4]; 4] {
        let Some(slot) = slot else { return [[0, 0, 0, ONE]; 4] };
        let colors = if self.parameters.raster.is_flat {
            [self.output(self.record.provoking_vertex(), slot); 4]
        } else {
            self.slot(slot)
        };
        colors.map(|color| color.map(fp::saturate))
    }

    /// Fog coordinate and factor.
    fn fog(&self) -> [[u32; 4]; 4] {
        let fog = |coordinate| [coordinate, fog_factor(self.parameters.fog, coordinate), 0, 0];
        match self.parameters.outputs.fog {
            Some(output) => self.slot(output.slot).map(|value| fog(value[usize::from(output.component)])),
            None => [fog(0); 4],
        }
    }

    /// Interpolates a texture coordinate, or its point sprite replacement.
    fn texture_coordinate(&self, coordinate: TextureCoordinate) -> [[u32; 4]; 4] {
        let TextureCoordinate { slot, is_sprite, is_2d, is_centroid, wraps } = coordinate;
        let weights = if is_centroid { self.centroids } else { self.weights };
        let mut values = slot.map_or([[0; 4]; 4], |slot| self.wrapped_slot(slot, weights, wraps));
        if is_sprite && self.record.kind() == KIND_POINT {
            for (pixel, (dx, dy)) in QUAD_PIXELS.into_iter().enumerate() {
                values[pixel] = self.sprite(self.quad.x + dx, self.quad.y + dy, values[pixel]);
            }
        }
        if is_2d {
            for (value, weights) in values.iter_mut().zip(weights) {
                *value = [value[0], value[1], 0, special::rcp(weights.reciprocal_w)];
            }
        }
        values
    }

    /// The coordinate (s, t, r by mode, 1) of `NV_point_sprite`: s grows with the column and t with the row.
    fn sprite(&self, x: u32, y: u32, replaced: [u32; 4]) -> [u32; 4] {
        let [left, top, per_size, _] = self.record.span;
        let along = |pixel: u32, first: u32| {
            let subpixels = (16 * pixel as i32 + 8).wrapping_sub(first as i32);
            fp::mul(fp::int_to_float(subpixels), per_size)
        };
        let (s, t) = (along(x, left), along(y, top));
        let third = match self.parameters.raster.point_sprite.r {
            SpriteR::R => replaced[2],
            SpriteR::S => replaced[0],
            SpriteR::Zero => 0,
        };
        [s, t, third, ONE]
    }
}
