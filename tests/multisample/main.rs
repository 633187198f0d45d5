//! Multisampled targets: streams on both engines, samples known by hand, and the resolve that an open driver does.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking and counts in small numbers"
)]

#[path = "../common/mod.rs"]
mod common;
mod coverage;
mod engines;
mod merging;
#[path = "../common/random.rs"]
mod random;
mod resolve;
mod rounds;
mod scene;
#[path = "../common/three_d.rs"]
mod three_d;
