//! The tokens of cubin texts.

use logos::Logos;

use super::super::token::Lexeme;

/// A token. Its text is the slice that its span covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Logos)]
#[logos(skip r"[ \t\r\n\x0b\x0c]+")]
#[logos(skip(r"#[^\n\r]*", allow_greedy = true))]
pub(super) enum CubinToken {
    /// Sections, settings, and names of kernels and variables, which PTX lets begin with `%` or `$`.
    #[regex(r"[A-Za-z_%][A-Za-z0-9_$]*|\$[A-Za-z0-9_$]+")]
    Name,
    /// A decimal number.
    #[regex(r"[0-9]+")]
    Number,
    /// A number in hexadecimal after `0x`.
    #[regex(r"0x[0-9A-Fa-f]+")]
    Bits,
    /// `=`
    #[token("=")]
    Equals,
    /// `{`
    #[token("{")]
    OpenBrace,
    /// `}`
    #[token("}")]
    CloseBrace,
}

/// Whether a kernel or variable may have the name, in this language and in `!!Tesla1.0`.
pub(in super::super) fn is_name(name: &str) -> bool {
    let mut tokens = CubinToken::lexer(name);
    tokens.next() == Some(Ok(CubinToken::Name)) && tokens.span() == (0..name.len())
}

impl Lexeme for CubinToken {
    fn description(self) -> &'static str {
        match self {
            Self::Name => "a name",
            Self::Number => "a number",
            Self::Bits => "hexadecimal bits",
            Self::Equals => "`=`",
            Self::OpenBrace => "`{`",
            Self::CloseBrace => "`}`",
        }
    }
}
