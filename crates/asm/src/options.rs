//! Parses the OPTION statements after a program's header.

use super::cursor::{Cursor, Parsed, shortened};
use super::diagnostic::Diagnostic;
use super::token::Token;

/// What an OPTION statement selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ProgramOption {
    /// The fixed pipeline's transform computes the position.
    PositionInvariant,
    /// `NV_vertex_program2`.
    VertexProgram2,
    /// `NV_vertex_program3`.
    VertexProgram3,
    /// `NV_fragment_program`.
    FragmentProgram,
    /// `NV_fragment_program2`.
    FragmentProgram2,
    /// Exponential fog after the program.
    FogExp,
    /// Squared exponential fog after the program.
    FogExp2,
    /// Linear fog after the program.
    FogLinear,
    /// Half precision by default.
    PrecisionFastest,
    /// Full precision by default.
    PrecisionNicest,
    /// Several color results.
    DrawBuffers,
    /// The shadow targets.
    Shadow,
    /// Window positions count from the upper edge.
    OriginUpperLeft,
    /// Window positions of pixel centers are integers.
    PixelCenterInteger,
}

/// Spellings of options.
pub type OptionTable = [(&'static str, ProgramOption)];

/// A set of options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options(u16);

impl Options {
    /// Whether the option is in the set.
    #[must_use]
    pub const fn has(self, option: ProgramOption) -> bool {
        self.0 >> option as u8 & 1 != 0
    }

    /// The set with one more option.
    #[must_use]
    pub const fn with(self, option: ProgramOption) -> Self {
        Self(self.0 | 1 << option as u8)
    }

    /// Reads all leading OPTION statements.
    ///
    /// # Errors
    /// When an option is not in the language's table.
    pub fn read(cursor: &mut Cursor<'_>, table: &OptionTable) -> Parsed<Self> {
        let mut options = Self::default();
        while cursor.accept_word("OPTION") {
            let (name, span) = cursor.name("the name of an option")?;
            let Some((_, option)) = table.iter().find(|(spelling, _)| *spelling == name) else {
                return Err(Diagnostic::new(span, format!("unknown option `{}`", shortened(name)))
                    .label("a program with an option that is not known does not load")
                    .suggest(name, table.iter().map(|(spelling, _)| *spelling)));
            };
            options = options.with(*option);
            cursor.expect(Token::Semicolon)?;
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::{OptionTable, Options, ProgramOption};
    use crate::cursor::Cursor;

    const TABLE: &OptionTable =
        &[("NV_one", ProgramOption::VertexProgram2), ("NV_other", ProgramOption::PositionInvariant)];

    #[test]
    fn known_options_are_collected_and_others_refused() {
        let read = |text: &str| Options::read(&mut Cursor::new(text, 0).unwrap(), TABLE);
        let options = read("OPTION NV_one; OPTION NV_one; MOV").unwrap();
        assert!(options.has(ProgramOption::VertexProgram2) && !options.has(ProgramOption::PositionInvariant));
        let error = read("OPTION NV_onn;").unwrap_err();
        assert_eq!(error.notes, ["did you mean `NV_one`?"]);
        assert!(read("OPTION NV_one").is_err());
    }
}
