//! The opcodes of the NV40 vertex processor: a four-wide vector unit (VEC) and a scalar unit (SCA) in each instruction.
//!
//! Source: envytools `docs/hw/graph/xf/isa.rst` and Mesa `nv40_vertprog.h` for the numbers, `NV_vertex_program2` and
//! `NV_vertex_program3` for the meaning.

pub mod decode;
pub mod disassemble;
pub mod encode;
mod instruction;
mod lower;
mod opcodes;
mod word;

pub use crate::isa::vertex_word::VertexSourceKind;
pub use instruction::{Branch, OutputWrite, VertexInstruction, VertexMicroprogram, VertexSource};
pub use opcodes::{Effect, FlowKind, ScalarOpcode, VectorOpcode};
pub use word::{VertexField, VertexWord};
