//! Errors of scenes, shown in their files.

use std::fmt;
use std::ops::Range;

use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term;

use super::suggest::suggestion;
use crate::command::builder::BuildError;

/// Why a scene cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// A file cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The scene file is invalid; the message shows where.
    #[error("{0}")]
    Scene(Located),
    /// A program does not assemble; the message shows where.
    #[error("{0}")]
    Program(String),
    /// The stream cannot be written.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// A message about a position in a file; its text shows the position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The problem.
    pub message: String,
    /// Line, from 1; 0 if the position is not known.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    rendered: String,
}

impl fmt::Display for Located {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.rendered)
    }
}

impl SceneError {
    /// The error with a text below its message.
    pub(super) fn followed_by(mut self, text: &str) -> Self {
        if let Self::Scene(located) = &mut self {
            located.rendered = format!("{}\n\n{text}", located.rendered);
        }
        self
    }
}

/// A scene file's text, for messages.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) path: String,
    pub(super) text: String,
}

impl Source {
    /// An error at a position of the file; an empty span at its start stands for the whole file.
    pub(super) fn error(&self, span: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> SceneError {
        let (message, label) = (message.into(), label.into());
        let has_place = span != (0..0);
        let before = self.text.get(..span.start).unwrap_or_default();
        let line = if has_place { before.matches('\n').count() + 1 } else { 0 };
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let file = SimpleFile::new(&self.path, &self.text);
        let mut diagnostic = Diagnostic::error().with_message(&message);
        if has_place {
            diagnostic = diagnostic.with_label(Label::primary((), span).with_message(label));
        } else if !label.is_empty() {
            diagnostic = diagnostic.with_note(label);
        }
        let rendered = term::emit_into_string(&term::Config::default(), &file, &diagnostic);
        let rendered = rendered.map_or_else(|_| message.clone(), |text| text.trim_end().to_owned());
        let rendered = rendered.strip_prefix("error: ").unwrap_or(&rendered).to_owned();
        let rendered = if has_place { rendered } else { format!("{}: {rendered}", self.path) };
        SceneError::Scene(Located { message, line, column, rendered })
    }

    /// An error at a text of the file.
    pub(super) fn at(&self, text: &super::Text, message: impl Into<String>, label: impl Into<String>) -> SceneError {
        self.error(text.span(&self.text), message, label)
    }

    /// An error about an unknown name.
    pub(super) fn unknown<'a>(
        &self,
        name: &super::Text,
        what: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> SceneError {
        let known: Vec<_> = known.collect();
        let label = suggestion(name.as_str(), known.iter().copied()).unwrap_or_else(|| match known.as_slice() {
            [] => format!("the scene has no {what}"),
            known => format!("expected one of {}", known[..known.len().min(12)].join(", ")),
        });
        self.at(name, format!("there is no {what} `{name}`"), label)
    }

    /// An error of the RON reader.
    pub(super) fn syntax(&self, error: &ron::error::SpannedError) -> SceneError {
        let offset = |position: &ron::error::Position| {
            let line_start: usize = self.text.split_inclusive('\n').take(position.line - 1).map(str::len).sum();
            let line = self.text[line_start..].split('\n').next().unwrap_or_default();
            let column = line.char_indices().nth(position.col.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
            line_start + column
        };
        let (start, end) = (offset(&error.span.start), offset(&error.span.end));
        let hint = match &error.code {
            ron::Error::NoSuchStructField { expected, found, .. } => suggestion(found, expected.iter().copied()),
            ron::Error::NoSuchEnumVariant { expected, found, .. } => suggestion(found, expected.iter().copied()),
            _ => None,
        };
        self.error(start..end.max(start), error.code.to_string(), hint.unwrap_or_default())
    }
}
