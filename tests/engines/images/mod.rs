//! The 2D classes: streams of methods against independent calculations, and both engines against each other.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking and counts in small numbers"
)]

mod copies;
mod engines;
mod formats;
mod objects;
mod operations;
mod scaling;
mod stream;
