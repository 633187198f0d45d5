//! Typed programs, the input of both engines, the recompiler, the schedules and the counters.

pub mod analysis;
pub mod condition;
pub mod fragment;
pub mod fragment_blocks;
pub mod fragment_function;
pub mod kernel_function;
pub mod shader_unit_steps;
pub mod simt;
#[doc(hidden)]
pub mod test_programs;
pub mod vertex;
pub mod vertex_blocks;
