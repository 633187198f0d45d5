//! Sets up the plane equations that SIMT fragment programs evaluate.
//!
//! The values of an interpolant at the corners of a primitive are a0, a1, a2, divided by w for perspective. Over the window,
//! the weights of the corners are the integer functions of the primitive setup; those of corners 1 and 2 in steps of the
//! whole weight, w1 and w2, are rounded to floats where they are used. The value at a place is
//! (a0 + w1 × (a1 − a0)) + w2 × (a2 − a0), so that equal values stay equal. Each quad has equations of its own, which begin at
//! the corner of its upper left pixel, because a plane has rounding errors in proportion to the distance from there.
//!
//! Source: IEEE Micro 28(2), which has the set-up unit compute plane equations for the special function units.
// Unverified: the order and the rounding of the sums, and where the equations begin.

use super::interpolate::covered_place;
use crate::arith::{ONE, fragment as fp};
use crate::pipeline::front_end::assemble_primitives::{KIND_LINE, KIND_POINT, KIND_TRIANGLE};
use crate::pipeline::front_end::raster_parameters::RasterParameters;
use crate::pipeline::launch::Plane;
use crate::pipeline::primitive_setup::{LinearFunction, PrimitiveSetup, RECORD_CLIPPED, RECORD_FRONT, SUBPIXEL_BITS};
use crate::pipeline::{
    Interpolant, InterpolantMode, InterpolantSource, OutputComponent, PixelCenter, SampleMode, ShadedVertex,
    SimtFragmentStage, SpriteValue, WindowOrigin,
};

/// Half a pixel, in subpixels.
const HALF_PIXEL: i32 = 8;

/// A pixel in subpixels.
const SIXTEEN: u32 = 16f32.to_bits();

/// Sets up the equations of each word of `v[]` for the quad with this upper left pixel. `number` is that of the primitive.
#[must_use]
pub fn plane_equations(
    stage: &SimtFragmentStage,
    parameters: &RasterParameters<'_>,
    vertices: &[ShadedVertex],
    (record, number): (&PrimitiveSetup, u32),
    pixel: [u32; 2],
) -> Vec<Plane> {
    let source = Source { parameters, vertices, record, number, pixel };
    let mut planes = vec![Plane::default(); stage.input_words() as usize];
    for (word, interpolant) in &stage.interpolants {
        planes[usize::from(*word)] = source.plane(*interpolant);
    }
    planes
}

/// The centroid of a pixel's samples in sixteenths from its corner.
#[must_use]
pub fn centroid(mode: SampleMode, coverage: u32, pixel: usize) -> [u8; 2] {
    covered_place(mode, coverage, pixel).map(|place| u8::try_from(HALF_PIXEL + place).unwrap_or(0))
}

/// The place of a sample in sixteenths from its pixel's corner.
#[must_use]
pub fn sample_place(mode: SampleMode, sample: u8) -> [u8; 2] {
    let offset = mode.samples().get(usize::from(sample)).map_or([0; 2], |sample| sample.offset);
    offset.map(|place| u8::try_from(HALF_PIXEL + place).unwrap_or(0))
}

struct Source<'a> {
    parameters: &'a RasterParameters<'a>,
    vertices: &'a [ShadedVertex],
    record: &'a PrimitiveSetup,
    number: u32,
    pixel: [u32; 2],
}

/// The output that an interpolant takes from each vertex.
#[derive(Clone, Copy)]
struct ShownOutput {
    output: OutputComponent,
    is_clamped: bool,
}

impl Source<'_> {
    fn plane(&self, Interpolant { source, mode, is_clamped, sprite }: Interpolant) -> Plane {
        let constant = |value| Plane { origin: value, dx: 0, dy: 0, flat: value };
        if let (Some(sprite), KIND_POINT) = (sprite, self.record.kind()) {
            return self.sprite(sprite, mode);
        }
        match source {
            InterpolantSource::Facing => constant(if self.record.has(RECORD_FRONT) { u32::MAX } else { 0 }),
            InterpolantSource::PrimitiveNumber => constant(self.number),
            InterpolantSource::WindowPosition(axis @ (0 | 1)) => self.position(usize::from(axis)),
            InterpolantSource::WindowPosition(2) => {
                let [z0, d1, d2, _] = self.record.depth;
                self.between(z0, [d1, d2], z0)
            }
            InterpolantSource::WindowPosition(_) => {
                let [q0, q1, q2, _] = self.record.perspective;
                self.between(q0, [fp::sub(q1, q0), fp::sub(q2, q0)], q0)
            }
            InterpolantSource::Output { front, back } => {
                let shows_back = self.parameters.raster.two_sided_color && !self.record.has(RECORD_FRONT);
                let output = ShownOutput { output: back.filter(|_| shows_back).unwrap_or(front), is_clamped };
                let flat = self.output(self.record.provoking_vertex(), output);
                if mode == InterpolantMode::Flat {
                    return constant(flat);
                }
                let corners = match mode {
                    InterpolantMode::FlatPerspective => [flat; 3],
                    _ => self.corners(output),
                };
                let [a0, a1, a2] = match mode {
                    InterpolantMode::Linear | InterpolantMode::Flat => corners,
                    InterpolantMode::Perspective | InterpolantMode::FlatPerspective => {
                        std::array::from_fn(|corner| fp::mul(corners[corner], self.record.perspective[corner]))
                    }
                };
                self.between(a0, [fp::sub(a1, a0), fp::sub(a2, a0)], flat)
            }
        }
    }

    /// Column or row under the coordinate conventions.
    fn position(&self, axis: usize) -> Plane {
        let conventions = self.parameters.window_position;
        let center = if conventions.pixel_center == PixelCenter::Integer { 0.5 } else { 0.0 };
        let start = self.pixel[axis] as f32;
        let (origin, slope) = match conventions.origin {
            WindowOrigin::LowerLeft if axis == 1 => (conventions.height as f32 - start, -1.0_f32),
            _ => (start, 1.0),
        };
        let slopes = [if axis == 0 { slope } else { 0.0 }, if axis == 1 { slope } else { 0.0 }].map(f32::to_bits);
        let origin = (origin - center).to_bits();
        Plane { origin, dx: slopes[0], dy: slopes[1], flat: origin }
    }

    /// What replaces an interpolant on a point, divided by w for perspective.
    // Unverified: that replaced values are divided too, and that flat ones are those where the equation begins.
    fn sprite(&self, sprite: SpriteValue, mode: InterpolantMode) -> Plane {
        let [left, top, per_size, _] = self.record.span;
        let step = fp::mul(per_size, SIXTEEN);
        let along = |axis: usize, first: u32| {
            let subpixels = (self.pixel[axis].cast_signed() << SUBPIXEL_BITS).wrapping_sub(first.cast_signed());
            fp::mul(fp::int_to_float(subpixels), per_size)
        };
        let [origin, dx, dy] = match sprite {
            SpriteValue::S => [along(0, left), step, 0],
            SpriteValue::T(WindowOrigin::UpperLeft) => [along(1, top), 0, step],
            SpriteValue::T(WindowOrigin::LowerLeft) => [fp::sub(ONE, along(1, top)), 0, fp::negate(step)],
            SpriteValue::Zero => [0; 3],
            SpriteValue::One => [ONE, 0, 0],
        };
        let [origin, dx, dy] = match mode {
            InterpolantMode::Perspective | InterpolantMode::FlatPerspective => {
                [origin, dx, dy].map(|value| fp::mul(value, self.record.perspective[0]))
            }
            InterpolantMode::Linear | InterpolantMode::Flat => [origin, dx, dy],
        };
        Plane { origin, dx, dy, flat: origin }
    }

    fn output(&self, vertex: u32, shown: ShownOutput) -> u32 {
        let value = self.vertices.get(vertex as usize).map_or(0, |vertex| shown.output.of(&vertex.outputs));
        if shown.is_clamped { fp::saturate(value) } else { value }
    }

    /// The values of an output at the corners, which are the vertices unless the primitive is clipped.
    fn corners(&self, output: ShownOutput) -> [u32; 3] {
        let [v0, v1, v2, _] = self.record.vertices;
        let [a0, a1, a2] = [v0, v1, v2].map(|vertex| self.output(vertex, output));
        if !self.record.has(RECORD_CLIPPED) {
            return [a0, a1, a2];
        }
        let differences = [fp::sub(a1, a0), fp::sub(a2, a0)];
        let [first, second] = self.record.shares;
        std::array::from_fn(|corner| {
            let part = fp::add(a0, fp::mul(first[corner], differences[0]));
            fp::add(part, fp::mul(second[corner], differences[1]))
        })
    }

    /// The plane through a value at corner 0 and the differences of corners 1 and 2.
    fn between(&self, a0: u32, differences: [u32; 2], flat: u32) -> Plane {
        let [_, _, _, per_area] = self.record.perspective;
        let share = |value: u32| fp::mul(value, per_area);
        let no_weight = LinearFunction::default();
        let weights = match self.record.kind() {
            KIND_TRIANGLE => [self.record.weights[1], self.record.weights[2]],
            KIND_LINE => [self.record.weights[1], no_weight],
            _ => [no_weight; 2],
        };
        let slope = |of: fn(&LinearFunction) -> i32| {
            // A slope has 19 bits, sixteen times as many are one pixel.
            let parts: [u32; 2] = std::array::from_fn(|corner| {
                let change = share((of(&weights[corner]) as f32 * 16.0).to_bits());
                fp::mul(change, differences[corner])
            });
            fp::add(parts[0], parts[1])
        };
        let [x, y] = self.pixel.map(i64::from);
        let origin = (0..2).fold(a0, |sum, corner| {
            let weight = weights[corner].moved([-HALF_PIXEL; 2]).float_at(x, y);
            fp::add(sum, fp::mul(share(weight), differences[corner]))
        });
        Plane { origin, dx: slope(|weight| weight.a), dy: slope(|weight| weight.b), flat }
    }
}

const _: () = assert!(HALF_PIXEL == 1 << (SUBPIXEL_BITS - 1));
