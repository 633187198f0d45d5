//! Defines reports of counters that engines keep over draws.

use super::{PipelineCounter, PipelineStatistics, StreamCounts};

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
    /// What a stage of draws has done.
    Pipeline(PipelineCounter),
}

/// What draws have done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DrawTotals {
    /// Samples that passed all tests.
    pub samples: u32,
    /// Their stream output.
    pub streamed: StreamCounts,
    /// What their stages have done; `None` before the first report of that.
    pub statistics: Option<PipelineStatistics>,
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
    /// Its value after draws. The first report of what stages do starts to count it.
    #[must_use]
    pub fn of(self, totals: &mut DrawTotals) -> u32 {
        match self {
            Self::PassedSamples => totals.samples,
            Self::GeneratedPrimitives => totals.streamed.generated,
            Self::WrittenPrimitives => totals.streamed.written,
            Self::StreamedVertices => totals.streamed.vertices,
            Self::Pipeline(counter) => totals.statistics.get_or_insert_default().value(counter),
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

    /// Its words when the counter has a value.
    #[must_use]
    pub fn with_value(&self, value: u32) -> [u32; 4] {
        let mut words = self.words;
        let word = &mut words[usize::from(self.place & 3)];
        *word = word.wrapping_add(value.wrapping_mul(self.factor));
        words
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
        let words = |report: CounterReport| report.with_value(7);
        let counter = ReportedCounter::WrittenPrimitives;
        assert_eq!(words(CounterReport::after_time(0x1_0000_0002)), [2, 1, 7, 0]);
        assert_eq!(words(CounterReport::before_time(counter, 0x1_0000_0002)), [7, 0, 2, 1]);
        assert_eq!(words(CounterReport::numbered(9, counter, 0x1_0000_0002)), [9, 7, 2, 1]);
        assert_eq!(words(CounterReport::offset(9, [32, 12], 0x1_0000_0002)), [9, 32 + 7 * 12, 2, 1]);
    }

    #[test]
    fn a_counter_has_its_value() {
        let streamed = StreamCounts { vertices: 1, generated: 2, written: 3 };
        let mut totals = DrawTotals { samples: 9, streamed, statistics: None };
        let counters = [
            ReportedCounter::PassedSamples,
            ReportedCounter::GeneratedPrimitives,
            ReportedCounter::WrittenPrimitives,
            ReportedCounter::StreamedVertices,
        ];
        assert_eq!(counters.map(|counter| counter.of(&mut totals)), [9, 2, 3, 1]);
        assert_eq!(totals.statistics, None);
    }

    #[test]
    fn stages_are_counted_from_the_first_report_on() {
        let mut totals = DrawTotals::default();
        let pixels = ReportedCounter::Pipeline(PipelineCounter::Pixels);
        assert_eq!(pixels.of(&mut totals), 0);
        totals.statistics.as_mut().unwrap().add(PipelineCounter::Pixels, 7);
        assert_eq!(pixels.of(&mut totals), 7);
        assert_eq!(ReportedCounter::Pipeline(PipelineCounter::FetchedVertices).of(&mut totals), 0);
    }
}
