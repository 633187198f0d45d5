//! Device, linker and dispatch of compute kernels; independent of opcodes, registers and kernels' binding numbers.

mod adapter;
mod arena;
mod bind_groups;
mod compilers;
mod device;
mod fold_branches;
mod kernel;
mod kernel_cache;
mod link;
mod modules;
mod recording;
mod stage_clock;

pub use adapter::{AdapterChoice, AdapterSummary, adapters, instance};
pub use arena::{Bindings, Block, Bound};
pub use device::{DeviceError, Gpu};
pub use kernel::Kernel;
pub use link::{LinkError, Linked, link};
pub use modules::{module_source, modules};
pub use recording::Recording;
pub use stage_clock::{HostSpan, HostWork, KernelPass, StageClock, StageTime, Timings};
