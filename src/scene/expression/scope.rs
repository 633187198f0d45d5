//! Defines what names mean where an expression is evaluated.

use std::cell::Cell;

use super::parsed::Expression;
use super::value::Value;

/// The meanings of names where an expression is evaluated.
#[derive(Debug)]
pub struct Scope<'a> {
    /// Definitions, innermost last.
    layers: Vec<&'a [(String, Expression)]>,
    /// Built-in values, innermost last; they take precedence over definitions.
    constants: Vec<(&'static str, Value)>,
    pub(super) steps: &'a Cell<u64>,
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

    pub(super) fn constant(&self, name: &str) -> Option<Value> {
        let (_, value) = self.constants.iter().find(|(known, _)| *known == name)?;
        if TIMES.contains(&name) {
            self.reads_time.set(true);
        }
        Some(*value)
    }

    /// The innermost definition of a name.
    pub(in crate::scene) fn definition(&self, name: &str) -> Option<&'a Expression> {
        self.layers.iter().rev().find_map(|layer| layer.iter().find(|(known, _)| known == name)).map(|(_, found)| found)
    }

    /// Every name that is defined here.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let defined = self.layers.iter().flat_map(|layer| layer.iter().map(|(name, _)| name.as_str()));
        self.constants.iter().map(|(name, _)| *name).chain(defined).collect()
    }
}
