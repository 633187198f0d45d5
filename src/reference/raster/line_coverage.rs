//! Turns the setup of a smooth line into the fraction of a pixel that the line covers.
//!
//! A smooth line is a rectangle of the line's width with edges that fade over one pixel: half a pixel on each side of
//! the edge. The coverage is the product of the coverages across and along the line, so corners fade in both
//! directions. With a stipple, each run of enabled steps is such a rectangle. (OpenGL 2.1, section 3.4.2.3, leaves the
//! filter open.)
// Unverified: the chip's filter, and that stippled runs end like lines.

use crate::arith::{ONE, fragment as fp};
use crate::pipeline::front_end::raster_parameters::RasterParameters;
use crate::pipeline::primitive_setup::PrimitiveSetup;

const HALF: u32 = 0x3f00_0000;

/// The coverage of a pixel, 0..1.
#[must_use]
pub fn line_coverage(parameters: &RasterParameters<'_>, record: &PrimitiveSetup, x: u32, y: u32) -> u32 {
    let [reach, _, _, pixels_per_unit] = record.span;
    let [to_end, from_start, aside] =
        record.weights.map(|weight| fp::mul(weight.float_at(i64::from(x), i64::from(y)), pixels_per_unit));
    let across = fp::saturate(fp::sub(reach, fp::absolute(aside)));
    let mut along = fp::saturate(fp::add(fp::min(from_start, to_end), HALF));
    if let Some(stipple) = parameters.raster.line_stipple {
        along = fp::min(along, run_coverage(stipple, record, from_start, to_end));
    }
    fp::mul(across, along)
}

/// The coverage by the stipple steps on both sides of the nearest step boundary; steps outside the line are off.
fn run_coverage(stipple: (u32, u16), record: &PrimitiveSetup, from_start: u32, to_end: u32) -> u32 {
    let is_on = |step: i32| is_stipple_on(stipple, record.span[2].wrapping_add(step.cast_unsigned()));
    let step = fp::float_to_int_floor(fp::add(from_start, HALF));
    let beyond = fp::sub(from_start, fp::int_to_float(step));
    let is_before_on = step > 0 && is_on(step.wrapping_sub(1));
    let is_after_on = fp::is_less(0, fp::add(to_end, beyond)) && is_on(step);
    match (is_before_on, is_after_on) {
        (true, true) => ONE,
        (true, false) => fp::saturate(fp::sub(HALF, beyond)),
        (false, true) => fp::saturate(fp::add(HALF, beyond)),
        (false, false) => 0,
    }
}

/// Whether the line stipple, (repeat, pattern), draws the pixels at a counter value.
pub(crate) const fn is_stipple_on((repeat, pattern): (u32, u16), counter: u32) -> bool {
    pattern >> ((counter / repeat) & 15) & 1 != 0
}
