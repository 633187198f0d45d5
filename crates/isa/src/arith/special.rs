//! The special functions that both processors share, with integers, tables and the steps of envytools' model
//! `nvhw/xf.c`.
#![expect(clippy::cast_possible_truncation, reason = "fixed-point steps keep the low bits on purpose")]

use super::tables::{EXPONENTIAL, LOGARITHM, Quadratic, RECIPROCAL, RECIPROCAL_ROOT, SINE, TURN_START, TURN_STEP};
use super::{FRACTION, INFINITY, MIN_NORMAL, NAN, ONE, SIGN, exponent_of, is_infinite, is_nan, is_zero};

/// The fraction of 1/m for m in (1, 2): a seven-bit guess and two Newton steps.
fn reciprocal_fraction(fraction: u32) -> u32 {
    let significand = u64::from(fraction | MIN_NORMAL);
    let guess = u64::from(RECIPROCAL[(fraction >> 17) as usize]);
    let better = (((1 << 31) - guess * significand) * guess) >> 24;
    let best = (((1 << 37) - better * significand) * better) >> 25;
    best as u32 & FRACTION
}

/// Exponent and fraction of 1/a, before the special cases.
fn reciprocal_parts(a: u32) -> (i32, u32) {
    let exponent = 0xfe - exponent_of(a);
    match a & FRACTION {
        0 => (exponent, 0),
        fraction => (exponent - 1, reciprocal_fraction(fraction)),
    }
}

/// 1/a; a zero gives infinity of its sign.
#[must_use]
pub fn rcp(a: u32) -> u32 {
    if is_nan(a) {
        return NAN;
    }
    let sign = a & SIGN;
    if is_zero(a) {
        return sign | INFINITY;
    }
    match reciprocal_parts(a) {
        (..=0, _) => sign,
        (exponent, fraction) => sign | exponent.cast_unsigned() << 23 | fraction,
    }
}

/// 1/a with its magnitude clamped to 2⁻⁶⁴..2⁶⁴.
#[must_use]
pub fn rcc(a: u32) -> u32 {
    if is_nan(a) {
        return NAN;
    }
    let (exponent, fraction) = match reciprocal_parts(a) {
        (..=0x3e, _) => (0x3f, 0),
        (0xbf.., _) => (0xbf, 0),
        parts => parts,
    };
    a & SIGN | exponent.cast_unsigned() << 23 | fraction
}

/// 1/√|a|; exact for powers of four.
#[must_use]
pub fn rsq_of_magnitude(a: u32) -> u32 {
    let exponent = exponent_of(a);
    if exponent & 1 == 1 && a & FRACTION == 0 && !is_infinite(a) {
        return (0x7f - (exponent - 0x7f) / 2).cast_unsigned() << 23;
    }
    rsq_by_steps(a)
}

/// 1/√|a| by table and Newton steps for every number.
#[must_use]
pub(super) fn rsq_by_steps(a: u32) -> u32 {
    if is_nan(a) {
        return NAN;
    }
    if is_zero(a) {
        return INFINITY;
    }
    if is_infinite(a) {
        return 0;
    }
    let exponent = exponent_of(a);
    let is_even_power = exponent & 1 == 1;
    let halved = if is_even_power { (exponent - 0x7f) / 2 } else { (exponent - 0x80) / 2 };
    let result = (0x7f - halved - 1).cast_unsigned();
    let fraction = a & FRACTION;
    let index = fraction | if is_even_power { 0 } else { MIN_NORMAL };
    let guess = u64::from(RECIPROCAL_ROOT[(index >> 17) as usize]);
    let significand = u64::from(fraction | MIN_NORMAL) << u32::from(!is_even_power);
    let better = (((3 << 37) - guess * guess * significand) * guess) >> 32;
    let best = (((3 << 49) - better * better * significand) * better) >> 39;
    result << 23 | best as u32 & FRACTION
}

/// r² in units of 2¹⁴, rounded as the squarer rounds.
fn square(r: i32) -> i32 {
    let high = r >> 7;
    let mut result = high * high;
    if r & 1 << 6 != 0 {
        result += high;
    }
    for bit in 0..6 {
        if r & 1 << bit != 0 {
            result += (r + (1 << (12 - bit))) >> (13 - bit);
        }
    }
    result
}

/// r·2^weight, rounded half up if bits are lost.
fn shifted(r: i32, weight: i32) -> i64 {
    if weight >= 0 { i64::from(r) << weight } else { i64::from((r + (1 << (-weight - 1))) >> -weight) }
}

/// c·r in units of 2¹⁴: a radix-4 Booth product with separately rounded partial products.
fn booth_product(c: u32, r: i32) -> i64 {
    let mut result = 0;
    let mut digits = c << 1;
    let mut weight = -14;
    while digits != 0 {
        result += match digits & 7 {
            1 | 2 => shifted(r, weight),
            3 => shifted(r, weight + 1),
            4 => -shifted(r, weight + 1),
            5 | 6 => -shifted(r, weight),
            _ => 0,
        };
        digits >>= 2;
        weight += 2;
    }
    result
}

/// Interpolates a table at a 23-bit fraction; the result has 38 fraction bits.
fn interpolate(table: &[Quadratic; 65], fraction: u32, subtracts_square: bool) -> i64 {
    let interval = fraction >> 16;
    // The nearest even point, and the signed distance from it.
    let point = interval.div_ceil(2);
    let distance = (fraction & 0xffff).cast_signed() - if interval & 1 == 0 { 0 } else { 0x1_0000 };
    let (value, slope, curvature) = table[point as usize];
    let square = square(distance);
    let line = (i64::from(value) << 15) + (booth_product(slope, distance) << 6);
    let bend = i64::from(curvature) * i64::from(square);
    if subtracts_square { line - ((bend + i64::from((square - 0x400) >> 12) + 0x20) >> 5) } else { line + (bend >> 5) }
}

/// Converts a positive fixed-point number with 38 fraction bits to a float; truncates.
fn float_from_fixed(sign: u32, fixed: u64) -> u32 {
    if fixed == 0 {
        return 0;
    }
    let shift = fixed.leading_zeros();
    let exponent = 127 + 63 - 38 - shift;
    sign | exponent << 23 | (fixed << shift >> 40) as u32 & FRACTION
}

/// log₂ a.
#[must_use]
pub fn lg2(a: u32) -> u32 {
    if is_zero(a) {
        return SIGN | INFINITY;
    }
    if is_nan(a) || a & SIGN != 0 {
        return NAN;
    }
    if is_infinite(a) {
        return INFINITY;
    }
    let fixed = interpolate(&LOGARITHM, a & FRACTION, true) + (i64::from(exponent_of(a) - 127) << 38);
    // One's complement, so −2⁻³⁸ would read as zero.
    if fixed < 0 {
        float_from_fixed(SIGN, (!fixed).cast_unsigned())
    } else {
        float_from_fixed(0, fixed.cast_unsigned())
    }
}

/// 2 to the power of `a`.
#[must_use]
pub fn ex2(a: u32) -> u32 {
    if is_nan(a) {
        return NAN;
    }
    let exponent = exponent_of(a);
    let is_negative = a & SIGN != 0;
    if exponent < 0x46 {
        return ONE;
    }
    if exponent >= 0x86 {
        return if is_negative { 0 } else { INFINITY };
    }
    let significand = a & FRACTION | MIN_NORMAL;
    let shift = exponent - 127;
    let magnitude = if shift < 0 { significand.checked_shr(-shift as u32).unwrap_or(0) } else { significand << shift };
    let fixed = if is_negative { !magnitude.cast_signed() } else { magnitude.cast_signed() };
    let exponent = (fixed >> 23) + 127;
    if exponent <= 0 {
        return 0;
    }
    let fraction = (interpolate(&EXPONENTIAL, fixed.cast_unsigned() & FRACTION, false) >> 15) as u32;
    // An addition, so that a fraction that reaches 2²³ carries into the exponent.
    (exponent.cast_unsigned() << 23) + fraction
}

/// Converts an angle in radians to turns with 25 fraction bits; the sign is a complement.
fn turns(a: u32) -> u32 {
    let steps = (0..23).filter(|bit| a >> bit & 1 != 0).map(|bit| TURN_STEP[bit]);
    let product = (TURN_START + steps.sum::<u64>()) >> 8;
    let exponent = exponent_of(a);
    // The hardware takes the shift modulo 32.
    let shift = match exponent {
        ..0x63 => exponent - 0x62,
        0x63..0xa2 => exponent - 0x82,
        0xa2..0xc2 => exponent - 0xa2,
        0xc2..0xe2 => exponent - 0xc2,
        _ => exponent - 0xe2,
    };
    let magnitude = if shift < 0 { product >> -shift } else { product << shift } as u32;
    if a & SIGN == 0 { magnitude } else { !magnitude }
}

/// The sine of an angle in turns with 25 fraction bits.
fn sine_of_turns(angle: u32) -> u32 {
    let folded = if angle >> 23 & 1 == 0 { angle } else { !angle };
    let fixed = interpolate(&SINE, folded & FRACTION, true);
    float_from_fixed(angle << 7 & SIGN, fixed.cast_unsigned())
}

/// The sine of an angle in radians.
#[must_use]
pub fn sin(a: u32) -> u32 {
    match exponent_of(a) {
        255 => NAN,
        ..0x60 => 0,
        _ => sine_of_turns(turns(a)),
    }
}

/// The cosine of an angle in radians.
#[must_use]
pub fn cos(a: u32) -> u32 {
    match exponent_of(a) {
        255 => NAN,
        ..0x70 => ONE,
        _ => sine_of_turns(turns(a).wrapping_add(1 << 23)),
    }
}
