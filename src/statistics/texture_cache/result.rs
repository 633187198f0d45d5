//! Counts of the texture caches: by stream, summed by unit and by draw, and the bytes that they stand for.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use super::{LookupStream, QuadOrder, TextureCacheParameters};

/// What became of the accesses of one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheCounts {
    /// Accesses to lines that it held.
    pub hits: u64,
    /// Misses of lines that were never touched before.
    pub cold: u64,
    /// Misses that a fully associative cache of the same size has too.
    pub capacity: u64,
    /// All other misses.
    pub conflict: u64,
}

impl CacheCounts {
    /// Lines that had to be brought.
    #[must_use]
    pub const fn misses(&self) -> u64 {
        self.cold + self.capacity + self.conflict
    }

    /// Hits and misses.
    #[must_use]
    pub const fn accesses(&self) -> u64 {
        self.hits + self.misses()
    }

    /// Hits of all accesses, 0 to 1; `None` without accesses.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a rate is for people")]
    pub fn hit_rate(&self) -> Option<f64> {
        (self.accesses() > 0).then(|| self.hits as f64 / self.accesses() as f64)
    }
}

impl AddAssign for CacheCounts {
    fn add_assign(&mut self, other: Self) {
        self.hits += other.hits;
        self.cold += other.cold;
        self.capacity += other.capacity;
        self.conflict += other.conflict;
    }
}

/// Both levels. The misses of the first are the accesses of the second, where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LevelCounts {
    /// The first levels of all pipes.
    pub first: CacheCounts,
    /// The second level.
    pub second: CacheCounts,
}

impl AddAssign for LevelCounts {
    fn add_assign(&mut self, other: Self) {
        self.first += other.first;
        self.second += other.second;
    }
}

/// What the texture caches did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextureCacheResult {
    /// The caches.
    pub parameters: TextureCacheParameters,
    /// How quads were walked over.
    pub order: QuadOrder,
    /// Counts of each stream of the trace.
    pub streams: Vec<LevelCounts>,
    /// Misses of each lookup in its first level, as the trace numbers lookups.
    pub lookup_misses: Vec<u32>,
}

impl TextureCacheResult {
    /// The counts of all streams.
    #[must_use]
    pub fn total(&self) -> LevelCounts {
        let mut total = LevelCounts::default();
        for counts in &self.streams {
            total += *counts;
        }
        total
    }

    /// Bytes that come from memory.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        let total = self.total();
        let filled = if self.parameters.second.is_some() { total.second } else { total.first };
        filled.misses() * u64::from(self.parameters.memory_line_bytes())
    }

    /// Counts of each draw; `streams` are the trace's.
    #[must_use]
    pub fn by_draw(&self, streams: &[LookupStream]) -> BTreeMap<u32, LevelCounts> {
        self.summed(streams, |stream| stream.draw)
    }

    /// Counts of each texture unit; `streams` are the trace's.
    #[must_use]
    pub fn by_unit(&self, streams: &[LookupStream]) -> BTreeMap<u32, LevelCounts> {
        self.summed(streams, |stream| stream.unit)
    }

    fn summed(&self, streams: &[LookupStream], key: impl Fn(&LookupStream) -> u32) -> BTreeMap<u32, LevelCounts> {
        let mut sums = BTreeMap::<_, LevelCounts>::new();
        for (stream, counts) in streams.iter().zip(&self.streams) {
            *sums.entry(key(stream)).or_default() += *counts;
        }
        sums
    }
}
