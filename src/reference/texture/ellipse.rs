//! Anisotropic filtering: turns a pixel's derivatives into an elliptical footprint of texels, weighted toward its center.
//!
//! The elliptical weighted average of Greene and Heckbert, "Creating Raster Omnimax Images from Multiple Perspective
//! Views Using the Elliptical Weighted Average Filter" (1986): the pixel is a circle, the derivatives map it to an
//! ellipse in the texture, and every texel whose center lies inside counts.
//! Unverified: the chip's own texels and weights.

use crate::arith::{ONE, fragment};
use crate::pipeline::MOST_ELLIPSE_TEXELS;

const TWO: u32 = 0x4000_0000;
const QUARTER: u32 = 0x3e80_0000;
const SIGN: u32 = 0x8000_0000;
/// 2⁻⁸ and 2¹¹.
const PART: u32 = 0x3b80_0000;
const STEPS: u32 = 0x4500_0000;

/// An elliptical footprint around a texture coordinate: texels with `a·x² + b·x·y + c·y² < 1` count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ellipse {
    /// The factors of x², x·y and y².
    pub factors: [u32; 3],
    /// Texels from the center to the sides, per axis.
    pub extents: [i32; 2],
}

impl Ellipse {
    /// Computes the footprint from the derivatives of a texel position along x and along y.
    ///
    /// One texel is added to both axes (squared), so that a small footprint still covers neighboring texels.
    #[must_use]
    pub fn new(along_x: [u32; 2], along_y: [u32; 2]) -> Self {
        let ([ux, vx], [uy, vy]) = (along_x, along_y);
        let sum = |a, b, c, d| fragment::add(fragment::mul(a, b), fragment::mul(c, d));
        let a = fragment::add(sum(vx, vx, vy, vy), ONE);
        let b = fragment::mul(sum(ux, vx, uy, vy), TWO | SIGN);
        let c = fragment::add(sum(ux, ux, uy, uy), ONE);
        let f = fragment::sub(fragment::mul(a, c), fragment::mul(fragment::mul(b, b), QUARTER));
        let extent = |square: u32| {
            let root = fragment::mul(square, fragment::rsq(square));
            fragment::float_to_int_floor(root).clamp(-1, MOST_ELLIPSE_TEXELS - 1) + 1
        };
        Self { factors: [a, b, c].map(|factor| fragment::div(factor, f)), extents: [extent(c), extent(a)] }
    }

    /// The weight 0..=256 of a texel at a distance from the center in 1/256 texel; 0 outside.
    #[must_use]
    pub fn weight(&self, x: i32, y: i32) -> u32 {
        let [x, y] = [x, y].map(|distance| fragment::mul(fragment::int_to_float(distance), PART));
        let [a, b, c] = self.factors;
        let square = fragment::mul(fragment::mul(a, x), x);
        let product = fragment::mul(fragment::mul(b, x), y);
        let q = fragment::add(fragment::add(square, product), fragment::mul(fragment::mul(c, y), y));
        if fragment::is_less(q, ONE) { falling_weight(q) } else { 0 }
    }

    /// The weighted mean of the texels around a center (in 1/256 texel); zeros if there are none.
    ///
    /// `texel` returns the values of a column and a row; integers are 16-bit fractions.
    #[must_use]
    pub fn mean(&self, center: [i32; 2], is_integer: bool, texel: impl Fn(i32, i32) -> [u32; 4]) -> [u32; 4] {
        let mut sums = [0; 4];
        let mut weights = 0;
        let texels = |axis: usize| {
            let middle = center[axis] >> 8;
            middle - self.extents[axis]..=middle + self.extents[axis] + 1
        };
        for row in texels(1) {
            for column in texels(0) {
                let weight = self.weight(column * 256 - center[0], row * 256 - center[1]);
                if weight == 0 {
                    continue;
                }
                weights += weight;
                let factor = fragment::int_to_float(weight.cast_signed());
                for (sum, value) in sums.iter_mut().zip(texel(column, row)) {
                    let value = if is_integer { fragment::int_to_float(value.cast_signed()) } else { value };
                    *sum = fragment::add(*sum, fragment::mul(value, factor));
                }
            }
        }
        if weights == 0 {
            return [0; 4];
        }
        let weights = fragment::int_to_float(weights.cast_signed());
        sums.map(|sum| {
            let mean = fragment::div(sum, weights);
            if is_integer { fragment::float_to_fixed(mean, 0).clamp(0, 0xffff).unsigned_abs() } else { mean }
        })
    }
}

/// 256·e^(−2q), for q of 0..1: (1 − q/16)³² by five squarings of 15 bits.
fn falling_weight(q: u32) -> u32 {
    let steps = fragment::float_to_int_floor(fragment::mul(q, STEPS)).clamp(0, 2048).unsigned_abs();
    let power = (0..5).fold(32_768 - steps, |power, _| (power * power) >> 15);
    power >> 7
}

/// Limits texel numbers to well inside 24 bits, so that they are exact as floats.
const FARTHEST_TEXEL: i32 = 1 << 22;

/// The center of a coordinate on an axis of `size` texels, in 1/256 texel from the middle of texel 0.
#[must_use]
pub fn ellipse_center(coordinate: u32, size: u32, is_unnormalized: bool) -> i32 {
    let texels = match is_unnormalized {
        true => coordinate,
        false => fragment::mul(coordinate, fragment::int_to_float(size.cast_signed())),
    };
    let limit = FARTHEST_TEXEL << 8;
    fragment::float_to_fixed(texels, 8).clamp(-limit, limit) - 128
}

/// The coordinate for looking up a texel with the unit's wrap and the nearest filter, from its number on an axis of
/// `size` texels: its middle if the size is a power of two, else its lower side, each rounded to nearest.
///
/// Unverified: the lower side. A quotient that was rounded down finds the texel before, and mirrored periods find the
/// texel after; the reference picture, of a texture of 100×60 texels, shows both.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "all numbers are below 2^24")]
pub fn ellipse_coordinate(texel: i32, size: u32, is_unnormalized: bool) -> u32 {
    if is_unnormalized {
        return (texel as f32).to_bits();
    }
    let half = i32::from(size.is_power_of_two());
    ((2 * texel + half) as f32 / (2 * size) as f32).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Wrap;
    use crate::reference::texture::addressing::axis_taps;

    const HALF: u32 = 0x3f00_0000;

    fn bits(values: [f32; 2]) -> [u32; 2] {
        values.map(f32::to_bits)
    }

    #[test]
    fn a_circle_over_one_colour_is_that_colour() {
        let circle = Ellipse::new(bits([1.0, 0.0]), bits([0.0, 1.0]));
        // A = C = 2, B = 0, F = 4: radius √2.
        assert_eq!(circle, Ellipse { factors: [HALF, SIGN, HALF], extents: [2, 2] });
        for center in [[0, 0], [77, -300], [-128, 128]] {
            for value in [0, 1, 0x1234, 0xffff] {
                assert_eq!(circle.mean(center, true, |_, _| [value; 4]), [value; 4]);
            }
            // The reciprocal of the weights is rounded, and so is the product.
            let mean = circle.mean(center, false, |_, _| [0x4100_0000; 4])[0];
            assert!(mean.abs_diff(0x4100_0000) <= 2, "{mean:x}");
        }
    }

    #[test]
    fn weights_fall_as_a_gaussian() {
        let circle = Ellipse::new(bits([1.0, 0.0]), bits([0.0, 1.0]));
        // q = (x² + y²)/2 in texels; e^−1 · 256 = 94.2, e^−2 · 256 = 34.6.
        assert_eq!([circle.weight(0, 0), circle.weight(362, 0), circle.weight(363, 0)], [256, 32, 0]);
        assert!((92..=94).contains(&circle.weight(256, 0)));
        assert_eq!(circle.weight(256, 256), 0, "q is exactly 1");
        for q in 0u8..128 {
            let q = f32::from(q) / 128.0;
            assert!((f64::from(falling_weight(q.to_bits())) - 256.0 * f64::from(-2.0 * q).exp()).abs() < 4.0, "{q}");
        }
        // One texel wide, 4 long along the diagonal (1, 1).
        let slanted = Ellipse::new(bits([4.0, 4.0]), bits([0.0, 0.0]));
        assert_eq!(slanted.extents, [5, 5]);
        assert!(slanted.weight(768, 768) > 0 && slanted.weight(512, -512) == 0);
    }

    #[test]
    fn the_mean_leans_to_the_centre() {
        let circle = Ellipse::new(bits([1.0, 0.0]), bits([0.0, 1.0]));
        // Centered on a white texel: itself and four black neighbors at q = 1/2 count.
        let side = f64::from(circle.weight(256, 0));
        let white = circle.mean([0, 0], true, |x, y| [if (x, y) == (0, 0) { 0xffff } else { 0 }; 4])[0];
        assert!((f64::from(white) - 65_535.0 * 256.0 / (256.0 + 4.0 * side)).abs() <= 0.6);
    }

    #[test]
    fn extreme_derivatives_end() {
        for value in [f32::NAN, f32::INFINITY, f32::MAX, 1e18, 1e-30, -0.0] {
            let ellipse = Ellipse::new(bits([value, 1.0]), bits([value, value]));
            assert!(ellipse.extents.iter().all(|extent| (0..=64).contains(extent)));
            let mean = ellipse.mean([5, 9], true, |_, _| [7; 4]);
            assert!(mean == [7; 4] || mean == [0; 4], "{value}: {mean:?}");
        }
    }

    #[test]
    fn texels_of_powers_of_two_are_looked_up_by_their_middle() {
        let texel = |number, wrap| axis_taps(ellipse_coordinate(number, 4, false), 4, wrap, false, false).texels[0];
        let row = |wrap| (-5..9).map(|number| texel(number, wrap).unwrap()).collect::<Vec<_>>();
        assert_eq!(row(Wrap::Repeat), [3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0]);
        assert_eq!(row(Wrap::MirroredRepeat), [3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0]);
        assert_eq!(row(Wrap::ClampToEdge), [0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3]);
        assert_eq!(ellipse_coordinate(-3, 8, false), (-2.5f32 / 8.0).to_bits());
    }

    #[test]
    fn texels_are_looked_up_by_their_lower_side() {
        let texel = |number, wrap| axis_taps(ellipse_coordinate(number, 3, false), 3, wrap, false, false).texels[0];
        let row = |wrap| (-3..7).map(|number| texel(number, wrap)).collect::<Vec<_>>();
        let some = |texels: [i8; 10]| texels.map(|texel| u32::try_from(texel).ok()).to_vec();
        // In binary, thirds end in …0101|01 or …1010|10 after 24 bits: 5/3 is rounded down and thus finds texel 1, 4/3
        // is rounded up. The fractions of −2/3 (rounded up) and −1/3 (a tie) lie below 1/3 and 2/3.
        assert_eq!(row(Wrap::Repeat), some([0, 0, 1, 0, 1, 2, 0, 1, 1, 0]));
        assert_eq!(row(Wrap::ClampToEdge), some([0, 0, 0, 0, 1, 2, 2, 2, 2, 2]));
        assert_eq!(row(Wrap::ClampToBorder), some([-1, -1, -1, 0, 1, 2, -1, -1, -1, -1]));
        assert_eq!(texel(3, Wrap::MirroredRepeat), Some(2));
        // 69/60 is rounded down: 0.15 · 60 is just below 9.
        assert_eq!(axis_taps(ellipse_coordinate(69, 60, false), 60, Wrap::Repeat, false, false).texels[0], Some(8));
        assert_eq!(ellipse_coordinate(-7, 3, true), (-7.0f32).to_bits());
    }

    #[test]
    fn centres_count_from_the_middle_of_texel_0() {
        let center = |value: f32| ellipse_center(value.to_bits(), 4, false);
        assert_eq!([0.125, 5.5, -0.25, 1e30].map(center), [0, 5504, -384, (1 << 30) - 128]);
        assert_eq!(ellipse_center(2.0f32.to_bits(), 4, true), 384);
    }
}
