//! Expressions of scene files: evaluates to numbers, vectors and matrices that depend on the frame, a vertex, a
//! texel or an instance.
//!
//! An expression names *values*: built-in ones such as `time`, and those that the scene defines. Definitions are
//! looked up where an expression is used, innermost first, so that a scene's `mvp` uses the `model` of each draw.

mod evaluate;
mod functions;
mod parse;
pub(super) mod trigonometry;
mod value;

use std::cell::Cell;
use std::ops::Range;

pub use functions::FUNCTIONS;
pub use value::{IDENTITY, Matrix, Value};
pub(in crate::scene) use value::{inverted, transposed};

/// The most steps that all expressions of one frame may take together.
pub const MAX_STEPS: u64 = 200_000_000;

/// A parsed expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    root: parse::Node,
    /// The position of its text in the scene file; the spans of errors are relative to it.
    start: usize,
}

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

    /// The value in a scope.
    ///
    /// # Errors
    /// When a name is unknown, a function does not accept its arguments, or the scope's steps are used up.
    pub fn evaluate(&self, scope: &Scope<'_>) -> Result<Value, ExpressionError> {
        evaluate::evaluate(self, &self.root, scope, 0)
    }
}

/// The meanings of names where an expression is evaluated.
#[derive(Debug)]
pub struct Scope<'a> {
    /// Definitions, innermost last.
    layers: Vec<&'a [(String, Expression)]>,
    /// Built-in values, innermost last; they take precedence over definitions.
    constants: Vec<(&'static str, Value)>,
    steps: &'a Cell<u64>,
    /// Whether a value that changes from frame to frame has been read.
    reads_time: Cell<bool>,
}

/// Names of values that change from frame to frame.
const TIMES: [&str; 3] = ["time", "frame", "turn"];

impl<'a> Scope<'a> {
    /// A scope with definitions, whose only built-in value is `pi`. `steps` counts the cost of evaluation.
    #[must_use]
    pub fn new(layers: Vec<&'a [(String, Expression)]>, steps: &'a Cell<u64>) -> Self {
        let constants = vec![("pi", Value::from(std::f64::consts::PI))];
        Self { layers, constants, steps, reads_time: Cell::new(false) }
    }

    /// Adds a built-in value.
    pub fn set(&mut self, name: &'static str, value: impl Into<Value>) {
        let value = value.into();
        match self.constants.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.constants.push((name, value)),
        }
    }

    /// A scope inside this one, with one more layer of definitions.
    #[must_use]
    pub fn with(&self, layer: &'a [(String, Expression)]) -> Self {
        let mut layers = self.layers.clone();
        layers.push(layer);
        Self {
            layers,
            constants: self.constants.clone(),
            steps: self.steps,
            reads_time: Cell::new(self.reads_time.get()),
        }
    }

    /// Whether anything evaluated here so far depends on the frame.
    #[must_use]
    pub fn reads_time(&self) -> bool {
        self.reads_time.get()
    }

    fn constant(&self, name: &str) -> Option<Value> {
        let (_, value) = self.constants.iter().find(|(known, _)| *known == name)?;
        if TIMES.contains(&name) {
            self.reads_time.set(true);
        }
        Some(*value)
    }

    /// The innermost definition of a name.
    pub(super) fn definition(&self, name: &str) -> Option<&'a Expression> {
        self.layers.iter().rev().find_map(|layer| layer.iter().find(|(known, _)| known == name)).map(|(_, found)| found)
    }

    /// Every name that is defined here.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let defined = self.layers.iter().flat_map(|layer| layer.iter().map(|(name, _)| name.as_str()));
        self.constants.iter().map(|(name, _)| *name).chain(defined).collect()
    }
}

#[cfg(test)]
mod tests;
