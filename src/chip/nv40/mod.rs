//! The classes of the GeForce 6800: the 3D engine, memory copies and the 2D objects.

pub(crate) mod copy;
pub(crate) mod pixel_context;
pub(crate) mod rectangles;
pub(crate) mod scaled_image;
pub(crate) mod surfaces;
pub(crate) mod three_d;
pub(crate) mod unscaled_image;
