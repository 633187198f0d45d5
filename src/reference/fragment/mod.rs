//! The fragment processor: programs over quads, the register file, and each opcode.

pub(crate) mod operation;
pub(crate) mod register_file;
pub mod run_fragment_program;
pub mod shade_quads;
