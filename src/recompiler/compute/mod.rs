//! Translates programs of the Tesla processor into kernels. The 32 lanes of a workgroup run one warp of a block at a time.
//!
//! A warp has one program counter, as on the chip: the number of its next basic block. Each basic block is text that runs
//! if it is the next one, and a pass runs all of them in an order in which branches mostly go forward; loops of the program
//! are loops of the text, so that one of their passes runs only their own basic blocks. What is not uniform
//! costs passes and changes nothing else: every program runs, also one without structure.
//!
//! There are two texts of a program. With [`BlockOrder::Concurrent`], workgroups run blocks side by side. They find out
//! whether the order of blocks could matter, and whether there are faults, and stop if so. With [`BlockOrder::Ordered`],
//! one workgroup runs the blocks in their order and records faults.

mod access_memory;
mod basic_blocks;
mod emit_kernel;
mod emitter;
mod execute_instruction;
mod fast_floats;
mod fast_registers;
mod flow;
mod interpolate;
mod kernel_key;
mod layout;
mod liveness;
mod operands;
mod operate;
mod regions;
mod resources;
mod run_primitives;
mod run_vertices;
mod sample_texture;
mod shade_quads;
mod simt_programs;
mod thread_flow;
mod thread_program;
mod unit_texts;

pub use emit_kernel::{ComputeKernel, SLOT_WORDS, WARP_WORDS, compute_kernel};
pub use kernel_key::{BlockOrder, ComputeKernelKey, KernelTexture};
pub use layout::{ComputeLayout, FaultRecord};
pub use run_primitives::{GEOMETRY_WORKGROUP, SimtGeometryKey};
pub use run_vertices::SimtVertexKey;
pub(in crate::recompiler) use shade_quads::quad_program;
pub use shade_quads::{CountedFetches, SimtFragmentKey};
pub use simt_programs::SimtPrograms;
pub use thread_program::SimtProgramKey;
