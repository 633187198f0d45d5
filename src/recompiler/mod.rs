//! Programs and state into WGSL text.

pub mod merge_pixels;
