//! Device, linker and dispatch of compute kernels; independent of opcodes, registers and kernels' binding numbers.

mod adapter;
mod arena;
mod bind_groups;
mod compilers;
mod device;
mod device_error;
mod find_kernel;
mod fold_branches;
mod kernel;
mod kernel_cache;
mod kernel_jobs;
mod link;
mod modules;
mod pipelines;
mod recording;
mod stage_clock;
mod submission;

pub use adapter::{AdapterChoice, AdapterSummary, adapters, instance};
pub use arena::{Bindings, Block, Bound};
pub use device::Gpu;
pub use device_error::DeviceError;
pub use kernel::Kernel;
pub use link::{LinkError, Linked, link};
pub use modules::{module_source, modules};
pub use recording::Recording;
pub use stage_clock::{HostSpan, HostWork, KernelPass, StageClock, StageTime, Timings};
