//! Texts in the vertex languages into microcode of the vertex processor.

use super::Language;
use super::assembly::VertexAssembly;
use super::diagnostic::Diagnostic;

/// Assembles a text whose header has been recognised.
///
/// # Errors
/// All that is wrong with the text.
pub fn assemble(language: Language, text: &str) -> Result<VertexAssembly, Vec<Diagnostic>> {
    let span = 0..language.header().len().min(text.len());
    Err(vec![Diagnostic::new(span, format!("{} is not assembled yet", language.header()))])
}
