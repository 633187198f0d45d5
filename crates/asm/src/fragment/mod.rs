//! Assembles texts in the fragment languages into microcode of the fragment processor.
//!
//! `grammar` parses statements over `names`, and `flow` nests their blocks. `expand` lowers operations to those of the
//! chip, `allocate` assigns registers, and `emit` builds the typed program that is encoded. `native` and `listing` are the
//! language that can express any microcode.

mod allocate;
mod bindings;
mod code;
mod compile;
mod emit;
mod expand;
mod flow;
mod fog;
mod grammar;
pub mod listing;
mod names;
mod native;
mod native_fields;
mod native_statement;
mod native_summary;
mod opcodes;

use super::assembly::FragmentAssembly;
use super::diagnostic::Diagnostic;
use super::language::Language;
pub(super) use native_summary::summarized;

/// Assembles a text whose header names `language`.
///
/// # Errors
/// All that is wrong with the text.
pub fn assemble(language: Language, text: &str) -> Result<FragmentAssembly, Vec<Diagnostic>> {
    compile::compile(language, text)
}

#[cfg(test)]
mod error_tests;
