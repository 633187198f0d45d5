//! The ROP: alpha, stencil and depth tests, blending, dithering, writes.

pub mod blend;
pub mod dither;
pub mod merge_pixels;
pub mod stencil;
