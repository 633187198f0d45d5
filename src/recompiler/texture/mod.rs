//! The texture unit as WGSL: one set of sampling functions per unit state.

pub(crate) mod convolution;
pub(crate) mod counts;
pub mod fetch;
pub(crate) mod key;
pub(crate) mod lod;
pub(crate) mod packed;
pub(crate) mod post_filter;
pub(crate) mod probes;
pub(crate) mod seams;
pub(crate) mod texel;
pub mod unit;
