//! Adds up what texture caches of every shape and order did with the lookups of a stream, and formats the sums as a
//! table or CSV.

use std::fmt::Write as _;

use crate::texture_cache::{CacheCounts, QuadOrder, SweepAxes, SweepCase, TextureCacheResult};

/// A combination and the counts of its first level, over all frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SweepRow {
    /// The combination.
    pub case: SweepCase,
    /// Hits and misses of the first level.
    pub counts: CacheCounts,
    /// Bytes from memory.
    pub memory_bytes: u64,
}

/// A sweep over the frames of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CacheSweep {
    /// The combinations, in their order.
    pub rows: Vec<SweepRow>,
}

impl CacheSweep {
    /// All combinations of axes, with zero counts.
    #[must_use]
    pub fn new(axes: &SweepAxes) -> Self {
        let row = |case| SweepRow { case, counts: CacheCounts::default(), memory_bytes: 0 };
        Self { rows: axes.cases().into_iter().map(row).collect() }
    }

    /// The combinations.
    #[must_use]
    pub fn cases(&self) -> Vec<SweepCase> {
        self.rows.iter().map(|row| row.case).collect()
    }

    /// Adds the results of a frame, one for each of [`Self::cases`]; caches are empty at its start.
    pub fn add(&mut self, results: &[TextureCacheResult]) {
        for (row, result) in self.rows.iter_mut().zip(results) {
            row.counts += result.total().first;
            row.memory_bytes += result.memory_bytes();
        }
    }

    /// The sweep as comma-separated values, one row each (RFC 4180).
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = String::from(
            "order,size_bytes,line_bytes,ways,accesses,hits,cold,capacity,conflict,memory_bytes,hit_rate\r\n",
        );
        for SweepRow { case, counts, memory_bytes } in &self.rows {
            let first = &case.parameters.first;
            let CacheCounts { hits, cold, capacity, conflict } = counts;
            let rate = counts.hit_rate().unwrap_or(0.0);
            let _ = write!(
                text,
                "{},{},{},{},{},{hits},{cold},{capacity},{conflict},{memory_bytes},{rate:.6}\r\n",
                case.order,
                first.size_bytes,
                first.line_bytes,
                first.ways,
                counts.accesses()
            );
        }
        text
    }

    /// A table for people with one row per order, line and ways, and one column per size; percent of accesses that
    /// miss.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut sizes: Vec<u32> = self.rows.iter().map(|row| row.case.parameters.first.size_bytes).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let mut kinds: Vec<(QuadOrder, u32, u32)> = Vec::new();
        for row in &self.rows {
            if !kinds.contains(&row.kind()) {
                kinds.push(row.kind());
            }
        }
        let mut text = String::from("misses of the first level in percent\n");
        let _ = write!(text, "{:<12} {:>5} {:>5}", "order", "line", "ways");
        sizes.iter().for_each(|size| {
            let _ = write!(text, " {:>8}", format!("{size} B"));
        });
        text.push('\n');
        for (order, line, ways) in kinds {
            let _ = write!(text, "{:<12} {line:>5} {ways:>5}", order.to_string());
            for size in &sizes {
                let is_wanted = |row: &&SweepRow| {
                    row.kind() == (order, line, ways) && row.case.parameters.first.size_bytes == *size
                };
                let cell = self.rows.iter().find(is_wanted).and_then(|row| row.counts.hit_rate());
                let _ = match cell {
                    Some(rate) => write!(text, " {:>8.3}", 100.0 * (1.0 - rate)),
                    None => write!(text, " {:>8}", "-"),
                };
            }
            text.push('\n');
        }
        text
    }
}

impl SweepRow {
    /// Returns what identifies the row besides its size: order, bytes of a line, ways.
    #[must_use]
    pub const fn kind(&self) -> (QuadOrder, u32, u32) {
        let first = &self.case.parameters.first;
        (self.case.order, first.line_bytes, first.ways)
    }
}
