//! Streams of whole draws on both engines: every byte of memory equal, and pixels as calculated by hand.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking and counts in small numbers"
)]

#[path = "../common/mod.rs"]
mod common;
mod driver;
mod interpolation;
mod joined;
mod primitives;
#[path = "../common/random.rs"]
mod random;
mod random_streams;
mod ranges;
mod stage;
#[path = "../common/three_d.rs"]
mod three_d;
mod uniform;
mod vertex_parts;
mod vertices;
