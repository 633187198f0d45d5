//! Programs and state into WGSL text.
//!
//! A key value says what is baked into a kernel; everything else reaches it through buffers.

mod condition;
pub mod fragment;
mod merge_blend;
mod merge_color;
pub mod merge_counts;
mod merge_depth;
mod merge_pairs;
pub mod merge_pixels;
mod merge_samples;
pub mod multisample;
pub mod quad_rounds;
mod text;
mod texture_convolution;
mod texture_counts;
mod texture_ellipse;
mod texture_finish;
mod texture_footprint;
mod texture_key;
mod texture_packed;
mod texture_texel;
pub mod texture_unit;
pub mod vertex;
