//! Converts filtered fractions on the sRGB curve to linear ones.

use std::sync::LazyLock;

use crate::arith::fragment;

/// The inverse of the curve at 0..=256 of 256, as 24-bit fractions.
static LINEAR_FRACTIONS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    (0..=256)
        .map(|step| {
            fragment::float_to_unorm(linear_value(fragment::mul(fragment::int_to_float(step), 0x3b80_0000)), 24)
        })
        .collect()
});

/// The inverse of the sRGB curve at 0..=256 of 256, as 24-bit fractions.
#[must_use]
pub fn linear_fractions() -> &'static [u32] {
    &LINEAR_FRACTIONS
}

/// Applies the inverse of the sRGB curve to a 16-bit fraction; returns a 24-bit fraction.
///
/// Unverified: the chip's precision. The curve is approximated by 256 line segments.
#[must_use]
pub fn linear_fraction(fraction: u32) -> u32 {
    let position = fraction + (fraction >> 15);
    let (first, weight) = (position >> 8, position & 255);
    let second = (first + 1).min(256);
    let at = |step: u32| LINEAR_FRACTIONS[step as usize];
    (at(first) * (256 - weight) + at(second) * weight) >> 8
}

/// The inverse of the sRGB curve: c/12.92 up to 0.04045, ((c + 0.055)/1.055)^2.4 above.
pub(super) fn linear_value(value: u32) -> u32 {
    const THRESHOLD: f32 = 0.040_45;
    if !fragment::is_less(THRESHOLD.to_bits(), value) {
        return fragment::mul(value, (1.0f32 / 12.92).to_bits());
    }
    let base = fragment::mul(fragment::add(value, 0.055f32.to_bits()), (1.0f32 / 1.055).to_bits());
    fragment::pow(base, 2.4f32.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_follows_the_curve() {
        for fraction in (0..=65535u32).step_by(85).chain([1, 2, 65534, 65535]) {
            let c = f64::from(fraction) / 65535.0;
            let exact = if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
            let value = f64::from(linear_fraction(fraction)) / 16_777_215.0;
            assert!((value - exact).abs() < 2e-5, "{fraction}: {value} {exact}");
        }
        assert_eq!([linear_fraction(0), linear_fraction(65535)], [0, 0xff_ffff]);
    }
}
