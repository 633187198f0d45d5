//! Programs: microcode words decoded into typed instructions with structured control flow, and back into text.

pub mod condition;
mod disassemble_fragment;
mod disassemble_vertex;
pub mod encode_fragment;
pub mod encode_vertex;
pub mod file;
pub mod fragment;
pub mod fragment_blocks;
pub mod fragment_decode;
mod fragment_loop_end;
mod fragment_operation;
pub mod inputs;
pub mod language;
#[cfg(test)]
pub(crate) mod test_words;
pub mod vertex;
pub mod vertex_blocks;
pub mod vertex_decode;

pub use disassemble_fragment::{FlowText, OperationText};
pub use fragment_operation::FULL_REGISTERS;
