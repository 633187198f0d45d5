//! Anisotropic filtering: the derivatives of a pixel into an ellipse of texels, weighted towards its centre.
//!
//! The elliptical weighted average of Greene and Heckbert, "Creating Raster Omnimax Images from Multiple Perspective Views
//! Using the Elliptical Weighted Average Filter" (1986): the pixel is a circle, the derivatives map it to an ellipse in
//! the texture, and every texel whose centre lies inside counts.
//! Unverified: the chip's own texels and weights.

use crate::numeric::{ONE, fragment};
use crate::work::Wrap;

const TWO: u32 = 0x4000_0000;
const HALF: u32 = 0x3f00_0000;
const QUARTER: u32 = 0x3e80_0000;
const SIGN: u32 = 0x8000_0000;
/// 2⁻⁸ and 2¹¹.
const PART: u32 = 0x3b80_0000;
const STEPS: u32 = 0x4500_0000;

/// Most texels from the centre to the side of an ellipse, per axis.
const MOST_TEXELS: i32 = 64;

/// An ellipse around a pixel's texture coordinate: texels with `a·x² + b·x·y + c·y² < 1` count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ellipse {
    /// The factors of x², x·y and y².
    pub factors: [u32; 3],
    /// Texels from the centre to the sides, per axis.
    pub extents: [i32; 2],
}

impl Ellipse {
    /// The ellipse of the derivatives of a texel position along x and along y.
    ///
    /// One texel is added to both axes (squared), so that a small footprint still touches its neighbours.
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
            fragment::float_to_int_floor(root).clamp(-1, MOST_TEXELS - 1) + 1
        };
        Self { factors: [a, b, c].map(|factor| fragment::div(factor, f)), extents: [extent(c), extent(a)] }
    }

    /// The weight 0..=256 of a texel at a distance from the centre in 1/256 texel; 0 outside.
    #[must_use]
    pub fn weight(&self, x: i32, y: i32) -> u32 {
        let [x, y] = [x, y].map(|distance| fragment::mul(fragment::int_to_float(distance), PART));
        let [a, b, c] = self.factors;
        let square = fragment::mul(fragment::mul(a, x), x);
        let product = fragment::mul(fragment::mul(b, x), y);
        let q = fragment::add(fragment::add(square, product), fragment::mul(fragment::mul(c, y), y));
        if fragment::is_less(q, ONE) { falling_weight(q) } else { 0 }
    }

    /// The mean of the texels around a centre (in 1/256 texel), weighted; zeros where there are none.
    ///
    /// `texel` gives the values of a column and a row; integers are 16-bit fractions.
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

/// Repeating is not defined for coordinates in texels; they clamp.
const fn effective_wrap(wrap: Wrap, is_unnormalized: bool) -> Wrap {
    match wrap {
        Wrap::Repeat | Wrap::MirroredRepeat if is_unnormalized => Wrap::ClampToEdge,
        wrap => wrap,
    }
}

/// The centre of a coordinate on an axis of `size` texels, in 1/256 texel from the middle of texel 0.
///
/// Repeating modes come near the image first; the others are limited to where every texel around is the same.
#[must_use]
pub fn ellipse_center(coordinate: u32, size: u32, wrap: Wrap, is_unnormalized: bool) -> i32 {
    let size = i32::try_from(size).expect("textures have at most 4096 texels per axis");
    let near = match effective_wrap(wrap, is_unnormalized) {
        Wrap::Repeat => fragment::frc(coordinate),
        Wrap::MirroredRepeat => {
            let fraction = fragment::frc(fragment::mul(coordinate, HALF));
            fragment::add(fraction, fraction)
        }
        _ => coordinate,
    };
    let texels = if is_unnormalized { near } else { fragment::mul(near, fragment::int_to_float(size)) };
    let limit = (4 * size + 128) << 8;
    fragment::float_to_fixed(texels, 8).clamp(-limit, limit) - 128
}

/// The texel that a number on an axis of `size` texels stands for; `None` is the border.
#[must_use]
pub fn ellipse_texel(texel: i32, size: u32, wrap: Wrap, is_unnormalized: bool) -> Option<u32> {
    let size = i32::try_from(size).expect("textures have at most 4096 texels per axis");
    let mirrored = if texel < 0 { -1 - texel } else { texel };
    let inside = match effective_wrap(wrap, is_unnormalized) {
        Wrap::Repeat => texel.rem_euclid(size),
        Wrap::MirroredRepeat => {
            let place = texel.rem_euclid(2 * size);
            place.min(2 * size - 1 - place)
        }
        Wrap::ClampToEdge => texel.clamp(0, size - 1),
        Wrap::MirrorClampToEdge => mirrored.min(size - 1),
        Wrap::ClampToBorder | Wrap::Clamp => texel,
        Wrap::MirrorClampToBorder | Wrap::MirrorClamp => mirrored,
    };
    if inside < size { u32::try_from(inside).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            // The reciprocal of the weights is rounded, and the product again.
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
        // Centred on a white texel: itself and four black neighbours at q = 1/2 count.
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
    fn texels_wrap_around_an_image_of_three() {
        let row = |wrap| (-4..8).map(|texel| ellipse_texel(texel, 3, wrap, false)).collect::<Vec<_>>();
        let some = |texels: [i8; 12]| texels.map(|texel| u32::try_from(texel).ok()).to_vec();
        assert_eq!(row(Wrap::Repeat), some([2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]));
        assert_eq!(row(Wrap::MirroredRepeat), some([2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1]));
        assert_eq!(row(Wrap::ClampToEdge), some([0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2]));
        assert_eq!(row(Wrap::MirrorClampToEdge), some([2, 2, 1, 0, 0, 1, 2, 2, 2, 2, 2, 2]));
        for wrap in [Wrap::Clamp, Wrap::ClampToBorder] {
            assert_eq!(row(wrap), some([-1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1, -1]));
        }
        for wrap in [Wrap::MirrorClamp, Wrap::MirrorClampToBorder] {
            assert_eq!(row(wrap), some([-1, 2, 1, 0, 0, 1, 2, -1, -1, -1, -1, -1]));
        }
        assert_eq!(ellipse_texel(-1, 3, Wrap::Repeat, true), Some(0));
    }

    #[test]
    fn centres_lie_near_the_image() {
        let center = |value: f32, wrap| ellipse_center(value.to_bits(), 4, wrap, false);
        assert_eq!([center(0.125, Wrap::Repeat), center(5.5, Wrap::Repeat)], [0, 384]);
        assert_eq!([center(1.5, Wrap::MirroredRepeat), center(-0.5, Wrap::MirroredRepeat)], [1408, 1408]);
        assert_eq!(center(-0.25, Wrap::MirrorClampToEdge), -384);
        assert_eq!(center(1e9, Wrap::ClampToEdge), 144 * 256 - 128);
        assert_eq!(ellipse_center(2.0f32.to_bits(), 4, Wrap::Repeat, true), 384);
    }
}
