//! The instruction sets: opcode tables and the bit layouts of instruction words, one folder or file per ISA.

pub mod nv20_vertex;
pub mod nv40_fragment;
pub mod nv40_vertex;
pub mod pica_vertex;
mod table;
pub mod tesla;
#[doc(hidden)]
pub mod test_words;
mod vertex_microcode;
pub mod vertex_word;
mod x_high;

pub use table::{OpcodeRow, Operand};
pub use vertex_microcode::{NvMicrocode, NvVertexIsa, VertexIsa, VertexMicrocode, VertexMicrocodeError};
