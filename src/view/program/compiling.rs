//! Says how many kernels a program waits for, once it takes long.

use std::time::{Duration, Instant};

use crate::plural::counted;

/// The time between two looks.
const INTERVAL: Duration = Duration::from_millis(100);

/// Kernels that are on disk are there sooner; a line for them would only flicker.
const DELAY: Duration = Duration::from_millis(300);

/// The kernels in compilation.
#[derive(Debug, Default)]
pub(super) struct Compiling {
    looked: Option<Instant>,
    /// The first look that found one, of the last ones that did.
    since: Option<Instant>,
    /// Their number, once it is shown.
    shown: Option<usize>,
}

impl Compiling {
    /// When to look next.
    pub(super) fn next_look(&self) -> Instant {
        self.looked.map_or_else(Instant::now, |looked| looked + INTERVAL)
    }

    /// Counts them, if it is time. Returns whether the line changes.
    pub(super) fn look(&mut self, now: Instant, count: impl FnOnce() -> usize) -> bool {
        if self.looked.is_some_and(|looked| now < looked + INTERVAL) {
            return false;
        }
        self.looked = Some(now);
        let count = count();
        let since = (count > 0).then(|| self.since.unwrap_or(now));
        self.since = since;
        let shown = since.filter(|since| now - *since >= DELAY).map(|_| count);
        std::mem::replace(&mut self.shown, shown) != shown
    }

    /// The line.
    pub(super) fn note(&self) -> Option<String> {
        self.shown.map(|count| format!("compiling {}", counted(count, "kernel")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_takes_long_is_said() {
        let (mut compiling, start) = (Compiling::default(), Instant::now());
        let mut changes = Vec::new();
        // What is counted at each look: twice for a moment, then long.
        for (look, count) in (0..).zip([2, 2, 0, 3, 3, 3, 3, 2, 1, 1, 0, 0]) {
            let now = start + INTERVAL * look;
            if compiling.look(now, || count) {
                changes.push((look, compiling.note()));
            }
            assert_eq!(compiling.next_look(), now + INTERVAL);
            assert!(!compiling.look(now + INTERVAL / 2, || unreachable!("it is too early")));
        }
        let lines = [
            (6, Some("compiling 3 kernels")),
            (7, Some("compiling 2 kernels")),
            (8, Some("compiling 1 kernel")),
            (10, None),
        ];
        assert_eq!(changes, lines.map(|(look, line)| (look, line.map(str::to_owned))));
    }
}
