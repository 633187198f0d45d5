//! Sample positions as WGSL vectors.

use crate::pipeline::SampleMode;

/// The offsets of up to four samples from the pixel's center, along rows and along columns, as `vec4i`; the rest are 0.
#[must_use]
pub fn offset_vectors(mode: SampleMode) -> [String; 2] {
    [0, 1].map(|axis: usize| {
        let mut along = [0; 4];
        for (target, offset) in along.iter_mut().zip(mode.offsets()) {
            *target = offset[axis];
        }
        let [a, b, c, d] = along;
        format!("vec4i({a}, {b}, {c}, {d})")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_samples_are_zero() {
        assert_eq!(offset_vectors(SampleMode::TwoDiagonal), ["vec4i(-4, 4, 0, 0)", "vec4i(-4, 4, 0, 0)"]);
    }
}
