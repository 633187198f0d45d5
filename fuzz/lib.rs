//! The functions of the fuzz targets; tests of the main package call the same functions with seeded inputs.

#[allow(dead_code, clippy::unwrap_used, reason = "targets use a part of what tests share, and fail by panicking")]
#[path = "../tests/common"]
mod common {
    pub(crate) mod compute_program;
    pub(crate) mod engine_pair;
    pub(crate) mod launch_outcome;
    pub(crate) mod live;
    pub(crate) mod markup;
    pub(crate) mod memory;
    pub(crate) mod microcode;
    pub(crate) mod random;
    pub(crate) mod random_images;
    pub(crate) mod random_stream;
    pub(crate) mod recorder;
}
#[path = "../tests/host/fuzz/arguments.rs"]
mod arguments;
#[path = "../tests/host/fuzz/executed.rs"]
mod executed;
#[path = "../tests/host/fuzz/live_messages.rs"]
mod live_messages;
#[path = "../tests/host/fuzz/machines.rs"]
mod machines;
#[path = "../tests/host/fuzz/reports.rs"]
mod reports;
#[path = "../tests/host/fuzz/stages/mod.rs"]
mod stages;
#[path = "../tests/host/fuzz/targets.rs"]
mod targets;
#[path = "../tests/host/fuzz/wayland_requests.rs"]
mod wayland_requests;

pub use arguments::launch_arguments;
pub use executed::{pica_programs, ptx_programs, tesla_programs};
pub use live_messages::live;
pub use machines::models;
pub use reports::{report, statistics};
pub use stages::*;
pub use targets::*;
pub use wayland_requests::wayland;

use std::cell::RefCell;
use std::mem::ManuallyDrop;

use common::engine_pair::{EnginePair, InputEngines, compare_images};
use common::launch_outcome::LaunchEngines;
use curie::gpu::{AdapterChoice, Gpu};
use curie::kernels::KernelPath;

fn gpu() -> Gpu {
    Gpu::open(&AdapterChoice::Best).expect("the target needs an adapter")
}

// Devices cannot be closed while a thread ends.
thread_local! {
    static ENGINES: RefCell<ManuallyDrop<InputEngines>> = RefCell::new(ManuallyDrop::new(InputEngines::new(gpu)));
    static PAIR: RefCell<ManuallyDrop<EnginePair>> =
        RefCell::new(ManuallyDrop::new(EnginePair::new(gpu(), KernelPath::Invocations, false)));
    static LAUNCHES: ManuallyDrop<LaunchEngines> = ManuallyDrop::new(LaunchEngines::new(gpu()));
}

/// Any bytes as a random stream that both engines play.
///
/// # Panics
/// If there is no adapter, or the engines differ.
pub fn engines(input: &[u8]) -> bool {
    ENGINES.with_borrow_mut(|engines| engines.compare(input))
}

/// Any bytes as a stream of copies, images, blits and rectangles that both engines play.
///
/// # Panics
/// If there is no adapter, or the engines differ.
pub fn images(input: &[u8]) -> bool {
    PAIR.with_borrow_mut(|pair| compare_images(pair, input))
}

/// Any bytes as a compute launch on both engines.
///
/// # Panics
/// If there is no adapter, or the engines differ.
pub fn compute(input: &[u8]) -> bool {
    LAUNCHES.with(|engines| engines.compare(input))
}
