//! The errors of an assembly text, printed with the offending text underlined, a reason and a suggestion.

use std::collections::HashSet;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use codespan_reporting::diagnostic::{Diagnostic as Report, Label};
use codespan_reporting::files::{Files as _, SimpleFile};
use codespan_reporting::term::{Config, emit_into_string};

/// Longest text that is assembled, in bytes.
const MAX_TEXT_BYTES: usize = 4 << 20;
/// Most errors that are collected from one text.
pub(super) const MAX_ERRORS: usize = 20;
/// Most errors about names that earlier errors refuse before reading ends.
const MAX_REPEATED: usize = 100;
/// Longest piece of an error's source line that is shown.
const MAX_LINE_LENGTH: usize = 2000;

/// Most names that a suggestion is chosen from.
const MAX_NAMES: usize = 2000;

/// A place in a text, in bytes.
pub type Span = Range<usize>;

/// One error of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong.
    pub message: String,
    /// The offending text.
    pub span: Span,
    /// The words below the offending text.
    pub label: String,
    /// Further lines: the rule that is broken, the limit, a suggestion.
    pub notes: Vec<String>,
    /// The names that have no meaning, or that a declaration fails to give one.
    refused: Vec<String>,
}

impl Diagnostic {
    /// An error at a place.
    #[must_use]
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), span, label: String::new(), notes: Vec::new(), refused: Vec::new() }
    }

    /// Adds words below the offending text.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds one more line at the end.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says that the error leaves a name without a meaning, so that other uses of it are no further errors.
    #[must_use]
    pub(super) fn refuse(mut self, name: &str) -> Self {
        self.refused.push(name.to_owned());
        self
    }

    /// Suggests the known name that is most similar to `found`, if one is.
    #[must_use]
    pub fn suggest<'name>(self, found: &str, known: impl IntoIterator<Item = &'name str>) -> Self {
        match closest(found, known) {
            Some(name) => self.note(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    /// The error that a count exceeds a limit.
    #[must_use]
    pub fn over_limit(span: Span, what: &str, count: usize, limit: usize, limit_name: &str) -> Self {
        Self::new(span, format!("{count} {what} where at most {limit} are possible"))
            .label(format!("more than {limit} {what}"))
            .note(format!("limit: {limit_name} = {limit}"))
    }
}

/// The errors of a text while it is read: one for each name that is refused.
#[derive(Debug, Default)]
pub(super) struct ErrorList {
    errors: Vec<Diagnostic>,
    refused: HashSet<String>,
    /// How many errors were left out.
    repeated: usize,
}

impl ErrorList {
    /// Adds an error, unless earlier ones refuse all names that it is about.
    pub(super) fn push(&mut self, error: Diagnostic) {
        if !error.refused.is_empty() && error.refused.iter().all(|name| self.refused.contains(name)) {
            self.repeated += 1;
            return;
        }
        self.refused.extend(error.refused.iter().cloned());
        self.errors.push(error);
    }

    /// Whether reading ends because of them.
    pub(super) const fn is_full(&self) -> bool {
        self.errors.len() >= MAX_ERRORS || self.repeated >= MAX_REPEATED
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// The errors in the order in which they were found.
    pub(super) fn into_errors(self) -> Vec<Diagnostic> {
        self.errors
    }

    /// The value, if there are no errors.
    pub(super) fn or<T>(self, value: T) -> Result<T, Vec<Diagnostic>> {
        if self.is_empty() { Ok(value) } else { Err(self.errors) }
    }
}

impl Extend<Diagnostic> for ErrorList {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, errors: I) {
        errors.into_iter().for_each(|error| self.push(error));
    }
}

/// The errors of one text, shown with the lines that they are in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostics {
    name: String,
    text: String,
    errors: Vec<Diagnostic>,
}

impl Diagnostics {
    /// The errors of the text called `name`.
    #[must_use]
    pub fn new(name: &str, text: &str, mut errors: Vec<Diagnostic>) -> Self {
        errors.truncate(MAX_ERRORS);
        Self { name: name.to_owned(), text: text.to_owned(), errors }
    }

    /// Fails if a text called `name` is longer than what is assembled.
    pub(super) fn check_length(name: &str, text: &str) -> Result<(), Self> {
        if text.len() <= MAX_TEXT_BYTES {
            return Ok(());
        }
        let error = Diagnostic::new(0..0, format!("the text has {} bytes", text.len()));
        Err(Self::new(name, "", vec![error.note(format!("limit: {MAX_TEXT_BYTES} bytes"))]))
    }

    /// The errors in the order in which they were found.
    #[must_use]
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }

    /// Line and column of an error, both from 1.
    #[must_use]
    pub fn location(&self, error: &Diagnostic) -> (usize, usize) {
        let file = SimpleFile::new(&self.name, &self.text);
        let start = self.clamped(error).start;
        file.location((), start).map_or((1, 1), |location| (location.line_number, location.column_number))
    }

    /// The span of an error, inside of the text and on character boundaries.
    fn clamped(&self, error: &Diagnostic) -> Span {
        let boundary = |offset: usize| {
            let offset = offset.min(self.text.len());
            (0..=offset).rev().find(|&offset| self.text.is_char_boundary(offset)).unwrap_or(0)
        };
        let start = boundary(error.span.start);
        start..boundary(error.span.end).max(start)
    }

    fn has_long_line(&self, span: &Span) -> bool {
        let before = self.text[..span.start].rfind('\n').map_or(0, |end| end + 1);
        let behind = self.text[span.end..].find('\n').map_or(self.text.len(), |end| span.end + end);
        behind - before > MAX_LINE_LENGTH
    }
}

impl Display for Diagnostics {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let file = SimpleFile::new(&self.name, &self.text);
        for error in &self.errors {
            let span = self.clamped(error);
            let has_long_line = self.has_long_line(&span);
            let mut report = Report::error().with_message(&error.message).with_notes(error.notes.clone());
            if !has_long_line {
                report = report.with_label(Label::primary((), span).with_message(&error.label));
            }
            match emit_into_string(&Config::default(), &file, &report) {
                Ok(text) if !has_long_line => f.write_str(&text)?,
                _ => {
                    let (line, column) = self.location(error);
                    writeln!(f, "error: {}\n  at {}:{line}:{column}", error.message, self.name)?;
                }
            }
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// The known name with the smallest edit distance to `found`, if that is small for its length.
pub fn closest<'name>(found: &str, known: impl IntoIterator<Item = &'name str>) -> Option<&'name str> {
    if found.len() > 40 {
        return None;
    }
    let most = if found.len() <= 3 { 1 } else { 2 };
    known
        .into_iter()
        .take(MAX_NAMES)
        .filter(|name| name.len().abs_diff(found.len()) <= most)
        .map(|name| (edit_distance(found, name), name))
        .filter(|&(distance, _)| distance <= most)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// The Levenshtein distance of two words, ignoring case.
pub fn edit_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().map(|letter| letter.to_ascii_lowercase()).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().map(|letter| letter.to_ascii_lowercase()).enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for column in 0..other.len() {
            let replaced = diagonal + usize::from(letter != other[column]);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::{Diagnostic, Diagnostics, closest, edit_distance};

    #[test]
    fn the_offending_text_is_underlined() {
        let text = "!!VP1.0\nMOW o[HPOS], v[0];\nEND";
        let error =
            Diagnostic::new(8..11, "unknown opcode `MOW`").label("no such opcode").suggest("MOW", ["MUL", "MOV"]);
        let errors = Diagnostics::new("a.vp", text, vec![error]);
        insta::assert_snapshot!(errors.to_string(), @"
        error: unknown opcode `MOW`
          ┌─ a.vp:2:1
          │
        2 │ MOW o[HPOS], v[0];
          │ ^^^ no such opcode
          │
          = did you mean `MOV`?
        ");
        assert_eq!(errors.location(&errors.errors()[0]), (2, 1));
    }

    #[test]
    fn distances_count_changes() {
        assert_eq!(edit_distance("MUL", "mul"), 0);
        assert_eq!(edit_distance("MUL", "MULT"), 1);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("DP3", "PD3"), 2);
        assert_eq!(closest("XYZZY", ["MOV", "MUL"]), None);
    }

    #[test]
    fn places_outside_of_the_text_are_moved_into_it() {
        let errors = Diagnostics::new("a", "é", vec![Diagnostic::new(1..90, "odd")]);
        assert!(errors.to_string().contains("odd"));
        let long = "x".repeat(5000);
        let errors = Diagnostics::new("a", &long, vec![Diagnostic::new(4000..4001, "odd")]);
        assert_eq!(errors.to_string(), "error: odd\n  at a:1:4001\n");
    }
}
