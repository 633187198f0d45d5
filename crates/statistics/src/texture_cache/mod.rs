//! Turns texel addresses into hits and misses of the texture caches: a first level per quad pipe, and a shared
//! second level.
//!
//! Sets replace the least recently used line. A miss is cold if the line was never touched before, a capacity miss
//! if a fully associative cache of the same size misses too, and otherwise a conflict. The second level sees the
//! misses of the first levels in trace order.

mod lookups;
mod simulate;
mod sweep;
#[cfg(test)]
mod tests;

pub use lookups::{
    CacheCounts, CacheParameters, LevelCounts, LookupStream, MAX_LINES, MAX_PIPES, QuadLookup, QuadOrder,
    TextureCacheParameters, TextureCacheResult, TextureTrace, check_lookups,
};
pub use simulate::{order_of, simulate, simulate_filling};
pub use sweep::{SweepAxes, SweepCase, sweep};
