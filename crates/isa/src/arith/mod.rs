//! The chip's arithmetic on bit patterns; `wgsl/arith/*.wgsl` holds the same functions for kernels.
//!
//! Every value is the `u32` bit pattern of an IEEE single unless a function says otherwise. Nothing here depends
//! on the host's rounding beyond one IEEE operation: [`vertex`] and [`tesla`] use integers throughout, [`fragment`]
//! uses single host operations and handles denormals, infinities and NaN itself.

mod approximate;
pub mod fragment;
pub mod pica;
mod precision;
pub mod special;
mod tables;
pub mod tesla;
pub mod vertex;
pub mod vertex_functions;
mod vertex_rules;
pub mod vertex_v2;

pub use precision::{Precision, Scale, SourcePrecision};

/// +1.0.
pub const ONE: u32 = 0x3f80_0000;
/// −1.0.
pub const MINUS_ONE: u32 = 0xbf80_0000;
/// The sign bit.
pub const SIGN: u32 = 0x8000_0000;
/// Plus infinity; also the mask of the exponent.
pub const INFINITY: u32 = 0x7f80_0000;
/// The one NaN that the chip produces.
pub const NAN: u32 = 0x7fff_ffff;
/// The least positive normal number.
pub const MIN_NORMAL: u32 = 0x0080_0000;
/// The fraction bits.
const FRACTION: u32 = 0x007f_ffff;

/// How a value compares with zero: one component of a condition register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ConditionCode {
    /// Less than zero.
    Less,
    /// Equal to zero, the state at the start of a program.
    #[default]
    Equal,
    /// Greater than zero.
    Greater,
    /// NaN.
    Unordered,
}

/// Whether the bits are a NaN.
#[must_use]
pub const fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INFINITY
}

/// Whether the bits are an infinity.
#[must_use]
pub const fn is_infinite(bits: u32) -> bool {
    bits & !SIGN == INFINITY
}

/// Whether the bits are a zero or a denormal, which the chip reads as zero.
#[must_use]
pub const fn is_zero(bits: u32) -> bool {
    bits & INFINITY == 0
}

/// The biased exponent.
const fn exponent_of(bits: u32) -> i32 {
    (bits >> 23 & 0xff).cast_signed()
}

/// Maps float bits to integers of the same order: both zeros are equal, NaN of either sign is outermost.
#[must_use]
pub const fn ordered(bits: u32) -> u32 {
    let magnitude = bits & 0x7fff_ffff;
    if bits >> 31 == 0 { 0x8000_0000 + magnitude } else { 0x8000_0000 - magnitude }
}
