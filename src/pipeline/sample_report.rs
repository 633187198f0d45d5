//! Defines reports of the counter of passing samples.

/// A report of four words, one of which is the value of the sample counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleReport {
    /// The words.
    pub words: [u32; 4],
    /// The number of the word whose place the counter takes.
    pub counter: u8,
}

impl SampleReport {
    /// A time in nanoseconds, the counter, and the status 0.
    #[must_use]
    pub const fn after_time(timestamp_ns: u64) -> Self {
        let [low, high] = halves(timestamp_ns);
        Self { words: [low, high, 0, 0], counter: 2 }
    }

    /// The counter as 64 bits, and a time in nanoseconds.
    #[must_use]
    pub const fn before_time(timestamp_ns: u64) -> Self {
        let [low, high] = halves(timestamp_ns);
        Self { words: [0, 0, low, high], counter: 0 }
    }

    /// A number, the counter, and a time in nanoseconds.
    #[must_use]
    pub const fn numbered(number: u32, timestamp_ns: u64) -> Self {
        let [low, high] = halves(timestamp_ns);
        Self { words: [number, 0, low, high], counter: 1 }
    }

    /// Its bytes when the counter has a value.
    #[must_use]
    pub fn bytes(&self, samples: u32) -> [u8; 16] {
        let mut words = self.words;
        words[usize::from(self.counter & 3)] = samples;
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
        let words = |report: SampleReport| -> Vec<u32> {
            report.bytes(7).as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
        };
        assert_eq!(words(SampleReport::after_time(0x1_0000_0002)), [2, 1, 7, 0]);
        assert_eq!(words(SampleReport::before_time(0x1_0000_0002)), [7, 0, 2, 1]);
        assert_eq!(words(SampleReport::numbered(9, 0x1_0000_0002)), [9, 7, 2, 1]);
    }
}
