//! Parameters of models that are out of their ranges, by name.

/// A parameter of a model that is out of its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {value}, not {expected}")]
pub struct ParameterError {
    /// The field, as its structure names it.
    pub field: &'static str,
    /// Its value.
    pub value: u64,
    /// What it may be.
    pub expected: &'static str,
}

impl ParameterError {
    /// Passes a condition on, or the error that a field does not meet it.
    pub(crate) fn unless(
        holds: bool,
        field: &'static str,
        value: impl Into<u64>,
        expected: &'static str,
    ) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self { field, value: value.into(), expected }) }
    }
}
