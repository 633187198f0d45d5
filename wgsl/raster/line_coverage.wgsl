// Computes the share of each pixel that a smooth line covers from its primitive setup; the twin of
// `line_coverage.rs`.

import package::arith::convert::{fp_float_to_int_floor, fp_int_to_float};
import package::arith::fragment::{fp_absolute, fp_add, fp_less, fp_min, fp_mul, fp_saturate, fp_sub};
import package::raster::parameters::{raster, LINE_STIPPLE};
import package::setup::primitive_setup::linear_floats;

const HALF_BITS: vec4u = vec4u(0x3f000000u);

fn is_stipple_on(counter: vec4u) -> vec4<bool> {
    return ((raster.shapes.wwww >> ((counter / raster.shapes.zzzz) & vec4u(15u))) & vec4u(1u)) != vec4u(0u);
}

// The coverage by the stipple steps on both sides of the nearest border between steps; steps outside the line are
// off.
fn run_coverage(first: u32, from_start: vec4u, to_end: vec4u) -> vec4u {
    let step = fp_float_to_int_floor(fp_add(from_start, HALF_BITS));
    let beyond = fp_sub(from_start, fp_int_to_float(step));
    let counter = vec4u(first) + bitcast<vec4u>(step);
    let before = (step > vec4i(0)) & is_stipple_on(counter - vec4u(1u));
    let after = fp_less(vec4u(0u), fp_add(to_end, beyond)) & is_stipple_on(counter);
    let end = select(vec4u(0u), fp_saturate(fp_sub(HALF_BITS, beyond)), before);
    let start = select(vec4u(0u), fp_saturate(fp_add(HALF_BITS, beyond)), after);
    return select(end | start, vec4u(0x3f800000u), before & after);
}

// The coverage of the pixels of a quad, 0..1.
fn line_coverage(functions: array<vec4i, 3>, span: vec4u, x: i32, y: i32) -> vec4u {
    let to_end = fp_mul(linear_floats(functions[0], x, y), span.wwww);
    let from_start = fp_mul(linear_floats(functions[1], x, y), span.wwww);
    let aside = fp_mul(linear_floats(functions[2], x, y), span.wwww);
    let across = fp_saturate(fp_sub(span.xxxx, fp_absolute(aside)));
    var along = fp_saturate(fp_add(fp_min(from_start, to_end), HALF_BITS));
    if (raster.flags & LINE_STIPPLE) != 0u {
        along = fp_min(along, run_coverage(span.z, from_start, to_end));
    }
    return fp_mul(across, along);
}
