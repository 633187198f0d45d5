//! Assembles texts in eleven assembly languages into microcode, and disassembles microcode.
//!
//! ```text
//! text ─ token ─ cursor ─► statements: grammar of the language ─► operations on virtual registers
//!                                                        │ expansion, one constant and one attribute each,
//!                                                        ▼ register_allocation, constant slots
//!                                              typed instructions ─ encode ─► words
//! ```
//!
//! All languages share the files of this folder: lexer, statement loop, labels, operands, declarations, register allocation,
//! diagnostics. `vertex` and `fragment` hold the grammars, opcode tables and lowering of each stage. Errors are collected
//! per statement and show the text that they are about.
//!
//! `pica` shares lexer, labels and diagnostics: its texts have no header, a line is a statement, and the result is a shader
//! binary (`shbin`).
//!
//! `cg_binary` reads programs that Cg compiled for the NV40.
//!
//! `tesla` has tokens and statements of its own, which the instruction set's table of texts drives; its result is a module of
//! kernels, which cubin text (`cubin`) stores. `ptx` compiles CUDA's intermediate language to such modules.

pub mod assemble;
pub mod assembly;
pub mod cg_binary;
pub mod constants;
pub mod cubin;
pub mod cursor;
pub mod declarations;
pub mod diagnostic;
pub mod fragment;
pub mod inputs;
mod labels;
pub mod language;
mod native_words;
pub mod object;
pub mod operand;
pub mod options;
pub mod pica;
pub mod program_file;
pub mod ptx;
mod register_allocation;
pub mod shbin;
pub mod state;
mod statements;
pub mod tesla;
mod texture_target;
pub mod token;
pub mod vertex;

use curie_isa::{arith, isa, plural, shader};

pub use assemble::{assemble, assemble_for};
pub use assembly::{
    Assembly, FragmentAssembly, NamedOutput, TextureTarget, TextureUse, VertexAssembly, WindowConventions,
};
pub use constants::{ConstantSlot, ConstantSource};
pub use diagnostic::{Diagnostic, Diagnostics};
pub use language::{Language, ProgramStage};
pub use program_file::Microcode;
pub use state::StateBinding;
