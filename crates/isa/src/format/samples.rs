//! The samples of a pixel: the table of their number, their positions, and their texels in a surface.
//!
//! A multisampled surface is an ordinary one of twice the width, and of twice the height for four samples, or four times the
//! width for eight: the samples of a pixel are neighboring texels. An open driver allocates it so, and resolves it with a
//! 2:1 bilinear copy. The positions of the Tesla generation are known; two and four samples of it are NV40's.

/// The maximum number of samples of a pixel.
pub const MAX_SAMPLES: usize = 8;

/// A sample of a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Its position relative to the pixel's center in subpixels (1/16): columns, rows.
    pub offset: [i32; 2],
    /// The texel that stores it, among those of the pixel: column, row.
    pub texel: [u32; 2],
}

/// The row of a sample mode: all that distinguishes it from others. A resolve weighs all samples alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleRow {
    /// Base-2 logarithms of the number of texels that a pixel has in a row and in a column.
    pub log2_size: [u32; 2],
    /// Its samples, by number, one for each texel of a pixel.
    pub samples: &'static [Sample],
}

const fn sample(offset: [i32; 2], texel: [u32; 2]) -> Sample {
    Sample { offset, texel }
}

/// The rows, in the order of [`SampleMode::ALL`].
// Unverified: the positions. Reviews show two samples on a diagonal and, new with this chip, four on a rotated grid;
// these are the points of those patterns at the middle of their cells of a regular grid.
const TABLE: &[SampleRow; SampleMode::ALL.len()] = &[
    SampleRow { log2_size: [0, 0], samples: &[sample([0, 0], [0, 0])] },
    SampleRow { log2_size: [1, 0], samples: &[sample([-4, -4], [0, 0]), sample([4, 4], [1, 0])] },
    SampleRow {
        log2_size: [1, 1],
        samples: &[sample([-4, -4], [0, 0]), sample([4, -4], [1, 0]), sample([-4, 4], [0, 1]), sample([4, 4], [1, 1])],
    },
    SampleRow {
        log2_size: [1, 1],
        samples: &[sample([-2, -6], [0, 0]), sample([6, -2], [1, 0]), sample([-6, 2], [0, 1]), sample([2, 6], [1, 1])],
    },
    SampleRow {
        log2_size: [2, 1],
        samples: &[
            sample([-7, -1], [0, 0]),
            sample([-3, -5], [1, 0]),
            sample([-5, 5], [0, 1]),
            sample([-1, 3], [1, 1]),
            sample([1, -3], [2, 0]),
            sample([7, -7], [3, 0]),
            sample([3, 7], [2, 1]),
            sample([5, 1], [3, 1]),
        ],
    },
];

/// The number and positions of a pixel's samples: the name of a [`SampleRow`].
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
    /// Eight samples, each with a row and a column of its own, 4×2 in memory.
    Eight,
}

impl SampleMode {
    /// All modes.
    pub const ALL: [Self; 5] = [Self::One, Self::TwoDiagonal, Self::FourSquare, Self::FourRotated, Self::Eight];

    /// Its row of the table.
    #[must_use]
    pub const fn row(self) -> &'static SampleRow {
        &TABLE[self as usize]
    }

    /// Base-2 logarithms of the number of texels that a pixel has in a row and in a column.
    #[must_use]
    pub const fn log2_size(self) -> [u32; 2] {
        self.row().log2_size
    }

    /// The samples of a pixel, by number.
    #[must_use]
    pub const fn samples(self) -> &'static [Sample] {
        self.row().samples
    }

    /// Samples per pixel.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "there are few")]
    pub const fn count(self) -> u32 {
        self.samples().len() as u32
    }

    /// The largest distance of samples from the center along an axis, in subpixels.
    #[must_use]
    pub fn reach(self) -> u32 {
        let distances = self.samples().iter().flat_map(|sample| sample.offset);
        distances.map(i32::unsigned_abs).max().unwrap_or(0)
    }

    /// The texel of a sample of the pixel (x, y).
    #[must_use]
    pub const fn texel(self, x: u32, y: u32, sample: u32) -> [u32; 2] {
        let ([columns, rows], [column, row]) = (self.log2_size(), self.samples()[sample as usize].texel);
        [(x << columns) + column, (y << rows) + row]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn samples_lie_in_the_part_of_the_pixel_that_their_texel_stands_for() {
        for mode in SampleMode::ALL {
            let log2_size = mode.log2_size();
            assert!(mode.samples().len() <= MAX_SAMPLES);
            assert_eq!(mode.samples().len(), 1 << log2_size.iter().sum::<u32>(), "one for each texel");
            let mut texels = BTreeSet::new();
            for (number, Sample { offset, .. }) in (0..).zip(mode.samples()) {
                let texel = mode.texel(5, 7, number);
                assert!(texels.insert(texel), "{mode:?} {number}");
                for axis in 0..2 {
                    let (log2, first) = (log2_size[axis], [5, 7][axis] << log2_size[axis]);
                    // The subpixels that the texel stands for are a part of the pixel's sixteen.
                    let place = u32::try_from(offset[axis] + 8).unwrap();
                    assert_eq!(texel[axis] - first, (place << log2) / 16, "{mode:?} {number}");
                }
            }
            // Patterns are balanced, so a half plane through the center covers half of the samples.
            let offsets = mode.samples().iter().map(|sample| sample.offset);
            assert_eq!(offsets.fold([0, 0], |sum, at| [sum[0] + at[0], sum[1] + at[1]]), [0, 0]);
        }
        assert_eq!(SampleMode::ALL.map(SampleMode::reach), [0, 4, 4, 6, 7]);
        assert!(SampleMode::ALL.iter().zip(TABLE).all(|(mode, row)| mode.row() == row));
    }
}
