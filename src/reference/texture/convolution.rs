//! Convolution filters: the mean of the nine texels around a coordinate, weighted by a fixed kernel.

use crate::arith::fragment;
use crate::pipeline::{ConvolutionKernel, kernel_weights};

/// The weighted mean of nine texels, which `texel` returns by column and row 0..3: 16-bit fractions, rounded once, or
/// floats, added in order.
#[must_use]
pub fn weighted(kernel: ConvolutionKernel, is_integer: bool, texel: impl Fn(usize, usize) -> [u32; 4]) -> [u32; 4] {
    let (weights, places) = kernel_weights(kernel);
    let taps = weights.into_iter().enumerate().filter(|(_, weight)| *weight != 0);
    let mut sum = [0; 4];
    for (tap, weight) in taps {
        let value = texel(tap % 3, tap / 3);
        // The power of two as a float.
        let factor = fragment::int_to_float(weight.cast_signed()) - (places << 23);
        for (sum, value) in sum.iter_mut().zip(value) {
            *sum = if is_integer { *sum + value * weight } else { fragment::add(*sum, fragment::mul(value, factor)) };
        }
    }
    if is_integer { sum.map(|sum| (sum + (1 << (places - 1))) >> places) } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ConvolutionKernel::{Gaussian, Quincunx, QuincunxAlternative};

    #[test]
    fn weights_add_up() {
        for kernel in [Quincunx, Gaussian, QuincunxAlternative] {
            let (weights, places) = kernel_weights(kernel);
            assert_eq!(weights.iter().sum::<u32>(), 1 << places);
            assert_eq!(weighted(kernel, true, |_, _| [0xffff; 4]), [0xffff; 4]);
            assert_eq!(weighted(kernel, false, |_, _| [0x4040_0000; 4]), [0x4040_0000; 4]);
        }
    }

    #[test]
    fn kernels_by_hand() {
        // 3×3 texels 16, 32, … 144.
        let texel = |column: usize, row: usize| [16 * u32::try_from(3 * row + column + 1).unwrap(); 4];
        // (64·1 + 80·4 + 96·1 + 112·1 + 144·1) / 8.
        assert_eq!(weighted(Quincunx, true, texel), [92; 4]);
        // Symmetric around the middle.
        assert_eq!(weighted(Gaussian, true, texel), [80; 4]);
        // (16 + 48 + 64 + 320 + 96) / 8.
        assert_eq!(weighted(QuincunxAlternative, true, texel), [68; 4]);
        let corner = |column: usize, row: usize| [if (column, row) == (2, 2) { 1.0f32.to_bits() } else { 0 }; 4];
        let float = |kernel| f32::from_bits(weighted(kernel, false, corner)[0]);
        assert_eq!([float(Quincunx), float(Gaussian), float(QuincunxAlternative)], [0.125, 0.0625, 0.0]);
    }
}
