//! A position in the tokens of a text, with the steps that all grammars share.

use std::ops::RangeInclusive;

use super::diagnostic::{Diagnostic, Span};
use super::token::{Lexeme, Token, tokens};

/// The result of a grammar rule, or the error at the place where it does not fit.
pub type Parsed<T> = Result<T, Diagnostic>;

/// A position in the tokens of a text.
#[derive(Debug, Clone)]
pub struct Cursor<'text, T = Token> {
    text: &'text str,
    tokens: Vec<(T, Span)>,
    position: usize,
    /// The offset after the last character that is not a blank.
    end: usize,
}

impl<'text, T: Lexeme> Cursor<'text, T> {
    /// Splits `text` after a header of `header` bytes.
    ///
    /// # Errors
    /// When some text is not a token.
    pub fn split(text: &'text str, header: usize) -> Parsed<Self> {
        Ok(Self { text, tokens: tokens(text, header)?, position: 0, end: text.trim_end().len() })
    }

    /// The next token without taking it; `None` at the end of the text.
    #[must_use]
    pub fn peek(&self) -> Option<T> {
        self.peek_at(0)
    }

    /// The token `ahead` places after the next one.
    #[must_use]
    pub fn peek_at(&self, ahead: usize) -> Option<T> {
        self.tokens.get(self.position + ahead).map(|(token, _)| *token)
    }

    /// The text of the next token; empty at the end.
    #[must_use]
    pub fn peek_text(&self) -> &'text str {
        self.peek_text_at(0)
    }

    /// The text of the token `ahead` places after the next one.
    #[must_use]
    pub fn peek_text_at(&self, ahead: usize) -> &'text str {
        self.tokens.get(self.position + ahead).map_or("", |(_, span)| &self.text[span.clone()])
    }

    /// The span of the next token; after the last one at the end.
    #[must_use]
    pub fn span(&self) -> Span {
        self.tokens.get(self.position).map_or(self.end..self.end, |(_, span)| span.clone())
    }

    /// The span of the token that was taken last.
    #[must_use]
    pub fn last_span(&self) -> Span {
        self.position.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(0..0, |(_, span)| span.clone())
    }

    /// From the start of `first` to the token that was taken last.
    #[must_use]
    pub fn span_from(&self, first: &Span) -> Span {
        first.start..self.last_span().end.max(first.end)
    }

    /// A position to return to with [`Self::rewind`].
    #[must_use]
    pub const fn mark(&self) -> usize {
        self.position
    }

    /// Goes back to a position of [`Self::mark`].
    pub const fn rewind(&mut self, mark: usize) {
        self.position = mark;
    }

    /// Takes the next token whatever it is.
    pub fn advance(&mut self) {
        self.position = (self.position + 1).min(self.tokens.len());
    }

    /// Takes the next token if it is this one.
    pub fn accept(&mut self, token: T) -> bool {
        let is_next = self.peek() == Some(token);
        if is_next {
            self.advance();
        }
        is_next
    }

    /// Takes this token.
    ///
    /// # Errors
    /// When another one comes next.
    pub fn expect(&mut self, token: T) -> Parsed<Span> {
        let span = self.span();
        if self.accept(token) { Ok(span) } else { Err(self.unexpected(token.description())) }
    }

    /// Takes the next token, with its text, if it is this one.
    ///
    /// # Errors
    /// When another one comes next; `what` says what it is for.
    pub fn take(&mut self, token: T, what: &str) -> Parsed<(&'text str, Span)> {
        let found = (self.peek_text(), self.span());
        if self.accept(token) { Ok(found) } else { Err(self.unexpected(what)) }
    }

    /// Takes the next token if it is this one with this text.
    pub fn accept_text(&mut self, token: T, text: &str) -> bool {
        let is_next = self.peek() == Some(token) && self.peek_text() == text;
        if is_next {
            self.advance();
        }
        is_next
    }

    /// The error that something else was expected here.
    #[must_use]
    pub fn unexpected(&self, wanted: &str) -> Diagnostic {
        let found = match self.peek() {
            None => "the text ends".to_owned(),
            Some(_) => format!("`{}` stands here", shortened(self.peek_text())),
        };
        Diagnostic::new(self.span(), format!("{found} where {wanted} is expected")).label(format!("expected {wanted}"))
    }
}

impl<'text> Cursor<'text> {
    /// Splits `text` after a header of `header` bytes into the tokens that most languages share.
    ///
    /// # Errors
    /// When some text is not a token.
    pub fn new(text: &'text str, header: usize) -> Parsed<Self> {
        Self::split(text, header)
    }

    /// Takes the next token if it is this word.
    pub fn accept_word(&mut self, word: &str) -> bool {
        self.accept_text(Token::Name, word)
    }

    /// Takes `.word` if it comes next.
    pub fn accept_member(&mut self, word: &str) -> bool {
        let is_next = self.peek() == Some(Token::Dot) && self.peek_text_at(1) == word;
        if is_next {
            self.advance();
            self.advance();
        }
        is_next
    }

    /// Takes a name.
    ///
    /// # Errors
    /// When none comes next; `what` says what the name is for.
    pub fn name(&mut self, what: &str) -> Parsed<(&'text str, Span)> {
        self.take(Token::Name, what)
    }

    /// Takes an integer below `limit`.
    ///
    /// # Errors
    /// When none comes next, or a larger one.
    pub fn integer(&mut self, what: &str, limit: u32) -> Parsed<u32> {
        let (text, span) = (self.peek_text(), self.span());
        if self.peek() != Some(Token::Number) || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.unexpected(what));
        }
        self.advance();
        text.parse().ok().filter(|&value| value < limit).ok_or_else(|| {
            Diagnostic::new(span, format!("{what} {} is out of range", shortened(text)))
                .label(format!("must be at most {}", limit.saturating_sub(1)))
        })
    }

    /// Takes `[n]` with n below `limit`.
    ///
    /// # Errors
    /// When it does not come next.
    pub fn bracketed(&mut self, what: &str, limit: u32) -> Parsed<u32> {
        self.expect(Token::OpenBracket)?;
        let value = self.integer(what, limit)?;
        self.expect(Token::CloseBracket)?;
        Ok(value)
    }

    /// Takes `[n]` or `[n..m]` with n and m below `limit`; an error calls them `whats`.
    ///
    /// # Errors
    /// When it does not come next, or the range is empty.
    pub fn bracketed_range(&mut self, what: &str, whats: &str, limit: u32) -> Parsed<RangeInclusive<u32>> {
        let start = self.span();
        self.expect(Token::OpenBracket)?;
        let first = self.integer(what, limit)?;
        let last = if self.accept(Token::Range) { self.integer(what, limit)? } else { first };
        self.expect(Token::CloseBracket)?;
        if last < first {
            return Err(Diagnostic::new(self.span_from(&start), format!("the range of {whats} is empty")));
        }
        Ok(first..=last)
    }

    /// Takes a number without sign, or bits, as the bits of a float.
    ///
    /// # Errors
    /// When none comes next.
    pub fn number(&mut self) -> Parsed<u32> {
        let (text, span) = (self.peek_text(), self.span());
        match self.peek() {
            Some(Token::Number) => {
                self.advance();
                text.parse().map(f32::to_bits).map_err(|_| Diagnostic::new(span, "not a number"))
            }
            Some(Token::Bits) => {
                self.advance();
                u32::from_str_radix(&text[2..], 16)
                    .map_err(|_| Diagnostic::new(span, "more bits than a component holds").label("at most 8 digits"))
            }
            _ => Err(self.unexpected("a number")),
        }
    }

    /// Takes a number with an optional sign, as the bits of a float.
    ///
    /// # Errors
    /// When none comes next.
    pub fn signed_number(&mut self) -> Parsed<u32> {
        let negative = self.sign();
        Ok(self.number()? ^ u32::from(negative) << 31)
    }

    /// Takes an optional `+` or `-`, and returns whether it is `-`.
    pub fn sign(&mut self) -> bool {
        let negative = self.accept(Token::Minus);
        if !negative {
            self.accept(Token::Plus);
        }
        negative
    }

    /// Skips past the next `;`, or to the end, to recover from an error.
    pub fn recover(&mut self) {
        while let Some(token) = self.peek() {
            self.advance();
            if token == Token::Semicolon {
                break;
            }
        }
    }
}

/// The first letters of a text that an error quotes.
#[must_use]
pub fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
