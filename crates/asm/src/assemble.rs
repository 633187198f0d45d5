//! Assembles a text in any language, which its header selects, for a processor.

use super::assembly::Assembly;
use super::diagnostic::{Diagnostic, Diagnostics};
use super::language::{Language, ProgramStage};
use super::{cursor, fragment, vertex};
use crate::isa::NvVertexIsa;

/// Assembles a text for NV40; `name` is what errors call it.
///
/// # Errors
/// When the text is not a program of the language that its header names, or breaks one of its limits.
pub fn assemble(name: &str, text: &str) -> Result<Assembly, Diagnostics> {
    assemble_for(name, text, NvVertexIsa::Nv40)
}

/// Assembles a text for the chips with this vertex processor; `name` is what errors call it.
///
/// # Errors
/// When the text is not a program of the language that its header names, when the chips do not have the language, or when
/// the program breaks a limit.
pub fn assemble_for(name: &str, text: &str, isa: NvVertexIsa) -> Result<Assembly, Diagnostics> {
    let fail = |errors: Vec<Diagnostic>| Diagnostics::new(name, text, errors);
    Diagnostics::check_length(name, text)?;
    let Some(language) = Language::of(text) else {
        let header = text.split(|next: char| next.is_whitespace() || next == ';').next().unwrap_or_default();
        let error = Diagnostic::new(0..header.len(), format!("`{}` is not a header", cursor::shortened(header)))
            .label("the first characters name the language")
            .suggest(header, Language::ALL.map(Language::header));
        return Err(fail(vec![error]));
    };
    if !language.runs_on(isa) {
        return Err(fail(vec![missing_language(language, isa)]));
    }
    match language.stage() {
        ProgramStage::Vertex => vertex::assemble(language, text, isa).map(Assembly::Vertex),
        ProgramStage::Fragment => fragment::assemble(language, text).map(Assembly::Fragment),
    }
    .map_err(fail)
}

/// The error that chips do not have a language.
fn missing_language(language: Language, isa: NvVertexIsa) -> Diagnostic {
    let header = language.header();
    let known = Language::ALL.into_iter().filter(|known| known.runs_on(isa)).map(Language::header);
    Diagnostic::new(0..header.len(), format!("{isa} has no programs in {header}"))
        .label(format!("not a language of {isa}"))
        .note(format!("languages of {isa}: {}", known.collect::<Vec<_>>().join(", ")))
}

#[cfg(test)]
mod tests {
    use super::assemble;

    #[test]
    fn unknown_headers_have_a_suggestion() {
        let error = assemble("a", "!!VP1.2\nEND").unwrap_err();
        assert!(error.errors()[0].notes[0].contains("!!VP1.0"), "{error}");
    }
}
