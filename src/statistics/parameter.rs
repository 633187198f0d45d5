//! The error that names a model parameter which is out of range.

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

    /// A number of records, or the place of one, as a word of a trace.
    pub(crate) fn word(field: &'static str, count: usize) -> Result<u32, Self> {
        u32::try_from(count).map_err(|_| Self { field, value: count as u64, expected: "fewer than 2^32 in a trace" })
    }
}
