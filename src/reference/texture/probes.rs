//! Anisotropic filtering: places samples evenly along the longer side of a footprint, and averages them.
//!
//! Sources: `EXT_texture_filter_anisotropic`, which gives the mean of samples along the longer derivative as its example;
//! US patents 7,271,810 and 7,372,468, whose samples are bilinear and centered on the pixel's coordinate.
// Unverified: where the chip places its samples, and that all have the same weight.

use crate::arith::fragment;

/// The coordinate of a sample: the middle of its share of a line along `step` whose own middle is `at`.
#[must_use]
pub fn probe(at: u32, step: u32, number: u32, samples: u32) -> u32 {
    let half_share = fragment::div(step, float(2 * samples));
    let half_shares = (2 * number + 1).cast_signed() - samples.cast_signed();
    fragment::add(at, fragment::mul(fragment::int_to_float(half_shares), half_share))
}

/// The mean of samples. That of 16-bit fractions is rounded once; floats are summed in order.
#[must_use]
pub fn mean(samples: &[[u32; 4]], is_integer: bool) -> [u32; 4] {
    let count = u32::try_from(samples.len()).expect("at most 16");
    std::array::from_fn(|channel| {
        let values = samples.iter().map(|sample| sample[channel]);
        if is_integer {
            return (2 * values.sum::<u32>() + count) / (2 * count);
        }
        let sum = values.reduce(fragment::add).unwrap_or(0);
        fragment::div(sum, float(count))
    })
}

fn float(number: u32) -> u32 {
    fragment::int_to_float(number.cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_share_the_line_evenly() {
        let places = |at: f32, step: f32, samples| {
            let place = |number| f32::from_bits(probe(at.to_bits(), step.to_bits(), number, samples));
            (0..samples).map(place).collect::<Vec<_>>()
        };
        assert_eq!(places(0.5, 1.0, 2), [0.25, 0.75]);
        assert_eq!(places(8.0, -4.0, 4), [9.5, 8.5, 7.5, 6.5]);
        let thirds = places(0.0, 3.0, 3);
        assert!((thirds[0] + 1.0).abs() < 1e-6 && thirds[1] == 0.0 && (thirds[2] - 1.0).abs() < 1e-6, "{thirds:?}");
        assert_eq!(places(0.5, 0.0, 16), [0.5; 16]);
    }

    #[test]
    fn means_are_rounded_once() {
        let fractions = |values: &[u32]| mean(&values.iter().map(|value| [*value; 4]).collect::<Vec<_>>(), true)[0];
        // 1/2 rounds up, 1/3 down, 2/3 up.
        assert_eq!([fractions(&[0, 1]), fractions(&[0, 0, 1]), fractions(&[0, 1, 1])], [1, 0, 1]);
        assert_eq!(fractions(&[0xffff; 16]), 0xffff);
        assert_eq!(fractions(&[10, 20, 30, 41]), 25);
        let floats = |values: &[f32]| {
            f32::from_bits(mean(&values.iter().map(|value| [value.to_bits(); 4]).collect::<Vec<_>>(), false)[0])
        };
        assert_eq!(floats(&[1.0, 2.0, 6.0, -1.0]), 2.0);
        assert_eq!(floats(&[3e38, 3e38, 0.0]), f32::INFINITY);
    }
}
