//! The traits of engines that count: the stages of draws as [`Counters`], and the coverage of draws.
//!
//! It lies above [`counters`](crate::counters), which depends on no engine, and below the engines.

use crate::counters::{Counters, CountingOptions};
use crate::pipeline::{Draw, Engine, EngineError};

/// An engine that counts the work of its stages.
pub trait CountingEngine: Engine {
    /// Starts counting with the next draw.
    ///
    /// # Errors
    /// When the device fails.
    fn start_counting(&mut self, options: CountingOptions) -> Result<(), EngineError>;

    /// Returns the counters of the draws since the last call, in stream order, once they have finished.
    ///
    /// # Errors
    /// When the device fails.
    fn take_counters(&mut self) -> Result<Vec<Counters>, EngineError>;
}

/// The coverage of a draw.
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

/// An engine that finds the coverage of draws faster than it draws them.
pub trait CoverageEngine: Engine {
    /// Finds the coverage of a draw and draws nothing; `None` if the draw has no effect.
    ///
    /// # Errors
    /// When the draw cannot be decoded.
    fn coverage(&mut self, draw: &Draw) -> Result<Option<DrawCoverage>, EngineError>;
}
