//! Multisampled targets: streams on both engines, samples known by hand, and an open driver's resolve.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking and counts in small numbers"
)]

mod coverage;
mod engines;
mod merging;
mod resolve;
mod rounds;
mod scene;
