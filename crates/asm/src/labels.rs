//! The labels of a text, each with the place that it names.

use std::collections::BTreeMap;

use super::cursor::{Cursor, shortened};
use super::diagnostic::{Diagnostic, Span};
use super::token::Token;

/// Takes `name:` if it comes next.
pub(super) fn accept_label<'text>(cursor: &mut Cursor<'text>) -> Option<(&'text str, Span)> {
    if cursor.peek() != Some(Token::Name) || cursor.peek_at(1) != Some(Token::Colon) {
        return None;
    }
    let label = (cursor.peek_text(), cursor.span());
    cursor.advance();
    cursor.advance();
    Some(label)
}

/// Places by name.
#[derive(Debug, Default)]
pub(super) struct Labels {
    places: BTreeMap<String, usize>,
    /// Most labels that a text may have; `None` for any number.
    limit: Option<usize>,
}

impl Labels {
    /// No labels yet, and `limit` of them at most.
    pub(super) const fn with_limit(limit: usize) -> Self {
        Self { places: BTreeMap::new(), limit: Some(limit) }
    }

    /// Adds a label.
    ///
    /// # Errors
    /// When the text has too many labels, or this one twice.
    pub(super) fn insert(&mut self, name: &str, span: Span, place: usize) -> Result<(), Diagnostic> {
        let count = self.places.len();
        if let Some(limit) = self.limit.filter(|&limit| count >= limit) {
            return Err(Diagnostic::over_limit(span, "labels", count + 1, limit, "labels of a text"));
        }
        if self.places.insert(name.to_owned(), place).is_some() {
            return Err(Diagnostic::new(span, format!("label `{}` stands twice", shortened(name))));
        }
        Ok(())
    }

    /// The place of a label.
    pub(super) fn get(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The slot of `main` among this many, or 0. The text ends at `end`.
    ///
    /// # Errors
    /// When no slot follows `main`.
    pub(super) fn start(&self, slots: usize, end: Span) -> Result<u16, Diagnostic> {
        match self.get("main").map_or(Some(0), |place| u16::try_from(place).ok().filter(|_| place < slots)) {
            Some(start) => Ok(start),
            None => Err(Diagnostic::new(end, "`main` has no instruction".to_owned()).label("the program ends here")),
        }
    }

    /// The error that no label has this name.
    pub(super) fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        Diagnostic::new(span, format!("there is no label `{}`", shortened(name)))
            .refuse(&format!("label {name}"))
            .suggest(name, self.places.keys().map(String::as_str))
    }
}
