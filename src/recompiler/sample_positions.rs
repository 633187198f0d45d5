//! The table of sample modes as WGSL: positions of samples, and the texels that store them.

use crate::pipeline::{MAX_SAMPLES, Sample, SampleMode};

/// The offsets of up to four samples from the pixel's center, along rows and along columns, as `vec4i`; the rest are 0.
#[must_use]
pub fn offset_vectors(mode: SampleMode) -> [String; 2] {
    [0, 1].map(|axis: usize| {
        let mut along = [0; MAX_SAMPLES];
        for (target, sample) in along.iter_mut().zip(mode.samples()) {
            *target = sample.offset[axis];
        }
        let [a, b, c, d] = along;
        format!("vec4i({a}, {b}, {c}, {d})")
    })
}

/// Column and row, among the texels of a pixel, of the one that stores number `sample`.
pub(crate) fn texel_of_sample(samples: &[Sample], log2_columns: u32) -> [String; 2] {
    let mask = (1 << log2_columns) - 1;
    if samples.iter().zip(0..).all(|(sample, number)| sample.texel == [number & mask, number >> log2_columns]) {
        return [format!("sample & {mask}u"), format!("sample >> {log2_columns}u")];
    }
    [0, 1].map(|axis: usize| {
        let places =
            samples.iter().zip(0..).fold(0, |places, (sample, number)| places | sample.texel[axis] << (4 * number));
        format!("({places:#x}u >> (4u * sample)) & 15u")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_are_shifts_or_looked_up() {
        let [columns, rows] = texel_of_sample(SampleMode::FourRotated.samples(), 1);
        assert_eq!([columns, rows], ["sample & 1u", "sample >> 1u"]);
        // Two squares side by side, as Mesa's driver of the next generation stores eight samples.
        let samples = [[0, 0], [1, 0], [0, 1], [1, 1], [2, 0], [3, 0], [2, 1], [3, 1]];
        let samples = samples.map(|texel| Sample { offset: [0, 0], texel });
        let [columns, rows] = texel_of_sample(&samples, 2);
        assert_eq!([columns, rows], ["(0x32321010u >> (4u * sample)) & 15u", "(0x11001100u >> (4u * sample)) & 15u"]);
    }

    #[test]
    fn missing_samples_are_zero() {
        assert_eq!(offset_vectors(SampleMode::TwoDiagonal), ["vec4i(-4, 4, 0, 0)", "vec4i(-4, 4, 0, 0)"]);
    }
}
