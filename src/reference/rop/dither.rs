//! Dithering: rounds bytes up or down to fewer bits, by the pixel's position in a 4×4 pattern.
//!
//! Unverified: that the pattern is Bayer's, and its amplitude. Thresholds run from 1/8 to 7/8 of a step, so every value
//! that the target stores exactly survives being read back as a byte and written again.

/// The rank of a pixel in the pattern, 0..16.
#[must_use]
pub const fn dither_rank(x: u32, y: u32) -> u32 {
    let crossed = x ^ y;
    (crossed & 1) << 3 | (y & 1) << 2 | (crossed & 2) | (y >> 1 & 1)
}

/// Converts a byte to a fraction of `width` bits.
#[must_use]
pub const fn dithered(byte: u32, width: u32, x: u32, y: u32) -> u32 {
    let steps = (1 << width) - 1;
    (byte * steps * 40 + 255 * (2 * dither_rank(x, y) + 5)) / (255 * 40)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::texel::expand_to_16;

    #[test]
    fn the_pattern_is_bayers() {
        let rows: Vec<_> = (0..4).map(|y| [0, 1, 2, 3].map(|x| dither_rank(x, y))).collect();
        assert_eq!(rows, [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]);
        assert_eq!(dither_rank(4 + 1, 8 + 2), 11, "it repeats");
    }

    #[test]
    fn what_the_target_holds_stays() {
        for (width, count) in [(5u8, 32), (6, 64)] {
            for value in 0..count {
                let byte = expand_to_16(value, width) >> 8;
                for place in 0..16 {
                    assert_eq!(dithered(byte, width.into(), place % 4, place / 4), value);
                }
            }
        }
    }

    #[test]
    fn a_grey_between_two_steps_takes_both() {
        // 128 of 255 is 15.56 of 31: 9 of the 16 thresholds (5, 7, … 35 fortieths) are at least 17.4 fortieths.
        let sum: u32 = (0..16).map(|place| dithered(128, 5, place % 4, place / 4) - 15).sum();
        assert_eq!(sum, 9);
        for byte in 0..=255u32 {
            for place in 0..16 {
                let error = (f64::from(dithered(byte, 5, place % 4, place / 4)) - f64::from(byte) * 31.0 / 255.0).abs();
                assert!(error <= 0.875, "{byte}");
            }
        }
    }
}
