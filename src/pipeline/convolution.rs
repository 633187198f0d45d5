//! Gives the fixed kernels of the convolution filters: which of nine texels count, and how much.
//!
//! Unverified: the weights. The gaussian is the binomial 1 2 1 in both directions. Quincunx is half the texel in the
//! middle and an eighth of each corner of the pixel, as `NVIDIA` described its antialiasing of that name; the corner
//! samples of a surface with two samples per pixel lie in the columns beside the middle, in the own row and the next one
//! (the alternative: the previous one), two rows by three columns.

use super::ConvolutionKernel;

/// Weights of the nine texels, row by row, and the base-2 logarithm of their sum.
#[must_use]
pub(crate) const fn kernel_weights(kernel: ConvolutionKernel) -> ([u32; 9], u32) {
    match kernel {
        ConvolutionKernel::Quincunx => ([0, 0, 0, 1, 4, 1, 1, 0, 1], 3),
        ConvolutionKernel::QuincunxAlternative => ([1, 0, 1, 1, 4, 1, 0, 0, 0], 3),
        ConvolutionKernel::Gaussian => ([1, 2, 1, 2, 4, 2, 1, 2, 1], 4),
    }
}

/// How many of the nine texels have a weight.
#[must_use]
pub(crate) fn kernel_texels(kernel: ConvolutionKernel) -> u32 {
    let (weights, _) = kernel_weights(kernel);
    weights.iter().map(|weight| u32::from(*weight != 0)).sum()
}
