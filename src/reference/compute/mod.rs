//! Programs of the Tesla processor: blocks of warps of 32 threads that share a program counter. Vertices and fragments run
//! in blocks of one warp.
//!
//! # Order of execution
//!
//! The chip runs many warps at a time, so that a program with races or atomic operations can have several results. Here
//! each has one:
//!
//! - Blocks run one after the other in the order of their numbers, x the fastest.
//! - In a block, a warp runs until it waits at a barrier, ends, or begins a basic block after it has executed
//!   [`TURN_INSTRUCTIONS`] instructions; then the next one in the order of their numbers runs. Long turns keep traces and
//!   races easy to follow, and their limit lets a warp that polls memory see what another one writes.
//! - Within an instruction, the lanes of a warp access memory in ascending order: of several writes to an address the
//!   last lane's stays, and atomic operations happen one by one.
//! - Of a branch that diverges, the threads that take it run first.
//!
//! # Faults
//!
//! A wrong access reads zero or writes nothing, and the kernel continues. An instruction that cannot be executed at all
//! ends the warp.
//! Both are counted by instruction and kind, and reported at the end. A trap and too many instructions end the launch.
//!
//! Sources: envytools `docs/hw/graph/tesla/cuda/` for the machine, hwtest for its behavior, and programs of NVIDIA's
//! compilers for what these expect. `docs/known-unknowns/tesla.md` lists what none of them tells.

#[cfg(doc)]
use crate::pipeline::launch::TURN_INSTRUCTIONS;

mod access_memory;
mod barriers;
mod block;
mod execute_instruction;
mod interpolate;
mod operands;
mod operate;
mod predicates;
mod races;
mod records;
mod run_launch;
pub mod run_primitives;
pub mod run_vertices;
mod sample_texture;
pub mod shade_quads;
mod update_memory;
mod warp;

pub use run_launch::{run_launch, run_launch_over};

#[cfg(test)]
mod arithmetic_tests;
#[cfg(test)]
mod flow_tests;
#[cfg(test)]
mod memory_tests;
#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod test_programs;
