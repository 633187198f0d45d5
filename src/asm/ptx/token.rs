//! Splits a PTX text into tokens, and skips blanks, comments and lines with debugging records.

use logos::Logos;

use crate::asm::cursor::{Parsed, shortened};
use crate::asm::diagnostic::{Diagnostic, Span};

/// A token of PTX. Its text is the slice that its span covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Logos)]
#[logos(skip r"[ \t\r\n\x0b\x0c]+")]
#[logos(skip(r"(//|@@|#)[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub(super) enum Token {
    /// Opcodes, names of registers, variables and labels.
    #[regex(r"[A-Za-z_$%][A-Za-z0-9_$]*")]
    Name,
    /// A directive, a modifier or a component: a name after a point.
    #[regex(r"\.[A-Za-z0-9_]+")]
    Dotted,
    /// An integer without sign: decimal, octal, binary or hexadecimal.
    #[regex(r"(0[xX][0-9A-Fa-f]+|0[bB][01]+|[0-9]+)U?")]
    Integer,
    /// A number with a point or an exponent.
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+")]
    Float,
    /// The bits of a float in single precision, after `0f`, or double precision, after `0d`.
    #[regex(r"0[fF][0-9A-Fa-f]{8}")]
    #[regex(r"0[dD][0-9A-Fa-f]{16}")]
    FloatBits,
    /// A text in quotation marks.
    #[regex(r#""[^"\n]*""#)]
    Text,
    /// `,`
    #[token(",")]
    Comma,
    /// `;`
    #[token(";")]
    Semicolon,
    /// `:`
    #[token(":")]
    Colon,
    /// `=`
    #[token("=")]
    Equals,
    /// `+`
    #[token("+")]
    Plus,
    /// `-`
    #[token("-")]
    Minus,
    /// `|`
    #[token("|")]
    Bar,
    /// `!`
    #[token("!")]
    Not,
    /// `@`
    #[token("@")]
    At,
    /// `<`
    #[token("<")]
    Less,
    /// `>`
    #[token(">")]
    Greater,
    /// `[`
    #[token("[")]
    OpenBracket,
    /// `]`
    #[token("]")]
    CloseBracket,
    /// `{`
    #[token("{")]
    OpenBrace,
    /// `}`
    #[token("}")]
    CloseBrace,
    /// `(`
    #[token("(")]
    OpenParenthesis,
    /// `)`
    #[token(")")]
    CloseParenthesis,
}

impl Token {
    /// How an error message calls the token.
    const fn description(self) -> &'static str {
        match self {
            Self::Name => "a name",
            Self::Dotted => "a directive or modifier",
            Self::Integer => "an integer",
            Self::Float | Self::FloatBits => "a number",
            Self::Text => "a text",
            Self::Comma => "`,`",
            Self::Semicolon => "`;`",
            Self::Colon => "`:`",
            Self::Equals => "`=`",
            Self::Plus => "`+`",
            Self::Minus => "`-`",
            Self::Bar => "`|`",
            Self::Not => "`!`",
            Self::At => "`@`",
            Self::Less => "`<`",
            Self::Greater => "`>`",
            Self::OpenBracket => "`[`",
            Self::CloseBracket => "`]`",
            Self::OpenBrace => "`{`",
            Self::CloseBrace => "`}`",
            Self::OpenParenthesis => "`(`",
            Self::CloseParenthesis => "`)`",
        }
    }
}

/// A position in the tokens of a text.
#[derive(Debug)]
pub(super) struct Cursor<'text> {
    text: &'text str,
    tokens: Vec<(Token, Span)>,
    position: usize,
    /// The offset after the last character that is not a blank.
    end: usize,
}

impl<'text> Cursor<'text> {
    pub(super) fn new(text: &'text str) -> Parsed<Self> {
        let mut tokens = Vec::new();
        for (token, span) in Token::lexer(text).spanned() {
            let Ok(token) = token else {
                let what: String = text[span.clone()].chars().take(1).collect();
                let error = Diagnostic::new(span, format!("`{}` has no meaning here", what.escape_debug()));
                return Err(error.label("not a part of the language"));
            };
            tokens.push((token, span));
        }
        Ok(Self { text, tokens, position: 0, end: text.trim_end().len() })
    }

    /// The next token without taking it; `None` at the end of the text.
    pub(super) fn peek(&self) -> Option<Token> {
        self.peek_at(0)
    }

    /// The token `ahead` places after the next one.
    pub(super) fn peek_at(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.position + ahead).map(|(token, _)| *token)
    }

    /// The text of the next token; empty at the end.
    pub(super) fn text(&self) -> &'text str {
        self.tokens.get(self.position).map_or("", |(_, span)| &self.text[span.clone()])
    }

    /// The span of the next token; after the last one at the end.
    pub(super) fn span(&self) -> Span {
        self.tokens.get(self.position).map_or(self.end..self.end, |(_, span)| span.clone())
    }

    /// From the start of `first` to the token that was taken last.
    pub(super) fn span_from(&self, first: &Span) -> Span {
        let last = self.position.checked_sub(1).and_then(|last| self.tokens.get(last));
        first.start..last.map_or(first.end, |(_, span)| span.end.max(first.end))
    }

    /// Takes the next token whatever it is.
    pub(super) fn advance(&mut self) {
        self.position = (self.position + 1).min(self.tokens.len());
    }

    /// Takes the next token if it is this one.
    pub(super) fn accept(&mut self, token: Token) -> bool {
        let is_next = self.peek() == Some(token);
        if is_next {
            self.advance();
        }
        is_next
    }

    /// Takes the next token if it is a directive or modifier of this text, with its point.
    pub(super) fn accept_dotted(&mut self, text: &str) -> bool {
        let is_next = self.peek() == Some(Token::Dotted) && self.text() == text;
        if is_next {
            self.advance();
        }
        is_next
    }

    /// Takes this token.
    pub(super) fn expect(&mut self, token: Token) -> Parsed<Span> {
        let span = self.span();
        if self.accept(token) { Ok(span) } else { Err(self.unexpected(token.description())) }
    }

    /// Takes a name; `what` says what the name is for.
    pub(super) fn name(&mut self, what: &str) -> Parsed<(&'text str, Span)> {
        let (text, span) = (self.text(), self.span());
        if self.accept(Token::Name) { Ok((text, span)) } else { Err(self.unexpected(what)) }
    }

    /// Takes an integer without sign.
    pub(super) fn integer(&mut self, what: &str) -> Parsed<u64> {
        let (text, span) = (self.text(), self.span());
        if !self.accept(Token::Integer) {
            return Err(self.unexpected(what));
        }
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

    /// The error that something else was expected here.
    pub(super) fn unexpected(&self, wanted: &str) -> Diagnostic {
        let found = match self.peek() {
            None => "the text ends".to_owned(),
            Some(_) => format!("`{}` stands here", shortened(self.text())),
        };
        Diagnostic::new(self.span(), format!("{found} where {wanted} is expected")).label(format!("expected {wanted}"))
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
