//! Counts what the stages of the chip do for a draw: exact numbers that are the same on every engine.
//!
//! An engine adds up [`StageCounts`] while a draw runs: primitives, quads, outcomes of tests, blocks and fetches
//! of programs. [`DrawCounting`] holds what follows from the draw alone, and combines both into [`Counters`].
//! [`Counter::TABLE`] lists the counters and their meanings.

mod blocks;
mod draw;
mod instructions;
mod lookups;
mod processor;
mod stages;
pub mod trace;
mod vertex_cache;
mod vertices;

use crate::isa::VertexIsa;
use crate::pipeline::{Draw, Elements};
pub use crate::shader::fragment_blocks::{BlockNumbers, ProgramNumbers};
pub use crate::shader::vertex_blocks::VertexEdges;
pub use blocks::{FlowStep, ProgramCounts, is_branch};
pub use curie_statistics::counters::{Counter, CounterGroups, CounterRow, Counters};
pub use draw::{CountedProgram, DrawCounting, tells_faces, tests_early};
pub use instructions::Instructions;
pub use lookups::{CountedLookups, LookupCounts, counted_lookups};
pub use processor::{StraightProgram, count_threads};
pub use stages::{ProgramWords, StageCount, StageCounts};
pub use vertex_cache::VertexCache;
pub use vertices::{ElementCounts, VertexExecution, VertexFollower, VertexInstructions};

/// A post-transform vertex cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VertexCacheOptions {
    /// Entries that can be hit.
    pub entries: u32,
    /// Whether a hit renews an entry: the least recently used entry is evicted, instead of the oldest.
    pub hits_renew: bool,
    /// Whether only draws with indices use the cache.
    pub needs_indices: bool,
}

impl VertexCacheOptions {
    /// What is left of the cache in a draw with these elements.
    #[must_use]
    pub const fn for_elements(self, elements: &Elements) -> Self {
        match elements {
            Elements::Inline(_) | Elements::Buffer { .. } => self,
            Elements::Ranges(_) | Elements::Immediate(_) if self.needs_indices => Self { entries: 0, ..self },
            Elements::Ranges(_) | Elements::Immediate(_) => self,
        }
    }
}

/// The chip parameters that affect counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountingOptions {
    /// The cache behind the vertex processors of each instruction set, in the order of [`VertexIsa::ALL`].
    caches: [VertexCacheOptions; VertexIsa::ALL.len()],
}

impl CountingOptions {
    /// Counts with this cache behind all vertex processors.
    #[must_use]
    pub const fn new(cache: VertexCacheOptions) -> Self {
        Self { caches: [cache; VertexIsa::ALL.len()] }
    }

    /// Counts with another cache behind the vertex processors of an instruction set.
    #[must_use]
    pub fn with_cache(mut self, isa: VertexIsa, cache: VertexCacheOptions) -> Self {
        for (own, known) in self.caches.iter_mut().zip(VertexIsa::ALL) {
            if *known == isa {
                *own = cache;
            }
        }
        self
    }

    /// The cache that a draw uses: that of the chip whose instruction set its vertex program is in.
    #[must_use]
    pub fn vertex_cache(&self, draw: &Draw) -> VertexCacheOptions {
        let isa = draw.vertex.isa();
        let own = VertexIsa::ALL.iter().zip(self.caches).find(|(known, _)| Some(**known) == isa);
        own.map_or(self.caches[0], |(_, cache)| cache).for_elements(&draw.elements)
    }
}

impl Default for CountingOptions {
    // Unverified: 24, as is usually assumed for the GeForce 6800.
    fn default() -> Self {
        Self::new(VertexCacheOptions { entries: 24, hits_renew: false, needs_indices: false })
    }
}
