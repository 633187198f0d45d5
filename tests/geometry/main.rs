//! The geometry stages: properties of the reference, and kernels against it bit for bit.

#[path = "../common/mod.rs"]
mod common;
mod kernels;
mod layout;
mod reference;
mod scene;
