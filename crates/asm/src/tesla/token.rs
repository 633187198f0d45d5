//! The tokens of the Tesla processor's assembly language.

use logos::Logos;

use super::super::token::Lexeme;

/// A token. Its text is the slice that its span covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Logos)]
#[logos(skip r"[ \t\r\n\x0b\x0c]+")]
#[logos(skip(r"//[^\n\r]*", allow_greedy = true))]
pub(super) enum TeslaToken {
    /// Operations, their variants, spaces, labels; names of kernels and variables, which PTX lets begin with `%`.
    #[regex(r"[A-Za-z_%][A-Za-z0-9_$]*")]
    Name,
    /// A directive with its dot.
    #[regex(r"\.[A-Za-z]+")]
    Directive,
    /// A register with its dollar sign, or a name that begins with one.
    #[regex(r"\$[A-Za-z0-9_$]+")]
    Register,
    /// A number in hexadecimal after `0x`.
    #[regex(r"0x[0-9A-Fa-f]+")]
    Bits,
    /// A decimal number.
    #[regex(r"[0-9]+")]
    Number,
    /// A number with a point.
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?")]
    Float,
    /// `#`: no register.
    #[token("#")]
    Hash,
    /// `++`
    #[token("++")]
    PlusPlus,
    /// `+`
    #[token("+")]
    Plus,
    /// `-`
    #[token("-")]
    Minus,
    /// `:`
    #[token(":")]
    Colon,
    /// `[`
    #[token("[")]
    OpenBracket,
    /// `]`
    #[token("]")]
    CloseBracket,
    /// `(`
    #[token("(")]
    OpenParenthesis,
    /// `)`
    #[token(")")]
    CloseParenthesis,
}

impl Lexeme for TeslaToken {
    fn description(self) -> &'static str {
        match self {
            Self::Name => "a name",
            Self::Directive => "a directive",
            Self::Register => "a register",
            Self::Bits | Self::Number => "a number",
            Self::Float => "a number with a point",
            Self::Hash => "`#`",
            Self::PlusPlus => "`++`",
            Self::Plus => "`+`",
            Self::Minus => "`-`",
            Self::Colon => "`:`",
            Self::OpenBracket => "`[`",
            Self::CloseBracket => "`]`",
            Self::OpenParenthesis => "`(`",
            Self::CloseParenthesis => "`)`",
        }
    }
}
