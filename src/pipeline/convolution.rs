//! Defines the fixed kernels of the convolution filters: which of nine texels count, and their weights.
//!
//! Unverified: the weights. The gaussian is the binomial 1 2 1 in both directions. Quincunx takes half of the middle
//! texel and an eighth of each corner of the pixel, as `NVIDIA` described its antialiasing of that name. The corner
//! samples of a surface with two samples per pixel lie in the columns beside the middle, in its own row and the next
//! one (the previous one for the alternative): two rows by three columns.

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

/// The number of texels with a nonzero weight.
#[must_use]
pub(crate) fn kernel_texels(kernel: ConvolutionKernel) -> u32 {
    let (weights, _) = kernel_weights(kernel);
    weights.iter().map(|weight| u32::from(*weight != 0)).sum()
}
