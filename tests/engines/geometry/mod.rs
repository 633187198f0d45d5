//! The geometry stages: properties of the reference, and kernels against it bit for bit.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking and counts in small numbers"
)]

mod bounds;
mod kernels;
mod layout;
mod outputs_read;
mod polygons;
mod raster_block;
mod reference;
pub(crate) mod scene;
