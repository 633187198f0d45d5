//! Clears and the operations of the 2D classes.

pub mod clear_surface;
pub(crate) mod pixel_operation;
pub mod scale_image;
