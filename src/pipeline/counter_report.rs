//! Defines reports of counters that engines keep over draws.

use super::StreamCounts;

/// A counter of an engine; it counts from the first draw on, modulo 2³².
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReportedCounter {
    /// Samples that passed all tests, in draws that count them, since the counter was reset.
    PassedSamples,
    /// Primitives of draws with stream output.
    GeneratedPrimitives,
    /// Those that the buffers had room for.
    WrittenPrimitives,
    /// The vertices in the buffers of stream output.
    StreamedVertices,
}

/// A report of four words, one of which is the value of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterReport {
    /// The words.
    pub words: [u32; 4],
    /// The counter.
    pub counter: ReportedCounter,
    /// The number of the word that the counter is added to, at most 3.
    pub place: u8,
    /// What the counter is multiplied by.
    pub factor: u32,
}

impl ReportedCounter {
    /// Its value among those of an engine.
    #[must_use]
    pub const fn of(self, samples: u32, streamed: &StreamCounts) -> u32 {
        match self {
            Self::PassedSamples => samples,
            Self::GeneratedPrimitives => streamed.generated,
            Self::WrittenPrimitives => streamed.written,
            Self::StreamedVertices => streamed.vertices,
        }
    }
}

impl CounterReport {
    /// A time in nanoseconds, the counter of samples, and the status 0.
    #[must_use]
    pub const fn after_time(timestamp_ns: u64) -> Self {
        let [low, high] = halves(timestamp_ns);
        Self { words: [low, high, 0, 0], counter: ReportedCounter::PassedSamples, place: 2, factor: 1 }
    }

    /// A counter as 64 bits, and a time in nanoseconds.
    #[must_use]
    pub const fn before_time(counter: ReportedCounter, timestamp_ns: u64) -> Self {
        let [low, high] = halves(timestamp_ns);
        Self { words: [0, 0, low, high], counter, place: 0, factor: 1 }
    }

    /// A number, a counter, and a time in nanoseconds.
    #[must_use]
    pub const fn numbered(number: u32, counter: ReportedCounter, timestamp_ns: u64) -> Self {
        let [low, high] = halves(timestamp_ns);
        Self { words: [number, 0, low, high], counter, place: 1, factor: 1 }
    }

    /// A number, the offset in bytes at which the vertices in a buffer of stream output end, and a time in nanoseconds. The
    /// vertices begin at `offset` and have `vertex_bytes` each.
    #[must_use]
    pub const fn offset(number: u32, [offset, vertex_bytes]: [u32; 2], timestamp_ns: u64) -> Self {
        let [low, high] = halves(timestamp_ns);
        let counter = ReportedCounter::StreamedVertices;
        Self { words: [number, offset, low, high], counter, place: 1, factor: vertex_bytes }
    }

    /// Its bytes when the counter has a value.
    #[must_use]
    pub fn bytes(&self, value: u32) -> [u8; 16] {
        let mut words = self.words;
        let word = &mut words[usize::from(self.place & 3)];
        *word = word.wrapping_add(value.wrapping_mul(self.factor));
        let mut bytes = [0; 16];
        for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
        bytes
    }
}

/// The low and the high word.
#[expect(clippy::cast_possible_truncation, reason = "the timestamp is cut into words")]
const fn halves(timestamp_ns: u64) -> [u32; 2] {
    [timestamp_ns as u32, (timestamp_ns >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_has_its_place() {
        let words = |report: CounterReport| -> Vec<u32> {
            report.bytes(7).as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
        };
        let counter = ReportedCounter::WrittenPrimitives;
        assert_eq!(words(CounterReport::after_time(0x1_0000_0002)), [2, 1, 7, 0]);
        assert_eq!(words(CounterReport::before_time(counter, 0x1_0000_0002)), [7, 0, 2, 1]);
        assert_eq!(words(CounterReport::numbered(9, counter, 0x1_0000_0002)), [9, 7, 2, 1]);
        assert_eq!(words(CounterReport::offset(9, [32, 12], 0x1_0000_0002)), [9, 32 + 7 * 12, 2, 1]);
    }

    #[test]
    fn a_counter_has_its_value() {
        let streamed = StreamCounts { vertices: 1, generated: 2, written: 3 };
        let counters = [
            ReportedCounter::PassedSamples,
            ReportedCounter::GeneratedPrimitives,
            ReportedCounter::WrittenPrimitives,
            ReportedCounter::StreamedVertices,
        ];
        assert_eq!(counters.map(|counter| counter.of(9, &streamed)), [9, 2, 3, 1]);
    }
}
