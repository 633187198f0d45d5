//! Texts in the fragment languages into microcode of the fragment processor.
//!
//! `grammar` reads statements over `names`, `flow` puts their blocks together, `expand` turns what the chip lacks into
//! what it has, `liveness` and `allocate` find registers, `emit` gives a typed program that is encoded.

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

/// Assembles a text whose header has been recognised.
///
/// # Errors
/// All that is wrong with the text.
pub fn assemble(language: Language, text: &str) -> Result<FragmentAssembly, Vec<Diagnostic>> {
    compile::compile(language, text)
}

#[cfg(test)]
mod error_tests;
#[cfg(test)]
mod tests;
