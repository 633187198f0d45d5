//! Shared by the integration tests: opens a device, or skips loudly.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test binary uses a part of this module; a test fails by panicking"
)]

pub(crate) mod blend_factors;
pub(crate) mod check_files;
pub(crate) mod compute_program;
pub(crate) mod damaged_streams;
pub(crate) mod engine_pair;
pub(crate) mod fuzz_seeds;
pub(crate) mod launch_outcome;
#[cfg(target_os = "linux")]
pub(crate) mod live;
pub(crate) mod live_clock;
pub(crate) mod markup;
pub(crate) mod memory;
pub(crate) mod merging;
pub(crate) mod microcode;
pub(crate) mod nightly;
pub(crate) mod random;
pub(crate) mod random_images;
pub(crate) mod random_stream;
pub(crate) mod recorder;
pub(crate) mod small_target;
pub(crate) mod texture_sampler;

use std::io::Write as _;

use curie::gpu::{AdapterChoice, Gpu};

/// Opens the best adapter. Without one the test is skipped loudly, or fails if `CURIE_REQUIRE_ADAPTER` is set.
pub(crate) fn gpu() -> Option<Gpu> {
    match Gpu::open(&AdapterChoice::Best) {
        Ok(gpu) => Some(gpu),
        Err(error) if std::env::var_os("CURIE_REQUIRE_ADAPTER").is_some() => panic!("an adapter is required: {error}"),
        Err(error) => {
            // Tests capture what `eprintln` prints, but not this.
            let _ = writeln!(std::io::stderr(), "SKIPPED, no adapter: {error}");
            None
        }
    }
}
