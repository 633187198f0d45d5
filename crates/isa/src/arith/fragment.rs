//! The fragment processor's arithmetic: IEEE single to nearest even without fused steps, denormals flushed to zero.
//!
//! Denormal operands and results become zero of their sign; every NaN result is [`NAN`](super::NAN). A result is
//! flushed if it is below 2⁻¹²⁶ *after* rounding to 24 bits with an unbounded exponent.

mod convert;
mod pack;
mod round;
mod scalar;
mod vector;

pub use convert::{float_to_fixed, float_to_int_floor, float_to_unorm, int_to_float, unorm_to_float};
pub use pack::{pk2h, pk2us, pk4b, pk4ub, pk4ubg, up2h, up2us, up4b, up4ub, up4ubg};
pub use round::{
    clamp_fx9, clamp_fx12, clamp_half, clamp_source, half_bits_from, half_bits_to, round_to_fx9, round_to_fx12,
    round_to_half, round_to_precision, unsigned_float_bits_from,
};
pub use scalar::{
    absolute, add, compare, condition, cos, div, ex2, flr, flush, frc, is_equal, is_less, is_less_equal, lg2, mad, max,
    min, mul, negate, pow, rcp, rsq, saturate, scale, scale_by_power, scale_exponent, seq, sge, sgt, sin, sle, slt,
    sne, sub,
};
pub use vector::{bem_lum, div_sqrt, dp2, dp2a, dp3, dp4, dst, lit, lit_ex2, lrp, nrm, rfl, x2d};

#[cfg(test)]
#[path = "fragment_tests.rs"]
mod tests;
