//! What only software adapters take: the fused kernel of whole tiles, pixels in pairs, and the image of texels.

pub(in crate::kernels) mod draw_tiles;
pub(in crate::kernels) mod pixel_pairs;
pub mod texel_image;
