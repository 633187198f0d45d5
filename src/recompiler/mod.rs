//! Programs and state into WGSL text.

mod merge_blend;
pub mod merge_pixels;
mod texture_key;
mod texture_texel;
pub mod texture_unit;
