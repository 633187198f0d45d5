//! Clears, memory copies and the 2D classes.

pub mod clear_surface;
pub mod copy_memory;
pub(crate) mod pixel_operation;
pub mod scale_image;
