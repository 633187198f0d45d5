//! The texture unit: addressing, level of detail, texel fetch, and filters.

pub mod addressing;
pub mod convolution;
pub mod ellipse;
pub mod lod;
pub(crate) mod texel;
pub mod unit;
