//! The order in which counters are shown: that of the table of counters, then names that it does not have.

use std::cmp::Ordering;

use crate::counters::{Counter, CounterRow};

/// A counter, or one element of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) group: String,
    pub(super) name: String,
    /// Empty where the counter is one number.
    pub(super) element: String,
}

impl Column {
    /// Its name in full: `rop.written.color0`.
    pub(super) fn title(&self) -> String {
        let dot = if self.element.is_empty() { "" } else { "." };
        format!("{}.{}{dot}{}", self.group, self.name, self.element)
    }

    /// What is counted, where that is known.
    pub(super) fn summary(&self) -> Option<&'static str> {
        position(&self.group, &self.name).map(|index| Counter::TABLE[index].summary)
    }

    fn key(&self) -> (usize, usize, &str, &str) {
        let group = Counter::TABLE.iter().position(|row| row.group == self.group);
        let name = position(&self.group, &self.name);
        (group.unwrap_or(usize::MAX), name.unwrap_or(usize::MAX), &self.group, &self.name)
    }
}

fn position(group: &str, name: &str) -> Option<usize> {
    let is_it = |row: &CounterRow| row.group == group && row.name == name;
    Counter::TABLE.iter().position(is_it)
}

impl Ord for Column {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key()).then_with(|| natural(&self.element).cmp(&natural(&other.element)))
    }
}

impl PartialOrd for Column {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Orders `unit10` behind `unit2`.
fn natural(name: &str) -> (&str, u64, &str) {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    (stem, name[stem.len()..].parse().unwrap_or(0), name)
}
