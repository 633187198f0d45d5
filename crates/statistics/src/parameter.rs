//! The error for a model parameter that is out of range.

/// A model parameter that is out of range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {value}, not {expected}")]
pub struct ParameterError {
    /// The name of the field.
    pub field: &'static str,
    /// Its value.
    pub value: u64,
    /// The accepted values.
    pub expected: &'static str,
}

impl ParameterError {
    /// Returns whether a condition holds, or the error that a field does not meet it.
    ///
    /// # Errors
    /// When it does not hold.
    pub fn unless(holds: bool, field: &'static str, value: impl Into<u64>, expected: &'static str) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self { field, value: value.into(), expected }) }
    }

    /// Converts a count or an index of trace events to a word of a trace.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn word(field: &'static str, count: usize) -> Result<u32, Self> {
        u32::try_from(count).map_err(|_| Self { field, value: count as u64, expected: "fewer than 2^32 in a trace" })
    }
}
