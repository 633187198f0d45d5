//! The chip's clock: counts methods, and follows the host's time or that of a recording where the chip writes a time.

use std::collections::VecDeque;

/// What one method takes. Unverified: the time is that of no chip, but the same on each engine and in each replay.
const NANOSECONDS_PER_METHOD: u64 = 10;

/// Times of a submission that are read from the host or a recording; the clock counts methods after these.
const MAX_TIMES: usize = 1 << 16;

/// The clock.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    nanoseconds: u64,
    host: Option<fn() -> u64>,
    /// Times that the chip wrote and a recording has to hold, with a host; else times that it writes next.
    times: VecDeque<u64>,
}

impl Clock {
    /// Reads times from the host from now on.
    pub(crate) fn follow(&mut self, host: fn() -> u64) {
        self.host = Some(host);
    }

    /// Sets the times that the next submission writes.
    pub(crate) fn set(&mut self, times: &[u64]) {
        if self.host.is_none() {
            self.times = times.iter().copied().take(MAX_TIMES).collect();
        }
    }

    /// Begins methods.
    pub(crate) const fn count_methods(&mut self, count: u32) {
        self.nanoseconds = self.nanoseconds.saturating_add(NANOSECONDS_PER_METHOD * count as u64);
    }

    /// The time to write, in nanoseconds. It never goes back.
    pub(crate) fn read(&mut self) -> u64 {
        let given = match self.host {
            Some(host) if self.times.len() < MAX_TIMES => {
                let time = host();
                self.times.push_back(time);
                Some(time)
            }
            Some(_) => None,
            None => self.times.pop_front(),
        };
        self.nanoseconds = self.nanoseconds.max(given.unwrap_or(0));
        self.nanoseconds
    }

    /// Ends a submission. Returns the times that it read from the host.
    pub(crate) fn end_submission(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.times).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_reads_the_times_of_the_recording() {
        static HOST: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1000);
        let host = || HOST.fetch_sub(300, std::sync::atomic::Ordering::Relaxed);
        let times = |clock: &mut Clock| {
            clock.count_methods(1);
            let first = clock.read();
            clock.count_methods(1);
            [first, clock.read(), clock.read()]
        };
        let mut live = Clock::default();
        live.follow(host);
        // The host's later times are earlier, so the clock stands still but for its methods.
        assert_eq!(times(&mut live), [1000, 1010, 1010]);
        let recorded = live.end_submission();
        assert_eq!(recorded, [1000, 700, 400]);
        let mut replay = Clock::default();
        replay.set(&recorded);
        assert_eq!(times(&mut replay), [1000, 1010, 1010]);
        assert!(replay.end_submission().is_empty());
        assert_eq!(times(&mut replay), [1020, 1030, 1030]);
    }

    #[test]
    fn a_recording_holds_a_bounded_number_of_times() {
        let mut live = Clock::default();
        live.follow(|| 7);
        assert!((0..=MAX_TIMES).all(|_| live.read() == 7));
        assert_eq!(live.end_submission().len(), MAX_TIMES);
        assert!(live.end_submission().is_empty());
    }
}
