//! The samples of a pixel: their number, their positions, and their texels in a surface.
//!
//! A multisampled surface is an ordinary linear one of twice the width, and of twice the height for four samples: the
//! samples of a pixel are neighboring texels. An open driver allocates it so, and resolves it with a 2:1 bilinear copy.

/// The number and positions of a pixel's samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SampleMode {
    /// One sample, at the center.
    #[default]
    One,
    /// Two samples on a diagonal, side by side in memory.
    TwoDiagonal,
    /// Four samples in a square, 2×2 in memory.
    FourSquare,
    /// Four samples in a rotated square, 2×2 in memory.
    FourRotated,
}

impl SampleMode {
    /// All modes.
    pub const ALL: [Self; 4] = [Self::One, Self::TwoDiagonal, Self::FourSquare, Self::FourRotated];

    /// Base-2 logarithms of the number of texels that a pixel has in a row and in a column.
    #[must_use]
    pub const fn log2_size(self) -> [u32; 2] {
        match self {
            Self::One => [0, 0],
            Self::TwoDiagonal => [1, 0],
            Self::FourSquare | Self::FourRotated => [1, 1],
        }
    }

    /// Samples per pixel.
    #[must_use]
    pub const fn count(self) -> u32 {
        let [columns, rows] = self.log2_size();
        1 << (columns + rows)
    }

    /// The sample positions relative to the pixel's center in subpixels (1/16), in the order of their texels, row by row.
    // Unverified: the positions. Reviews show two samples on a diagonal and, new with this chip, four on a rotated
    // grid; these are the points of those patterns at the middle of their cells of a regular grid.
    #[must_use]
    pub const fn offsets(self) -> &'static [[i32; 2]] {
        match self {
            Self::One => &[[0, 0]],
            Self::TwoDiagonal => &[[-4, -4], [4, 4]],
            Self::FourSquare => &[[-4, -4], [4, -4], [-4, 4], [4, 4]],
            Self::FourRotated => &[[-2, -6], [6, -2], [-6, 2], [2, 6]],
        }
    }

    /// The largest distance of samples from the center along an axis, in subpixels; the same for all four directions.
    #[must_use]
    pub const fn reach(self) -> u32 {
        match self {
            Self::One => 0,
            Self::TwoDiagonal | Self::FourSquare => 4,
            Self::FourRotated => 6,
        }
    }

    /// The texel of a sample of the pixel (x, y).
    #[must_use]
    pub const fn texel(self, x: u32, y: u32, sample: u32) -> [u32; 2] {
        let [columns, rows] = self.log2_size();
        [(x << columns) + (sample & ((1 << columns) - 1)), (y << rows) + (sample >> columns)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_lie_in_the_part_of_the_pixel_that_their_texel_stands_for() {
        for mode in SampleMode::ALL {
            let [columns, rows] = mode.log2_size();
            assert_eq!(mode.offsets().len(), mode.count() as usize);
            for (sample, offset) in (0..).zip(mode.offsets()) {
                assert!(offset.iter().all(|along| along.unsigned_abs() <= mode.reach()));
                assert!(offset.iter().any(|along| along.unsigned_abs() == mode.reach()));
                let [x, y] = mode.texel(5, 7, sample);
                assert_eq!([x >> columns, y >> rows], [5, 7]);
                if columns > 0 {
                    assert_eq!(offset[0] > 0, x & 1 == 1, "{mode:?} {sample}");
                }
                if rows > 0 {
                    assert_eq!(offset[1] > 0, y & 1 == 1, "{mode:?} {sample}");
                }
            }
            // Patterns are balanced, so a half plane through the center covers half of the samples.
            assert_eq!(mode.offsets().iter().fold([0, 0], |sum, at| [sum[0] + at[0], sum[1] + at[1]]), [0, 0]);
        }
    }
}
