//! Programs and state into WGSL text.

pub mod merge_pixels;
pub mod texture_unit;
