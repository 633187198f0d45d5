//! Counts what the stages of the chip do for a draw: exact numbers that are the same on every engine.
//!
//! An engine adds up [`StageCounts`] while a draw runs: primitives, quads, outcomes of tests, blocks and fetches
//! of programs. [`DrawCounting`] holds what follows from the draw alone, and combines both into [`Counters`].
//! [`Counter::TABLE`] lists the counters and their meanings.

mod blocks;
mod draw;
mod lookups;
mod stages;
mod table;
pub mod trace;
mod vertex_cache;
mod vertices;

pub use crate::shader::fragment_blocks::{BlockNumbers, ProgramNumbers};
pub use blocks::{FlowStep, Instructions, ProgramCounts, is_branch};
pub use draw::{DrawCounting, tells_faces, tests_early};
pub use lookups::{CountedLookups, LookupCounts, counted_lookups};
pub use stages::{ProgramWords, StageCount, StageCounts};
pub use table::{Counter, CounterRow, Counters};
pub use vertex_cache::VertexCache;
pub use vertices::{ElementCounts, VertexEdges, VertexExecution, VertexFollower, VertexInstructions};

/// The chip parameters that affect counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountingOptions {
    /// Entries of the post-transform vertex cache, which evicts the oldest.
    pub vertex_cache_entries: u32,
    /// Whether a hit renews an entry of that cache.
    pub hits_renew: bool,
}

impl Default for CountingOptions {
    // Unverified: 24, as is usually assumed for the GeForce 6800.
    fn default() -> Self {
        Self { vertex_cache_entries: 24, hits_renew: false }
    }
}
