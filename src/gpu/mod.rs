//! Device, linker and dispatch of compute kernels; knows no opcode and no register.

mod arena;
mod bind_groups;
mod device;
mod link;
mod modules;
mod recording;

pub use arena::{Block, Bound};
pub use device::{AdapterChoice, AdapterSummary, DeviceError, Gpu, Kernel, adapters};
pub use link::{LinkError, Linked, link};
pub use modules::{MODULES, module_source};
pub use recording::Recording;
