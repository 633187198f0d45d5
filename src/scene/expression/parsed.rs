//! Defines a parsed expression.

use super::error::ExpressionError;
use super::parse::{self, Node};

/// A parsed expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    pub(super) root: Node,
    /// The position of its text in the scene file; the spans of errors are relative to it.
    pub(super) start: usize,
}

impl Expression {
    /// Parses a text at byte `start` of its file.
    ///
    /// # Errors
    /// When it is not an expression.
    pub fn parse(text: &str, start: usize) -> Result<Self, ExpressionError> {
        match parse::parse(text) {
            Ok(root) => Ok(Self { root, start }),
            Err(error) => Err(ExpressionError {
                message: "this is no expression".to_owned(),
                hint: format!("expected {}", error.expected),
                span: start + error.span.start..start + error.span.end,
            }),
        }
    }
}
