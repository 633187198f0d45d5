//! Conversions between integers of 8, 16 and 32 bits, half and single precision.

use super::float::{Unpacked, absolute, add, float_flags, negate, saturate};
use super::integer::integer_flags;
use super::{Flags, Rounding, low_word, shift_right};
use crate::arith::fragment::half_bits_to;
use crate::arith::{NAN, SIGN, exponent_of, is_infinite, is_nan};

/// A format of conversions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConversionFormat {
    /// An integer.
    Integer {
        /// Its size: 8, 16 or 32.
        bits: u32,
        /// Whether it is signed.
        is_signed: bool,
    },
    /// Half precision.
    F16,
    /// Single precision.
    F32,
}

/// A conversion of a value, first its magnitude and negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Conversion {
    /// The format of the value.
    pub from: ConversionFormat,
    /// The format of the result.
    pub to: ConversionFormat,
    /// Whether the value's magnitude is converted.
    pub absolute: bool,
    /// Whether the value, or its magnitude, is negated.
    pub negate: bool,
    /// How the result is rounded.
    pub rounding: Rounding,
    /// Whether a float that becomes a float is rounded to an integer.
    pub rounds_to_integer: bool,
    /// Whether a float result is clamped to 0..1.
    pub saturates: bool,
}

/// Converts the low bits of a word. The result and its flags; results of 16 bits have zeros above, those of 8 bits are
/// extended to the word.
#[must_use]
pub fn convert(value: u32, conversion: &Conversion) -> (u32, Flags) {
    let result = match (conversion.from, conversion.to) {
        (
            ConversionFormat::Integer { bits, is_signed },
            ConversionFormat::Integer { bits: to, is_signed: is_to_signed },
        ) => {
            let number = Integer::of(value, bits, is_signed).modified(conversion);
            clamped(number.is_negative, number.magnitude.into(), to, is_to_signed)
        }
        (ConversionFormat::Integer { bits, is_signed }, ConversionFormat::F16) => {
            half_of_integer(Integer::of(value, bits, is_signed), conversion)
        }
        (ConversionFormat::Integer { bits, is_signed }, ConversionFormat::F32) => {
            let number = Integer::of(value, bits, is_signed).modified(conversion);
            saturated(number.to_float(conversion.rounding), conversion)
        }
        (from, ConversionFormat::Integer { bits, is_signed }) => {
            float_to_integer(modified_float(value, from, conversion), bits, is_signed, conversion.rounding)
        }
        (from, to) => float_to_float(modified_float(value, from, conversion), to, conversion),
    };
    let flags = match conversion.to {
        ConversionFormat::Integer { bits: 16, .. } => integer_flags(result, 16),
        ConversionFormat::Integer { .. } => integer_flags(result, 32),
        ConversionFormat::F16 => float_flags(half_to_single(result)),
        ConversionFormat::F32 => float_flags(result),
    };
    (result, flags)
}

/// An integer as sign and magnitude, so that zero can be negative.
#[derive(Clone, Copy)]
struct Integer {
    is_negative: bool,
    magnitude: u32,
}

impl Integer {
    /// Reads the low bits of a word.
    const fn of(value: u32, bits: u32, is_signed: bool) -> Self {
        let unused = 32 - bits;
        let high = value << unused;
        if is_signed {
            let value = high.cast_signed() >> unused;
            return Self { is_negative: value < 0, magnitude: value.unsigned_abs() };
        }
        Self { is_negative: false, magnitude: high >> unused }
    }

    /// Takes the magnitude and negates, as the conversion says.
    const fn modified(self, conversion: &Conversion) -> Self {
        Self { is_negative: (self.is_negative && !conversion.absolute) != conversion.negate, ..self }
    }

    /// The float; zero keeps its sign.
    const fn to_float(self, rounding: Rounding) -> u32 {
        let Self { is_negative, magnitude } = self;
        if magnitude == 0 {
            return if is_negative { SIGN } else { 0 };
        }
        let number = Unpacked { is_negative, exponent: 127 + 31, significand: magnitude as u64 }.normalized(32);
        let significand = shift_right(number.significand, 8, rounding, is_negative);
        Unpacked { significand, ..number }.pack(rounding)
    }
}

/// The number of a format that is nearest to an integer.
fn clamped(is_negative: bool, magnitude: u64, bits: u32, is_signed: bool) -> u32 {
    let limit = 1u64 << if is_signed { bits - 1 } else { bits };
    let result = match (is_negative, is_signed) {
        (false, _) => magnitude.min(limit - 1),
        (true, true) => magnitude.min(limit).wrapping_neg(),
        (true, false) => 0,
    };
    low_word(result) & if bits == 16 { 0xffff } else { u32::MAX }
}

/// The half-precision float of an integer, with errors of the chip.
///
/// The integer is first rounded to single precision. Before that, in rounding to nearest or away from zero, magnitudes
/// whose bits 29:5 are all ones become zero. Then the magnitude loses its two highest bits and as many more, up to five,
/// as its low 16 bits have leading zeros; for a negative source these are the low bits of the magnitude less one.
fn half_of_integer(source: Integer, conversion: &Conversion) -> u32 {
    let mut number = source.modified(conversion);
    let is_toward_zero = match conversion.rounding {
        Rounding::NearestEven => false,
        Rounding::Down => !number.is_negative,
        Rounding::Up => number.is_negative,
        Rounding::TowardZero => true,
    };
    if !is_toward_zero && number.magnitude >> 5 & 0x1ff_ffff == 0x1ff_ffff {
        number.magnitude = 0;
    }
    let low = number.magnitude.wrapping_sub(u32::from(source.is_negative)) << 16;
    let lost = 2 + low.leading_zeros().min(5);
    number.magnitude &= u32::MAX >> lost;
    single_to_half(saturated(number.to_float(conversion.rounding), conversion), conversion.rounding)
}

/// The single-precision value of a float source, with magnitude and negation.
fn modified_float(value: u32, from: ConversionFormat, conversion: &Conversion) -> u32 {
    let mut single = if from == ConversionFormat::F16 { half_to_single(value) } else { value };
    if conversion.absolute {
        single = absolute(single);
    }
    if conversion.negate {
        single = negate(single);
    }
    single
}

fn saturated(result: u32, conversion: &Conversion) -> u32 {
    if conversion.saturates { saturate(result) } else { result }
}

/// Rounds to an integer and clamps it to the range; NaN is 0.
fn float_to_integer(a: u32, bits: u32, is_signed: bool, rounding: Rounding) -> u32 {
    if is_nan(a) {
        return 0;
    }
    let is_negative = a & SIGN != 0;
    // From 2³² on, infinity included, numbers are beyond every range.
    let magnitude = if exponent_of(a) >= 127 + 32 { 1 << 32 } else { integral_magnitude(a, rounding) };
    clamped(is_negative, magnitude, bits, is_signed)
}

/// The magnitude of a number below 2³², rounded to an integer.
fn integral_magnitude(a: u32, rounding: Rounding) -> u64 {
    let number = Unpacked::of(a);
    let shift = 150 - number.exponent;
    if shift <= 0 {
        return number.significand << shift.unsigned_abs();
    }
    shift_right(number.significand, shift.unsigned_abs(), rounding, number.is_negative)
}

/// Flushes denormals, clamps, rounds to an integer, then converts to half precision.
fn float_to_float(a: u32, to: ConversionFormat, conversion: &Conversion) -> u32 {
    // Adding −0 changes nothing but denormals and NaN.
    let mut result = saturated(add(a, SIGN, Rounding::NearestEven), conversion);
    if conversion.rounds_to_integer {
        result = round_to_integer(result, conversion.rounding);
    }
    match to {
        ConversionFormat::F16 if conversion.rounds_to_integer => integral_to_half(result, conversion.rounding),
        ConversionFormat::F16 => single_to_half(result, conversion.rounding),
        _ => result,
    }
}

/// Rounds to an integral float; zeros keep the sign.
fn round_to_integer(a: u32, rounding: Rounding) -> u32 {
    if is_nan(a) || is_infinite(a) || exponent_of(a) >= 150 {
        return a;
    }
    let magnitude = low_word(integral_magnitude(a, rounding));
    Integer { is_negative: a & SIGN != 0, magnitude }.to_float(rounding)
}

/// The single-precision float of a half-precision one.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the low half is converted")]
pub fn half_to_single(a: u32) -> u32 {
    half_bits_to(a as u16)
}

/// Rounds to half precision, denormals included; numbers below 2⁻³³ become zero in every rounding.
#[must_use]
pub fn single_to_half(a: u32, rounding: Rounding) -> u32 {
    to_half(a, rounding, rounding)
}

/// Truncates an integral float to half precision. The rounding selects infinity or the largest number on overflow.
fn integral_to_half(a: u32, rounding: Rounding) -> u32 {
    to_half(a, Rounding::TowardZero, rounding)
}

fn to_half(a: u32, rounding: Rounding, overflow: Rounding) -> u32 {
    const HALF_INFINITY: u32 = 0x7c00;
    let is_negative = a & SIGN != 0;
    let sign = if is_negative { 0x8000 } else { 0 };
    if is_nan(a) {
        return NAN >> 16;
    }
    if is_infinite(a) {
        return sign | HALF_INFINITY;
    }
    let number = Unpacked::of(a);
    if number.exponent < 127 - 33 {
        return sign;
    }
    // Denormals have the exponent of the least normal numbers.
    let exponent = number.exponent - 112;
    let shift = 13 + (1 - exponent).max(0);
    let significand = low_word(shift_right(number.significand, shift.unsigned_abs(), rounding, is_negative));
    // The bit above the fraction, and a carry, run into the exponent.
    let magnitude = ((exponent.max(1) - 1).cast_unsigned() << 10) + significand;
    if magnitude < HALF_INFINITY {
        sign | magnitude
    } else if overflow.overflows_to_infinity(is_negative) {
        sign | HALF_INFINITY
    } else {
        sign | (HALF_INFINITY - 1)
    }
}
