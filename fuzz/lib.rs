//! The functions of the fuzz targets; tests of the main package call the same functions with seeded inputs.

#[allow(dead_code, reason = "targets use a part of what tests share")]
#[path = "../tests/common"]
mod common {
    pub(crate) mod engine_pair;
    pub(crate) mod memory;
    pub(crate) mod microcode;
    pub(crate) mod random;
    pub(crate) mod random_stream;
    pub(crate) mod recorder;
}
#[path = "../tests/host/fuzz/stages/mod.rs"]
mod stages;
#[path = "../tests/host/fuzz/targets.rs"]
mod targets;

pub use stages::*;
pub use targets::*;

use std::cell::RefCell;
use std::mem::ManuallyDrop;

use common::engine_pair::InputEngines;
use curie::gpu::{AdapterChoice, Gpu};

/// Any bytes as a random stream that both engines play.
///
/// # Panics
/// If there is no adapter, or the engines differ.
pub fn engines(input: &[u8]) -> bool {
    thread_local! {
        // Devices cannot be closed while a thread ends.
        static ENGINES: RefCell<ManuallyDrop<InputEngines>> = RefCell::new(ManuallyDrop::new(InputEngines::new(|| {
            Gpu::open(&AdapterChoice::Best).expect("the target needs an adapter")
        })));
    }
    ENGINES.with_borrow_mut(|engines| engines.compare(input))
}
