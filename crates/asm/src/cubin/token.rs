//! The tokens of cubin texts.

use logos::Logos as _;

use super::super::token::lexemes;

lexemes! {
    /// A token. Its text is the slice that its span covers.
    #[logos(skip r"[ \t\r\n\x0b\x0c]+")]
    #[logos(skip(r"#[^\n\r]*", allow_greedy = true))]
    pub(super) enum CubinToken {
        /// Sections, settings, and names of kernels and variables, which PTX lets begin with `%` or `$`.
        #[regex(r"[A-Za-z_%][A-Za-z0-9_$]*|\$[A-Za-z0-9_$]+")]
        Name => "a name",
        /// A decimal number.
        #[regex(r"[0-9]+")]
        Number => "a number",
        /// A number in hexadecimal after `0x`.
        #[regex(r"0x[0-9A-Fa-f]+")]
        Bits => "hexadecimal bits",
    }
    spelled {
        Equals "=",
        OpenBrace "{",
        CloseBrace "}",
    }
}

/// Whether a kernel or variable may have the name, in this language and in `!!Tesla1.0`.
pub(in super::super) fn is_name(name: &str) -> bool {
    let mut tokens = CubinToken::lexer(name);
    tokens.next() == Some(Ok(CubinToken::Name)) && tokens.span() == (0..name.len())
}
