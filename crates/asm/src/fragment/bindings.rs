//! Parses the attribute and result bindings of `ARB_fragment_program`.

use super::code::InputRead;
use super::opcodes::{Dialects, FLOW, TABLE};
use crate::cursor::{Cursor, Parsed, shortened};
use crate::declarations::{Bindings, DeclarationLimits};
use crate::diagnostic::Diagnostic;
use crate::shader::fragment::{FragmentInput, FragmentRegister};
use crate::shader::fragment::{FragmentOutputs, color_register};
use crate::token::Token;

/// Texture coordinates of the chip.
pub(super) const TEXTURE_COORDINATES: u32 = 10;
/// Color targets of the chip.
const COLOR_TARGETS: u32 = 4;

/// A result of a fragment program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum FragmentOutput {
    Color(u8),
    Depth,
}

impl FragmentOutput {
    /// The register of a result.
    pub(super) const fn place(self, has_full_outputs: bool) -> FragmentRegister {
        match self {
            Self::Depth => FragmentOutputs::DEPTH,
            Self::Color(target) => color_register(target, has_full_outputs),
        }
    }
}

/// What the options of a text allow.
#[derive(Debug, Clone, Copy)]
pub(super) struct FragmentBindings {
    pub(super) dialects: Dialects,
    /// `result.color[n]`.
    pub(super) has_draw_buffers: bool,
    pub(super) limits: DeclarationLimits,
}

impl FragmentBindings {
    pub(super) const fn new(dialects: Dialects, has_draw_buffers: bool) -> Self {
        let limits = DeclarationLimits {
            program_parameters: 1024,
            array: 1024,
            temporaries: 4096,
            addresses: 0,
            has_sizes: dialects.has(Dialects::NV),
        };
        Self { dialects, has_draw_buffers, limits }
    }
}

impl Bindings for FragmentBindings {
    type Attribute = InputRead;
    type Output = FragmentOutput;

    fn attribute(&self, cursor: &mut Cursor<'_>) -> Parsed<InputRead> {
        const NAMES: [&str; 5] = ["color", "texcoord", "fogcoord", "position", "facing"];
        if !cursor.accept_word("fragment") {
            return Err(cursor.unexpected("`fragment`"));
        }
        cursor.expect(Token::Dot)?;
        let (name, span) = cursor.name("an attribute of the fragment")?;
        let input = match name {
            "position" => FragmentInput::WindowPosition,
            "fogcoord" => FragmentInput::Fog,
            "color" if cursor.accept_member("secondary") => FragmentInput::Color1,
            "color" => {
                cursor.accept_member("primary");
                FragmentInput::Color0
            }
            "facing" if self.dialects.has(Dialects::NV2) => FragmentInput::Facing,
            "facing" => {
                return Err(Diagnostic::new(span, "`fragment.facing` needs OPTION NV_fragment_program2"));
            }
            "texcoord" => return self.texture_coordinate(cursor),
            _ => {
                return Err(
                    Diagnostic::new(span, format!("there is no `fragment.{}`", shortened(name))).suggest(name, NAMES)
                );
            }
        };
        Ok(InputRead { input, displacement: None })
    }

    fn output(&self, cursor: &mut Cursor<'_>) -> Parsed<FragmentOutput> {
        if !cursor.accept_word("result") {
            return Err(cursor.unexpected("`result`"));
        }
        cursor.expect(Token::Dot)?;
        let (name, span) = cursor.name("a result of the fragment")?;
        match name {
            "depth" => Ok(FragmentOutput::Depth),
            "color" if cursor.peek() == Some(Token::OpenBracket) => {
                let start = cursor.span();
                let target = cursor.bracketed("a color target", COLOR_TARGETS)?;
                if !self.has_draw_buffers {
                    return Err(Diagnostic::new(cursor.span_from(&start), "several colors need an option")
                        .note("add `OPTION ARB_draw_buffers;` or `OPTION ATI_draw_buffers;`"));
                }
                Ok(FragmentOutput::Color(u8::try_from(target).unwrap_or(0)))
            }
            "color" => Ok(FragmentOutput::Color(0)),
            _ => Err(Diagnostic::new(span, format!("there is no `result.{}`", shortened(name)))
                .suggest(name, ["color", "depth"])),
        }
    }

    fn is_reserved(&self, word: &str) -> bool {
        const WORDS: [&str; 14] = [
            "ALIAS", "ATTRIB", "END", "OPTION", "OUTPUT", "PARAM", "TEMP", "fragment", "program", "result", "state",
            "texture", "SHORT", "LONG",
        ];
        let is_word = WORDS.contains(&word) || (self.dialects.has(Dialects::NV2) && FLOW.contains(&word));
        // Opcodes with the suffixes of an option are reserved only with that option.
        is_word || TABLE.iter().any(|row| row.is_spelled(word) && row.is_in(self.dialects))
    }

    fn limits(&self) -> &DeclarationLimits {
        &self.limits
    }
}

impl FragmentBindings {
    /// Reads `[n]` or `[A0.x+n]`; without an index, the coordinate is 0.
    fn texture_coordinate(&self, cursor: &mut Cursor<'_>) -> Parsed<InputRead> {
        const WHAT: &str = "a texture coordinate";
        let coordinate = |index: u32| FragmentInput::TexCoord(u8::try_from(index).unwrap_or(0));
        if cursor.peek() != Some(Token::OpenBracket) {
            return Ok(InputRead { input: coordinate(0), displacement: None });
        }
        if cursor.peek_text_at(1) != "A0" {
            return Ok(InputRead {
                input: coordinate(cursor.bracketed(WHAT, TEXTURE_COORDINATES)?),
                displacement: None,
            });
        }
        cursor.advance();
        let span = cursor.span();
        cursor.advance();
        if !self.dialects.has(Dialects::NV2) {
            return Err(Diagnostic::new(span, "an indexed attribute needs OPTION NV_fragment_program2"));
        }
        if !cursor.accept_member("x") {
            return Err(cursor.unexpected("`.x`"));
        }
        let index = if cursor.accept(Token::Plus) { cursor.integer(WHAT, TEXTURE_COORDINATES)? } else { 0 };
        cursor.expect(Token::CloseBracket)?;
        Ok(InputRead { input: coordinate(0), displacement: Some(i16::try_from(index).unwrap_or(0)) })
    }
}
