//! The traits of engines that count: what the stages of draws do, as [`Counters`], and what draws cover.
//!
//! It stands above [`counters`](crate::counters), which knows no engine, and below the engines.

use crate::counters::{Counters, CountingOptions};
use crate::pipeline::{Draw, Engine, EngineError};

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

/// What a draw covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DrawCoverage {
    /// Vertices that the program runs on: an index that the draw repeats counts once.
    pub vertices: u64,
    /// Primitives before clipping and culling.
    pub primitives: u64,
    /// Pixels that primitives cover, before any test, once for each primitive.
    pub pixels: u64,
    /// Texture instructions over these pixels; each instruction of the program counts once.
    pub texels: u64,
}

/// An engine that finds what draws cover faster than it draws them.
pub trait CoverageEngine: Engine {
    /// Finds what a draw covers and draws nothing; `None` where it would draw nothing.
    ///
    /// # Errors
    /// When the draw cannot be decoded.
    fn coverage(&mut self, draw: &Draw) -> Result<Option<DrawCoverage>, EngineError>;
}
