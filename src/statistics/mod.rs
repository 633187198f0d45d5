//! What the chip would have done: models that turn traces of an engine's work into hits, misses, bytes and cycles.
//!
//! A trace is a list of plain records, laid out so that a kernel can write it into a storage buffer. Each model is a
//! function over its trace, the specification; [`kernels`] holds the same models as dispatches over traces that may
//! already lie on the device, and gives the same numbers.

pub mod kernels;
pub mod memory_partitions;
pub mod prefetch;
mod recency;
#[cfg(test)]
mod test_random;
pub mod texture_cache;
pub mod tile_compression;
pub mod vertex_cache;

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
