//! Assembly languages: texts into microcode.
//!
//! ```text
//! text ─ token ─ cursor ─► grammar of the language ─► operations on many registers
//!                                                        │ expansion, one constant and one attribute each,
//!                                                        ▼ registers, constant slots
//!                                              typed instructions ─ encode ─► words
//! ```
//!
//! `token`, `cursor`, `diagnostic`, `operand`, `declarations`, `state`, `options` serve every language; the grammars
//! differ per stage. Errors are collected per statement and show the text they are about.

pub mod assemble;
pub mod assembly;
pub mod constants;
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
pub mod program_file;
mod register_allocation;
pub mod state;
mod statements;
pub mod token;
pub mod vertex;

pub use assemble::{LONGEST_TEXT, assemble};
pub use assembly::{Assembly, FragmentAssembly, Microcode, NamedOutput, TextureTarget, TextureUse, VertexAssembly};
pub use constants::{ConstantSlot, ConstantSource};
pub use diagnostic::{Diagnostic, Diagnostics};
pub use language::{Language, ProgramStage};
pub use state::StateBinding;
