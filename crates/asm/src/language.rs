//! The assembly languages, each identified by the header of its texts, and the processor of each.

use crate::isa::NvVertexIsa;

/// The processor that a program is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProgramStage {
    /// The vertex processor.
    Vertex,
    /// The fragment processor.
    Fragment,
}

impl ProgramStage {
    /// `vertex` or `fragment`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Fragment => "fragment",
        }
    }
}

/// The first line of a text file with the words of a fragment program.
pub const FRAGMENT_HEADER: &str = "!!NV40fp";

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
    /// `NV_fragment_program` with the operations of `NV_fragment_program2`; no document defines the header.
    Fp2_0,
    /// `ARB_fragment_program`.
    ArbFp1_0,
    /// The native language of NV40 vertex microcode.
    NativeVertex,
    /// The native language of NV20 vertex microcode.
    NativeNv20Vertex,
    /// The native language of NV40 fragment microcode.
    NativeFragment,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 12] = [
        Self::Vp1_0,
        Self::Vp1_1,
        Self::Vsp1_0,
        Self::Vp2_0,
        Self::Vp3_0,
        Self::ArbVp1_0,
        Self::Fp1_0,
        Self::Fp2_0,
        Self::ArbFp1_0,
        Self::NativeVertex,
        Self::NativeNv20Vertex,
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
            Self::Fp2_0 => "!!FP2.0",
            Self::ArbFp1_0 => "!!ARBfp1.0",
            Self::NativeVertex => "!!NV40vp1.0",
            Self::NativeNv20Vertex => "!!NV20vp1.0",
            Self::NativeFragment => "!!NV40fp1.0",
        }
    }

    /// The processor that programs in this language are for.
    #[must_use]
    pub const fn stage(self) -> ProgramStage {
        match self {
            Self::Vp1_0 | Self::Vp1_1 | Self::Vsp1_0 | Self::Vp2_0 | Self::Vp3_0 => ProgramStage::Vertex,
            Self::ArbVp1_0 | Self::NativeVertex | Self::NativeNv20Vertex => ProgramStage::Vertex,
            Self::Fp1_0 | Self::Fp2_0 | Self::ArbFp1_0 | Self::NativeFragment => ProgramStage::Fragment,
        }
    }

    /// The native language of an instruction set.
    #[must_use]
    pub const fn native(isa: NvVertexIsa) -> Self {
        match isa {
            NvVertexIsa::Nv40 => Self::NativeVertex,
            NvVertexIsa::Nv20 => Self::NativeNv20Vertex,
        }
    }

    /// The only instruction set that the language is for; `None` for languages of several, and of fragment programs.
    #[must_use]
    pub const fn isa(self) -> Option<NvVertexIsa> {
        match self {
            Self::NativeVertex => Some(NvVertexIsa::Nv40),
            Self::NativeNv20Vertex => Some(NvVertexIsa::Nv20),
            _ => None,
        }
    }

    /// Whether chips with this instruction set run programs in the language.
    #[must_use]
    pub const fn runs_on(self, isa: NvVertexIsa) -> bool {
        match isa {
            NvVertexIsa::Nv40 => !matches!(self, Self::NativeNv20Vertex),
            NvVertexIsa::Nv20 => matches!(self, Self::Vp1_0 | Self::Vp1_1 | Self::Vsp1_0 | Self::NativeNv20Vertex),
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

#[cfg(test)]
mod tests {
    use super::Language;
    use crate::isa::NvVertexIsa;

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
    fn native_languages_run_on_their_chip_alone() {
        for &isa in NvVertexIsa::ALL {
            assert_eq!(Language::native(isa).isa(), Some(isa));
            let runs = |other: &&NvVertexIsa| Language::native(isa).runs_on(**other);
            assert_eq!(NvVertexIsa::ALL.iter().filter(runs).collect::<Vec<_>>(), [&isa]);
        }
    }
}
