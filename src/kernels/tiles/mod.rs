//! Code for software adapters only: the fused tile kernel, paired pixels, and the texel image.

pub(in crate::kernels) mod draw_tiles;
pub(in crate::kernels) mod pixel_pairs;
pub mod texel_image;
