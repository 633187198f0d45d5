//! The table of operations: a name, the WGSL expression, and the Rust function that it must equal.

use std::borrow::Cow;

use curie::arith::vertex::VertexRuleSet::{self, Nv40Legacy as Legacy, Nv40Modern as Modern};
use curie::arith::vertex_functions::{AddressFunction, VertexFunction, VertexShape};
use curie::arith::{fragment, pica, vertex, vertex_v2};
use curie::shader::fragment_function::FragmentFunction;

use super::functions::{function_rows, gives_vectors};
use Twin::{Lanes, Quad, Vector};

/// How the Rust side of a row receives its operands.
#[derive(Clone, Copy)]
pub(crate) enum Twin {
    /// Each lane separately.
    Lanes(fn(u32, u32, u32) -> u32),
    /// The four lanes are the components of one vertex.
    Vector(fn([u32; 4], [u32; 4], [u32; 4]) -> [u32; 4]),
    /// Each lane is a pixel whose vector is the operand rotated to begin with that lane.
    Quad(fn([u32; 4], [u32; 4], [u32; 4]) -> [u32; 4]),
    /// The lanes are the components of one vertex; a function of one component receives this one.
    Vertex { function: &'static VertexFunction, rules: VertexRuleSet, component: usize },
    /// Each lane separately.
    Address(&'static AddressFunction),
    /// Each lane is a pixel, as for `Quad`.
    Fragment(&'static FragmentFunction),
}

/// An operation on operands `a`, `b`, `c`.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) name: Cow<'static, str>,
    pub(crate) expression: Cow<'static, str>,
    pub(crate) twin: Twin,
}

impl Row {
    /// Whether each of the four pixels has a vector.
    pub(crate) fn is_quad(&self) -> bool {
        matches!(self.twin, Quad(_)) || matches!(self.twin, Twin::Fragment(function) if gives_vectors(function))
    }

    /// The number of result vectors per case.
    pub(crate) fn words(&self) -> usize {
        if self.is_quad() { 4 } else { 1 }
    }

    /// The results of a case on the host.
    pub(crate) fn host(&self, &[a, b, c]: &[[u32; 4]; 3]) -> [[u32; 4]; 4] {
        let pixel = |lane: usize| [a, b, c].map(|v| std::array::from_fn(|i| v[(i + lane) % 4]));
        let quad = |pixels: [[u32; 4]; 4]| std::array::from_fn(|component| pixels.map(|pixel| pixel[component]));
        match self.twin {
            Lanes(function) => [std::array::from_fn(|lane| function(a[lane], b[lane], c[lane])); 4],
            Vector(function) => [function(a, b, c); 4],
            Quad(function) => quad([0, 1, 2, 3].map(|lane| {
                let [a, b, c] = pixel(lane);
                function(a, b, c)
            })),
            Twin::Vertex { function, rules, component } => match function.shape {
                VertexShape::Scalar(_) => [a.map(|x| function.evaluate(rules, &[[x; 4], b, c])[0]); 4],
                VertexShape::ScalarToVector(_) => [function.evaluate(rules, &[[a[component]; 4], b, c]); 4],
                _ => [function.evaluate(rules, &[a, b, c]); 4],
            },
            Twin::Address(function) => [a.map(|component| (function.evaluate)(component).cast_unsigned()); 4],
            Twin::Fragment(function) => quad([0, 1, 2, 3].map(|lane| function.shape.evaluate(pixel(lane)))),
        }
    }
}

const fn row(name: &'static str, expression: &'static str, twin: Twin) -> Row {
    Row { name: Cow::Borrowed(name), expression: Cow::Borrowed(expression), twin }
}

/// All rows.
pub(crate) fn rows() -> Vec<Row> {
    [FRAGMENT_LANES, FRAGMENT_VECTORS, VERTEX, NORMAL_RANGE, &function_rows()].concat()
}

/// Operations on values in the normal range; for other values their rows use the exact operation.
#[rustfmt::skip]
pub(crate) const NORMAL_RANGE: &[Row] = &[
    row("normal_range_mul", "select(xf_mul(a, b, true), normal_range_mul(a, b), are_in_range(a, b))", Lanes(|a, b, _| vertex::mul(Modern, a, b))),
    row("normal_range_add", "normal_range_or(xf_add(a, c), normal_range_add(a, c), vec4u(0u), vec4u(0u))", Lanes(|a, _, c| vertex::add(a, c))),
    row("normal_range_mad", "normal_range_or(xf_mad(a, b, c, true), normal_range_mad(a, b, c), a, b)", Lanes(|a, b, c| vertex::mad(Modern, a, b, c))),
    row("normal_range_dp3", "normal_range_or(vec4u(xf_dp3(a, b, false)), normal_range_dp3(a, b), a, b)", Vector(|a, b, _| [vertex::dp3(Legacy, a, b); 4])),
    row("normal_range_dph", "normal_range_or(vec4u(xf_dph(a, b, true)), normal_range_dph(a, b), a, b)", Vector(|a, b, _| [vertex::dph(Modern, a, b); 4])),
    row("normal_range_mul of NV20", "select(xf2_mul(a, b), normal_range_mul(a, b), are_in_range(a, b))", Lanes(|a, b, _| vertex_v2::mul(a, b))),
    row("normal_range_add of NV20", "normal_range_or(xf2_add(a, c), normal_range_add(a, c), vec4u(0u), vec4u(0u))", Lanes(|a, _, c| vertex_v2::add(a, c))),
    row("normal_range_mad of NV20", "normal_range_or(xf2_mad(a, b, c), normal_range_mad(a, b, c), a, b)", Lanes(vertex_v2::mad)),
    row("normal_range_dp3_v2", "normal_range_or(vec4u(xf2_dp3(a, b)), normal_range_dp3_v2(a, b), a, b)", Vector(|a, b, _| [vertex_v2::dp3(a, b); 4])),
    row("normal_range_dph_v2", "normal_range_or(vec4u(xf2_dph(a, b)), normal_range_dph_v2(a, b), a, b)", Vector(|a, b, _| [vertex_v2::dph(a, b); 4])),
    row("normal_range_dp4_v2", "normal_range_or(vec4u(xf2_dp4(a, b)), normal_range_dp4_v2(a, b), a, b)", Vector(|a, b, _| [vertex_v2::dp4(a, b); 4])),
    row("normal_range_dp4", "normal_range_or(vec4u(xf_dp4(a, b, true)), normal_range_dp4(a, b), a, b)", Vector(|a, b, _| [vertex::dp4(Modern, a, b); 4])),
];

#[rustfmt::skip]
const FRAGMENT_LANES: &[Row] = &[
    row("fp_add", "fp_add(a, b)", Lanes(|a, b, _| fragment::add(a, b))),
    row("fp_sub", "fp_sub(a, b)", Lanes(|a, b, _| fragment::sub(a, b))),
    row("fp_mul", "fp_mul(a, b)", Lanes(|a, b, _| fragment::mul(a, b))),
    row("fp_min", "fp_min(a, b)", Lanes(|a, b, _| fragment::min(a, b))),
    row("fp_max", "fp_max(a, b)", Lanes(|a, b, _| fragment::max(a, b))),
    row("fp_slt", "fp_slt(a, b)", Lanes(|a, b, _| fragment::slt(a, b))),
    row("fp_sge", "fp_sge(a, b)", Lanes(|a, b, _| fragment::sge(a, b))),
    row("fp_sle", "fp_sle(a, b)", Lanes(|a, b, _| fragment::sle(a, b))),
    row("fp_sgt", "fp_sgt(a, b)", Lanes(|a, b, _| fragment::sgt(a, b))),
    row("fp_sne", "fp_sne(a, b)", Lanes(|a, b, _| fragment::sne(a, b))),
    row("fp_seq", "fp_seq(a, b)", Lanes(|a, b, _| fragment::seq(a, b))),
    row("fp_flr", "fp_flr(a)", Lanes(|a, _, _| fragment::flr(a))),
    row("fp_frc", "fp_frc(a)", Lanes(|a, _, _| fragment::frc(a))),
    row("fp_absolute", "fp_absolute(a)", Lanes(|a, _, _| fragment::absolute(a))),
    // Products around the least normal number.
    row("fp_mul of reciprocals", "fp_mul((a & vec4u(0x7fffffu)) | vec4u(0x20000000u), fp_rcp((a & vec4u(0x7fffffu)) | vec4u(0x3f800000u)) - vec4u(0x1f800001u) + (b & vec4u(3u)))", Lanes(|a, b, _| {
        let x = a & 0x7f_ffff;
        fragment::mul(x | 0x2000_0000, fragment::rcp(x | 0x3f80_0000) - 0x1f80_0001 + (b & 3))
    })),
    row("fp_flush", "fp_flush(a)", Lanes(|a, _, _| fragment::flush(a))),
    row("fp_canonical", "fp_canonical(a)", Lanes(|a, _, _| if f32::from_bits(a).is_nan() { curie::arith::NAN } else { a })),
    row("fp_saturate", "fp_saturate(a)", Lanes(|a, _, _| fragment::saturate(a))),
    row("fp_round_to_half", "fp_round_to_half(a)", Lanes(|a, _, _| fragment::round_to_half(a))),
    row("fp_round_unit_to_half", "fp_round_unit_to_half(fp_saturate(a))", Lanes(|a, _, _| fragment::round_to_half(fragment::saturate(a)))),
    row("fp_round_to_fx12", "fp_round_to_fx12(a)", Lanes(|a, _, _| fragment::round_to_fx12(a))),
    row("fp_round_to_fx9", "fp_round_to_fx9(a)", Lanes(|a, _, _| fragment::round_to_fx9(a))),
    row("fp_clamp_fx12", "fp_clamp_fx12(a)", Lanes(|a, _, _| fragment::clamp_fx12(a))),
    row("fp_clamp_fx9", "fp_clamp_fx9(a)", Lanes(|a, _, _| fragment::clamp_fx9(a))),
    row("fp_clamp_half", "fp_clamp_half(a)", Lanes(|a, _, _| fragment::clamp_half(a))),
    row("fp_mad", "fp_mad(a, b, c)", Lanes(fragment::mad)),
    row("fp_less", "select(vec4u(0u), vec4u(1u), fp_less(a, b))", Lanes(|a, b, _| u32::from(fragment::is_less(a, b)))),
    row("fp_equal", "select(vec4u(0u), vec4u(1u), fp_equal(a, b))", Lanes(|a, b, _| u32::from(fragment::is_equal(a, b)))),
    row("fp_less_equal", "select(vec4u(0u), vec4u(1u), fp_less_equal(a, b))", Lanes(|a, b, _| u32::from(fragment::is_less_equal(a, b)))),
    row("fp_scale -3", "fp_scale(a, -3)", Lanes(|a, _, _| fragment::scale_by_power(a, -3))),
    row("fp_scale -1", "fp_scale(a, -1)", Lanes(|a, _, _| fragment::scale_by_power(a, -1))),
    row("fp_scale 2", "fp_scale(a, 2)", Lanes(|a, _, _| fragment::scale_by_power(a, 2))),
    row("fp_scale 100", "fp_scale(a, 100)", Lanes(|a, _, _| fragment::scale_by_power(a, 100))),
    row("fp_half_bits_from", "fp_half_bits_from(a)", Lanes(|a, _, _| u32::from(fragment::half_bits_from(a)))),
    row("fp_half_bits_to", "fp_half_bits_to(a & vec4u(0xffffu))", Lanes(|a, _, _| fragment::half_bits_to((a & 0xffff) as u16))),
    row("fp_float_to_unorm 1", "fp_float_to_unorm(a, 1u)", Lanes(|a, _, _| fragment::float_to_unorm(a, 1))),
    row("fp_float_to_unorm 2", "fp_float_to_unorm(a, 2u)", Lanes(|a, _, _| fragment::float_to_unorm(a, 2))),
    row("fp_float_to_unorm 5", "fp_float_to_unorm(a, 5u)", Lanes(|a, _, _| fragment::float_to_unorm(a, 5))),
    row("fp_float_to_unorm 8", "fp_float_to_unorm(a, 8u)", Lanes(|a, _, _| fragment::float_to_unorm(a, 8))),
    row("fp_float_to_unorm 11", "fp_float_to_unorm(a, 11u)", Lanes(|a, _, _| fragment::float_to_unorm(a, 11))),
    row("fp_float_to_unorm 16", "fp_float_to_unorm(a, 16u)", Lanes(|a, _, _| fragment::float_to_unorm(a, 16))),
    row("fp_float_to_unorm 24", "fp_float_to_unorm(a, 24u)", Lanes(|a, _, _| fragment::float_to_unorm(a, 24))),
    row("fp_saturated_to_unorm 8", "fp_saturated_to_unorm(fp_saturate(a), 8u)", Lanes(|a, _, _| fragment::float_to_unorm(a, 8))),
    row("fp_saturated_to_unorm 24", "fp_saturated_to_unorm(fp_saturate(a), 24u)", Lanes(|a, _, _| fragment::float_to_unorm(a, 24))),
    row("fp_float_to_unorm of small numbers", "fp_float_to_unorm(a & vec4u(0x3fffffffu), 10u)", Lanes(|a, _, _| fragment::float_to_unorm(a & 0x3fff_ffff, 10))),
    row("fp_half_to_unorm 2", "fp_half_to_unorm(fp_half_bits_to(a & vec4u(0xffffu)), 2u)", Lanes(|a, _, _| fragment::float_to_unorm(fragment::half_bits_to((a & 0xffff) as u16), 2))),
    row("fp_half_to_unorm 5", "fp_half_to_unorm(fp_half_bits_to(a & vec4u(0xffffu)), 5u)", Lanes(|a, _, _| fragment::float_to_unorm(fragment::half_bits_to((a & 0xffff) as u16), 5))),
    row("fp_half_to_unorm 8", "fp_half_to_unorm(fp_half_bits_to(a & vec4u(0xffffu)), 8u)", Lanes(|a, _, _| fragment::float_to_unorm(fragment::half_bits_to((a & 0xffff) as u16), 8))),
    row("fp_half_to_unorm 12", "fp_half_to_unorm(fp_half_bits_to(a & vec4u(0xffffu)), 12u)", Lanes(|a, _, _| fragment::float_to_unorm(fragment::half_bits_to((a & 0xffff) as u16), 12))),
    row("fp_unit_half_to_unorm 8", "fp_unit_half_to_unorm(fp_half_bits_to(min(a & vec4u(0x7fffu), vec4u(0x3c00u))), 8u)", Lanes(|a, _, _| fragment::float_to_unorm(fragment::half_bits_to((a & 0x7fff).min(0x3c00) as u16), 8))),
    row("fp_unorm_to_float 1", "fp_unorm_to_float(a, 1u)", Lanes(|a, _, _| fragment::unorm_to_float(a, 1))),
    row("fp_unorm_to_float 2", "fp_unorm_to_float(a, 2u)", Lanes(|a, _, _| fragment::unorm_to_float(a, 2))),
    row("fp_unorm_to_float 3", "fp_unorm_to_float(a, 3u)", Lanes(|a, _, _| fragment::unorm_to_float(a, 3))),
    row("fp_unorm_to_float 4", "fp_unorm_to_float(a, 4u)", Lanes(|a, _, _| fragment::unorm_to_float(a, 4))),
    row("fp_unorm_to_float 5", "fp_unorm_to_float(a, 5u)", Lanes(|a, _, _| fragment::unorm_to_float(a, 5))),
    row("fp_unorm_to_float 6", "fp_unorm_to_float(a, 6u)", Lanes(|a, _, _| fragment::unorm_to_float(a, 6))),
    row("fp_unorm_to_float 8", "fp_unorm_to_float(a, 8u)", Lanes(|a, _, _| fragment::unorm_to_float(a, 8))),
    row("fp_unorm_to_float 10", "fp_unorm_to_float(a, 10u)", Lanes(|a, _, _| fragment::unorm_to_float(a, 10))),
    row("fp_unorm_to_float 15", "fp_unorm_to_float(a, 15u)", Lanes(|a, _, _| fragment::unorm_to_float(a, 15))),
    row("fp_unorm_to_float 16", "fp_unorm_to_float(a, 16u)", Lanes(|a, _, _| fragment::unorm_to_float(a, 16))),
    row("fp_fraction_to_float", "fp_fraction_to_float(a & vec4u(0xffffu))", Lanes(|a, _, _| fragment::unorm_to_float(a & 0xffff, 16))),
    row("fp_unorm_to_float 17", "fp_unorm_to_float(a, 17u)", Lanes(|a, _, _| fragment::unorm_to_float(a, 17))),
    row("fp_unorm_to_float 23", "fp_unorm_to_float(a, 23u)", Lanes(|a, _, _| fragment::unorm_to_float(a, 23))),
    row("fp_unorm_to_float 24", "fp_unorm_to_float(a, 24u)", Lanes(|a, _, _| fragment::unorm_to_float(a, 24))),
    row("fp_float_to_int_floor", "vec4u(fp_float_to_int_floor(a))", Lanes(|a, _, _| fragment::float_to_int_floor(a).cast_unsigned())),
    row("fp_float_to_short_fixed", "vec4u(fp_float_to_short_fixed(a, 8u))", Lanes(|a, _, _| fragment::float_to_fixed(a, 8).clamp(-0x80_0000, 0x80_0000).cast_unsigned())),
    row("fp_short_to_float", "fp_short_to_float(vec4i(a) >> vec4u(8u))", Lanes(|a, _, _| fragment::int_to_float(a.cast_signed() >> 8))),
    row("fp_int_to_float", "fp_int_to_float(vec4i(a))", Lanes(|a, _, _| fragment::int_to_float(a.cast_signed()))),
    row("fp_int_to_float of small numbers", "fp_int_to_float(vec4i(a) >> (b & vec4u(31u)))", Lanes(|a, b, _| fragment::int_to_float(a.cast_signed() >> (b & 31)))),
    row("fp_float_to_fixed 0", "vec4u(fp_float_to_fixed(a, 0u))", Lanes(|a, _, _| fragment::float_to_fixed(a, 0).cast_unsigned())),
    row("fp_float_to_fixed 4", "vec4u(fp_float_to_fixed(a, 4u))", Lanes(|a, _, _| fragment::float_to_fixed(a, 4).cast_unsigned())),
    row("fp_float_to_fixed 8", "vec4u(fp_float_to_fixed(a, 8u))", Lanes(|a, _, _| fragment::float_to_fixed(a, 8).cast_unsigned())),
    row("fp_float_to_fixed 16", "vec4u(fp_float_to_fixed(a, 16u))", Lanes(|a, _, _| fragment::float_to_fixed(a, 16).cast_unsigned())),
    row("fp_float_to_fixed 24", "vec4u(fp_float_to_fixed(a, 24u))", Lanes(|a, _, _| fragment::float_to_fixed(a, 24).cast_unsigned())),
    row("fp_lrp", "fp_lrp(a, b, c)", Lanes(fragment::lrp)),
];

#[rustfmt::skip]
const FRAGMENT_VECTORS: &[Row] = &[
    row("fp_dp2", "QuadVector(fp_dp2(quad_of(a).x, quad_of(a).y, quad_of(b).x, quad_of(b).y), vec4u(0u), vec4u(0u), vec4u(0u))", Quad(|a, b, _| [fragment::dp2(a, b), 0, 0, 0])),
    row("fp_dp2a", "QuadVector(fp_dp2a(quad_of(a).x, quad_of(a).y, quad_of(b).x, quad_of(b).y, c), vec4u(0u), vec4u(0u), vec4u(0u))", Quad(|a, b, c| [fragment::dp2a(a, b, c), 0, 0, 0])),
    row("fp_dp3", "QuadVector(fp_dp3(quad_of(a).x, quad_of(a).y, quad_of(a).z, quad_of(b).x, quad_of(b).y, quad_of(b).z), vec4u(0u), vec4u(0u), vec4u(0u))", Quad(|a, b, _| [fragment::dp3(a, b), 0, 0, 0])),
    row("fp_dp4", "QuadVector(fp_dp4(quad_of(a).x, quad_of(a).y, quad_of(a).z, quad_of(a).w, quad_of(b).x, quad_of(b).y, quad_of(b).z, quad_of(b).w), vec4u(0u), vec4u(0u), vec4u(0u))", Quad(|a, b, _| [fragment::dp4(a, b), 0, 0, 0])),
];

#[rustfmt::skip]
const VERTEX: &[Row] = &[
    row("total_order_codes", "total_order_codes(a)", Lanes(|a, _, _| 1 << vertex::condition(a, Legacy) as u32)),
    row("condition_codes", "condition_codes(a)", Lanes(|a, _, _| 1 << vertex::condition(a, Modern) as u32)),
    row("condition_codes of fragments", "condition_codes(a)", Lanes(|a, _, _| 1 << fragment::condition(a) as u32)),
    row("pica_from_single", "pica_from_single(a)", Lanes(|a, _, _| pica::from_single(a))),
    row("pica_color", "vec4u(pica_color(a.x), pica_color(a.y), pica_color(a.z), pica_color(a.w))", Lanes(|a, _, _| pica::color(a))),
    row("pica_result", "pica_result(a)", Lanes(|a, _, _| pica::add(pica::from_single(a), 0))),
    row("xf_sum4", "vec4u(xf_sum4(a))", Vector(|a, _, _| [vertex::sum(&a); 4])),
    row("xf2_sum4", "vec4u(xf2_sum4(a))", Vector(|a, _, _| [vertex_v2::sum(&a); 4])),
    row("xf_saturate", "xf_saturate(a)", Lanes(|a, _, _| vertex::saturate(a))),
    row("xf_lit of positive numbers", "xf_lit(a & vec4u(0x7fffffffu, 0x7fffffffu, 0x7fffffffu, 0xffffffffu))", Vector(|a, _, _| vertex::lit([a[0] & 0x7fff_ffff, a[1] & 0x7fff_ffff, a[2] & 0x7fff_ffff, a[3]]))),
];
