//! Device, linker and dispatch of compute kernels; knows no opcode and no register.

mod device;
mod link;
mod modules;
mod recording;
mod stage_clock;

pub use device::{AdapterChoice, AdapterSummary, DeviceError, Gpu, Kernel, adapters};
pub use link::{LinkError, Linked, link};
pub use modules::{MODULES, module_source};
pub use recording::Recording;
pub use stage_clock::{StageClock, StageTime};
