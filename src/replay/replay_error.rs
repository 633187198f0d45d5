//! Why a replay stops.

use crate::chip::ChipError;
use crate::machine::UnsupportedChipset;
use crate::pipeline::EngineError;

/// Why a replay stopped.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The capture is for a chip that curie does not emulate.
    #[error(transparent)]
    Chipset(#[from] UnsupportedChipset),
    /// A record cannot be applied.
    #[error("record {record}: {source}")]
    Record {
        /// Its number, from 0.
        record: usize,
        /// Why.
        source: ChipError,
    },
    /// The engine failed while memory was read.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The client reads more often than results are kept for.
    #[error("the stream reads back more than {limit} buffers")]
    TooManyReadbacks {
        /// How many are kept.
        limit: usize,
    },
}
