//! The texture unit as WGSL: one set of sampling functions per unit state.

pub(crate) mod convolution;
pub(crate) mod counts;
pub(crate) mod ellipse;
pub mod fetch;
pub(crate) mod key;
pub(crate) mod lod;
pub(crate) mod packed;
pub(crate) mod post_filter;
pub(crate) mod texel;
pub mod unit;
