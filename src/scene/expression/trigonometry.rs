//! Computes sine, cosine, exponential and logarithm with exact operations only, so that a scene gives the same
//! bits on every machine; the functions of mathematics libraries differ in the last bits.

use std::f64::consts::{FRAC_PI_2, LN_2};

/// The first 33 bits of π/2, so that small multiples are exact, and the rest.
const FRAC_PI_2_FIRST: f64 = 1.570_796_326_734_125_6;
const FRAC_PI_2_REST: f64 = 6.077_100_506_506_192e-11;

/// The sine of an angle in radians; 0 for angles beyond a billion turns.
pub(in crate::scene) fn sin(angle: f64) -> f64 {
    quarter(angle, 0)
}

/// The cosine of an angle in radians.
pub(in crate::scene) fn cos(angle: f64) -> f64 {
    quarter(angle, 1)
}

/// The sine of the angle plus quarter turns.
fn quarter(angle: f64, turns: i64) -> f64 {
    if angle.is_nan() || angle.abs() > 6e9 {
        return 0.0;
    }
    let quarters = (angle / FRAC_PI_2).round();
    let rest = (angle - quarters * FRAC_PI_2_FIRST) - quarters * FRAC_PI_2_REST;
    #[expect(clippy::cast_possible_truncation, reason = "the angle is bounded")]
    let quadrant = (quarters as i64 + turns).rem_euclid(4);
    let value = if quadrant % 2 == 0 { series(rest, rest, 1) } else { series(1.0, rest, 0) };
    if quadrant >= 2 { -value } else { value }
}

/// The alternating series that starts with `first` of degree `degree`: 0 for the cosine, 1 for the sine.
fn series(first: f64, angle: f64, degree: u32) -> f64 {
    let (mut term, mut sum) = (first, first);
    for step in 1..=10 {
        let power = f64::from(degree + 2 * step);
        term *= -angle * angle / (power * (power - 1.0));
        sum += term;
    }
    sum
}

/// The exponential; infinite or 0 beyond the range of doubles.
pub(super) fn exp(power: f64) -> f64 {
    if power.is_nan() {
        return 0.0;
    }
    let power = power.clamp(-700.0, 700.0);
    let doublings = (power / LN_2).round();
    let rest = power - doublings * LN_2;
    let (mut term, mut sum) = (1.0, 1.0);
    for step in 1..=18 {
        term *= rest / f64::from(step);
        sum += term;
    }
    #[expect(clippy::cast_possible_truncation, reason = "at most 1010 doublings")]
    let doublings = doublings as i32;
    sum * scale(doublings)
}

/// A power of two.
fn scale(doublings: i32) -> f64 {
    let factor = if doublings < 0 { 0.5 } else { 2.0 };
    (0..doublings.abs()).fold(1.0, |value, _| value * factor)
}

/// The natural logarithm; 0 for numbers that have none.
pub(super) fn ln(value: f64) -> f64 {
    if !value.is_finite() || value < f64::MIN_POSITIVE {
        return 0.0;
    }
    // Extracts the exponent field, so that the mantissa lies between 1 and 2.
    let exponent = (value.to_bits() >> 52) & 0x7ff;
    let mantissa = f64::from_bits((value.to_bits() & !(0x7ff << 52)) | (1023 << 52));
    // ln m = 2 artanh((m − 1) / (m + 1))
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let (mut power, mut sum) = (ratio, 0.0);
    for step in 0..20 {
        sum += power / f64::from(2 * step + 1);
        power *= ratio * ratio;
    }
    #[expect(clippy::cast_precision_loss, reason = "eleven bits")]
    let doublings = exponent as f64 - 1023.0;
    2.0 * sum + doublings * LN_2
}

/// `base` to the `power`, for bases above 0; 0 for others.
pub(super) fn pow(base: f64, power: f64) -> f64 {
    if base <= 0.0 { 0.0 } else { exp(power * ln(base)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_agree_with_the_library_to_fifteen_digits() {
        for step in -2000..2000 {
            let x = f64::from(step) * 0.037;
            assert!((sin(x) - x.sin()).abs() < 1e-15, "sin {x}: {} {}", sin(x), x.sin());
            assert!((cos(x) - x.cos()).abs() < 1e-15, "cos {x}");
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-13, "exp {x}");
            let positive = x.abs() + 1e-3;
            assert!((ln(positive) - positive.ln()).abs() < 1e-14, "ln {positive}");
        }
        assert!((pow(2.0, 10.0) - 1024.0).abs() < 1e-9);
    }

    #[test]
    fn numbers_without_a_value_give_zero() {
        assert_eq!([sin(f64::NAN), cos(f64::INFINITY), sin(1e300), ln(-1.0), pow(-2.0, 3.0), ln(f64::NAN)], [0.0; 6]);
        assert!(exp(1e9) > 1e300 && exp(-1e9) < 1e-300);
    }
}
