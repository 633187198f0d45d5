//! Defines why an expression has no value.

use std::ops::Range;

/// Why an expression has no value, and the responsible bytes of the scene file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionError {
    /// The problem.
    pub message: String,
    /// A hint.
    pub hint: String,
    /// The bytes of the file.
    pub span: Range<usize>,
}
