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

pub mod assembly;
pub mod constants;
pub mod cursor;
pub mod declarations;
pub mod diagnostic;
pub mod fragment;
pub mod inputs;
pub mod object;
pub mod operand;
pub mod options;
pub mod program_file;
pub mod state;
pub mod token;
pub mod vertex;

pub use assembly::{Assembly, NamedOutput, TextureTarget, TextureUse, VertexAssembly};
pub use constants::{ConstantSlot, ConstantSource};
pub use diagnostic::{Diagnostic, Diagnostics};
pub use fragment::assembly::FragmentAssembly;
pub use state::StateBinding;

use program_file::ProgramStage;

/// Longest text that is assembled, in bytes.
pub const LONGEST_TEXT: usize = 1 << 20;

/// A language, named by the first characters of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// `NV_vertex_program`.
    Vp1_0,
    /// `NV_vertex_program1_1`.
    Vp1_1,
    /// A vertex state program.
    Vsp1_0,
    /// `NV_vertex_program2`.
    Vp2_0,
    /// `NV_vertex_program2` with the operations of `NV_vertex_program3`; no document defines the header.
    Vp3_0,
    /// `ARB_vertex_program`.
    ArbVp1_0,
    /// `NV_fragment_program`.
    Fp1_0,
    /// `ARB_fragment_program`.
    ArbFp1_0,
    /// Everything that NV40 vertex microcode can say.
    NativeVertex,
    /// Everything that NV40 fragment microcode can say.
    NativeFragment,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 10] = [
        Self::Vp1_0,
        Self::Vp1_1,
        Self::Vsp1_0,
        Self::Vp2_0,
        Self::Vp3_0,
        Self::ArbVp1_0,
        Self::Fp1_0,
        Self::ArbFp1_0,
        Self::NativeVertex,
        Self::NativeFragment,
    ];

    /// What a text in this language begins with.
    #[must_use]
    pub const fn header(self) -> &'static str {
        match self {
            Self::Vp1_0 => "!!VP1.0",
            Self::Vp1_1 => "!!VP1.1",
            Self::Vsp1_0 => "!!VSP1.0",
            Self::Vp2_0 => "!!VP2.0",
            Self::Vp3_0 => "!!VP3.0",
            Self::ArbVp1_0 => "!!ARBvp1.0",
            Self::Fp1_0 => "!!FP1.0",
            Self::ArbFp1_0 => "!!ARBfp1.0",
            Self::NativeVertex => "!!NV40vp1.0",
            Self::NativeFragment => "!!NV40fp1.0",
        }
    }

    /// The processor that programs in this language are for.
    #[must_use]
    pub const fn stage(self) -> ProgramStage {
        match self {
            Self::Vp1_0 | Self::Vp1_1 | Self::Vsp1_0 | Self::Vp2_0 | Self::Vp3_0 => ProgramStage::Vertex,
            Self::ArbVp1_0 | Self::NativeVertex => ProgramStage::Vertex,
            Self::Fp1_0 | Self::ArbFp1_0 | Self::NativeFragment => ProgramStage::Fragment,
        }
    }

    /// The language that a text begins with the header of.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| {
            let rest = text.strip_prefix(language.header());
            rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '.'))
        })
    }
}

/// Assembles a text; `name` is what errors call it.
///
/// # Errors
/// When the text is not a program of the language that its header names, or breaks one of its limits.
pub fn assemble(name: &str, text: &str) -> Result<Assembly, Diagnostics> {
    let fail = |errors: Vec<Diagnostic>| Diagnostics::new(name, text, errors);
    if text.len() > LONGEST_TEXT {
        let error = Diagnostic::new(0..0, format!("the text has {} bytes", text.len()));
        return Err(Diagnostics::new(name, "", vec![error.note(format!("limit: {LONGEST_TEXT} bytes"))]));
    }
    let Some(language) = Language::of(text) else {
        let header = text.split(|next: char| next.is_whitespace() || next == ';').next().unwrap_or_default();
        let error = Diagnostic::new(0..header.len(), format!("`{}` is not a header", cursor::shortened(header)))
            .label("the first characters name the language")
            .suggest(header, Language::ALL.map(Language::header));
        return Err(fail(vec![error]));
    };
    match language.stage() {
        ProgramStage::Vertex => vertex::assemble(language, text).map(Assembly::Vertex),
        ProgramStage::Fragment => fragment::assemble(language, text).map(Assembly::Fragment),
    }
    .map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::{Language, assemble};

    #[test]
    fn headers_are_whole() {
        for language in Language::ALL {
            assert_eq!(Language::of(language.header()), Some(language));
            assert_eq!(Language::of(&format!("{}#", language.header())), Some(language));
            assert_eq!(Language::of(&format!("{}.1", language.header())), None);
        }
        assert_eq!(Language::of("!!NV40vp\n401f9c6c"), None);
        assert_eq!(Language::of(" !!VP1.0"), None);
    }

    #[test]
    fn unknown_headers_have_a_suggestion() {
        let error = assemble("a", "!!VP1.2\nEND").unwrap_err();
        assert!(error.errors()[0].notes[0].contains("!!VP1.0"), "{error}");
    }
}
