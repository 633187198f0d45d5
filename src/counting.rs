//! The trait of engines that count what their stages do: draws into [`Counters`].
//!
//! It stands above [`counters`](crate::counters), which knows no engine, and below the engines.

use crate::counters::{Counters, CountingOptions};
use crate::pipeline::{Engine, EngineError};

/// An engine that counts what its stages do.
pub trait CountingEngine: Engine {
    /// Counts from the next draw on.
    ///
    /// # Errors
    /// When the device fails.
    fn start_counting(&mut self, options: CountingOptions) -> Result<(), EngineError>;

    /// Returns the counters of the draws since the last call, in the order of the stream, once they are done.
    ///
    /// # Errors
    /// When the device fails.
    fn take_counters(&mut self) -> Result<Vec<Counters>, EngineError>;
}
