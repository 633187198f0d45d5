//! Interpolation: what the fragments of a quad read.

pub mod interpolate;
