//! The ROP as WGSL: tests, blending, packing and writes of the merge kernel.

pub(crate) mod blend;
mod channels;
pub(crate) mod color;
pub mod counts;
pub(crate) mod depth;
pub(crate) mod expressions;
pub mod key;
pub mod merge_pixels;
pub(crate) mod samples;
pub(crate) mod shaded_color;
