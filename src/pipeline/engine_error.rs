//! Why an engine cannot execute a command.

use super::launch::{FaultSummary, LaunchError};
use crate::memory::MemoryError;

/// Why an engine cannot execute a command.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Guest memory cannot be allocated.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The command uses a feature that is decoded but not executed yet.
    #[error("{what} is not executed yet")]
    Unsupported {
        /// The feature, in words.
        what: String,
    },
    /// A program cannot be decoded.
    #[error("{stage} program: {message}")]
    Program {
        /// `vertex` or `fragment`.
        stage: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// The command exceeds a limit of the engine.
    #[error("{what} of {size} is beyond the limit of {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// A compute launch does not fit or did not end.
    #[error("launch: {0}")]
    Launch(#[from] LaunchError),
    /// Threads of a compute launch failed; it has run to its end.
    #[error("launch: {0}")]
    LaunchFaults(FaultSummary),
    /// The device failed.
    #[error("device: {message}")]
    Device {
        /// What the device or its driver said.
        message: String,
    },
}
