//! Texts in the fragment languages into microcode of the fragment processor.

use super::Language;
use super::assembly::FragmentAssembly;
use super::diagnostic::Diagnostic;

/// Assembles a text whose header has been recognised.
///
/// # Errors
/// All that is wrong with the text.
pub fn assemble(language: Language, text: &str) -> Result<FragmentAssembly, Vec<Diagnostic>> {
    let span = 0..language.header().len().min(text.len());
    Err(vec![Diagnostic::new(span, format!("{} is not assembled yet", language.header()))])
}
