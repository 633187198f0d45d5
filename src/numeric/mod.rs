//! The chip's arithmetic on bit patterns, in Rust; `wgsl/numeric_*.wgsl` holds the same functions for kernels.
pub mod fragment;
