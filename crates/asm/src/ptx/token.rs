//! Splits a PTX text into tokens, and skips blanks, comments and lines with debugging records.

use crate::cursor::{self, Parsed};
use crate::diagnostic::{Diagnostic, Span};
use crate::token::lexemes;

lexemes! {
    /// A token of PTX. Its text is the slice that its span covers.
    #[logos(skip r"[ \t\r\n\x0b\x0c]+")]
    #[logos(skip(r"(//|@@|#)[^\n]*", allow_greedy = true))]
    #[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
    pub(super) enum Token {
        /// Opcodes, names of registers, variables and labels.
        #[regex(r"[A-Za-z_][A-Za-z0-9_$]*|[$%][A-Za-z0-9_$]+")]
        Name => "a name",
        /// A directive, a modifier or a component: a name after a point.
        #[regex(r"\.[A-Za-z0-9_]+")]
        Dotted => "a directive or modifier",
        /// An integer without sign: decimal, octal, binary or hexadecimal.
        #[regex(r"(0[xX][0-9A-Fa-f]+|0[bB][01]+|[0-9]+)U?")]
        Integer => "an integer",
        /// A number with a point or an exponent.
        #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?")]
        #[regex(r"[0-9]+[eE][+-]?[0-9]+")]
        Float => "a number",
        /// The bits of a float in single precision, after `0f`, or double precision, after `0d`.
        #[regex(r"0[fF][0-9A-Fa-f]{8}")]
        #[regex(r"0[dD][0-9A-Fa-f]{16}")]
        FloatBits => "a number",
        /// A text in quotation marks.
        #[regex(r#""[^"\n]*""#)]
        Text => "a text",
    }
    spelled {
        Comma ",",
        Semicolon ";",
        Colon ":",
        Equals "=",
        Plus "+",
        Minus "-",
        Bar "|",
        Not "!",
        At "@",
        Less "<",
        Greater ">",
        OpenBracket "[",
        CloseBracket "]",
        OpenBrace "{",
        CloseBrace "}",
        OpenParenthesis "(",
        CloseParenthesis ")",
    }
}

/// A position in the tokens of a text.
pub(super) type Cursor<'text> = cursor::Cursor<'text, Token>;

impl<'text> Cursor<'text> {
    /// Takes the next token if it is a directive or modifier of this text, with its point.
    pub(super) fn accept_dotted(&mut self, text: &str) -> bool {
        self.accept_text(Token::Dotted, text)
    }

    /// Takes a name; `what` says what the name is for.
    pub(super) fn name(&mut self, what: &str) -> Parsed<(&'text str, Span)> {
        self.take(Token::Name, what)
    }

    /// Takes an integer without sign.
    pub(super) fn integer(&mut self, what: &str) -> Parsed<u64> {
        let (text, span) = self.take(Token::Integer, what)?;
        parse_integer(text).ok_or_else(|| Diagnostic::new(span, "not a number of 64 bits").label(what))
    }

    /// Takes an integer of at most `most`.
    pub(super) fn integer_up_to(&mut self, what: &str, most: u32) -> Parsed<u32> {
        let span = self.span();
        let value = self.integer(what)?;
        u32::try_from(value).ok().filter(|&value| value <= most).ok_or_else(|| {
            Diagnostic::new(span, format!("{what} {value} is out of range")).label(format!("must be at most {most}"))
        })
    }

    /// Skips past the next `;`, or to a brace, to recover from an error.
    pub(super) fn recover(&mut self) {
        let mut depth = 0;
        while let Some(token) = self.peek() {
            match token {
                Token::OpenBrace => depth += 1,
                Token::CloseBrace if depth == 0 => return,
                Token::CloseBrace => depth -= 1,
                Token::Semicolon if depth == 0 => {
                    self.advance();
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }
}

fn parse_integer(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches('U');
    let lower = digits.to_ascii_lowercase();
    if let Some(hexadecimal) = lower.strip_prefix("0x") {
        return u64::from_str_radix(hexadecimal, 16).ok();
    }
    if let Some(binary) = lower.strip_prefix("0b") {
        return u64::from_str_radix(binary, 2).ok();
    }
    let is_octal = digits.len() > 1 && digits.starts_with('0');
    u64::from_str_radix(digits, if is_octal { 8 } else { 10 }).ok()
}
