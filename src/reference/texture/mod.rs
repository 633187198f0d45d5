//! The texture unit: addressing, level of detail, texel fetch, and filters.

pub mod addressing;
pub mod convolution;
pub mod lod;
pub mod probes;
pub mod seams;
pub(crate) mod texel;
pub mod unit;
