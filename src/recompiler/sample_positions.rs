//! The table of sample modes as WGSL: positions of samples, and the texels that store them.

use crate::pipeline::{Sample, SampleMode};

/// The offsets of four samples from number `first` on from the pixel's center, along rows and along columns, as `vec4i`;
/// those of samples that the mode lacks are 0.
#[must_use]
pub fn offset_vectors(mode: SampleMode, first: usize) -> [String; 2] {
    [0, 1].map(|axis: usize| {
        let mut along = [0; 4];
        for (target, sample) in along.iter_mut().zip(mode.samples().iter().skip(first)) {
            *target = sample.offset[axis];
        }
        let [a, b, c, d] = along;
        format!("vec4i({a}, {b}, {c}, {d})")
    })
}

/// The constants of the module that computes coverage at samples.
#[must_use]
pub fn position_constants(mode: SampleMode) -> String {
    let [columns, rows] = offset_vectors(mode, 0);
    let count = mode.count();
    let first = format!("const SAMPLE_COUNT: u32 = {count}u; const SAMPLE_X = {columns}; const SAMPLE_Y = {rows}; ");
    if mode != SampleMode::Eight {
        return first;
    }
    let [columns, rows] = offset_vectors(mode, 4);
    format!("{first}const FURTHER_X = {columns}; const FURTHER_Y = {rows}; ")
}

/// The module that computes the coverage of a quad.
#[must_use]
pub const fn coverage_module(mode: SampleMode) -> &'static str {
    match mode {
        SampleMode::One => "raster::coverage_at_centers",
        SampleMode::TwoDiagonal | SampleMode::FourSquare | SampleMode::FourRotated => "raster::coverage_at_samples",
        SampleMode::Eight => "raster::coverage_at_eight_samples",
    }
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
        // Two squares side by side.
        let [columns, rows] = texel_of_sample(SampleMode::Eight.samples(), 2);
        assert_eq!([columns, rows], ["(0x32321010u >> (4u * sample)) & 15u", "(0x11001100u >> (4u * sample)) & 15u"]);
    }

    #[test]
    fn missing_samples_are_zero() {
        assert_eq!(offset_vectors(SampleMode::TwoDiagonal, 0), ["vec4i(-4, 4, 0, 0)", "vec4i(-4, 4, 0, 0)"]);
        assert_eq!(offset_vectors(SampleMode::Eight, 4), ["vec4i(1, 7, 3, 5)", "vec4i(-3, -7, 7, 1)"]);
    }
}
