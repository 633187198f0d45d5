//! The order in which counters are shown: that of the table of counters, then names that it does not have.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::file::{Counters, Value};
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

    /// Its value.
    pub(super) fn of(&self, counters: &Counters) -> Option<u64> {
        match (counters.get(&self.group)?.get(&self.name)?, self.element.as_str()) {
            (Value::Number(value), "") => Some(*value),
            (Value::Elements(elements), element) => elements.get(element).copied(),
            (Value::Number(_), _) => None,
        }
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

/// Every counter and element that some of several have.
pub(super) fn columns<'c>(all: impl IntoIterator<Item = &'c Counters>) -> BTreeSet<Column> {
    let mut names = BTreeSet::new();
    for counters in all {
        for (group, members) in counters {
            for (name, value) in members {
                match value {
                    Value::Number(_) => drop(names.insert((group, name, ""))),
                    Value::Elements(elements) => {
                        names.extend(elements.keys().map(|element| (group, name, element.as_str())));
                    }
                }
            }
        }
    }
    let column = |(group, name, element): (&String, &String, &str)| Column {
        group: group.clone(),
        name: name.clone(),
        element: element.to_owned(),
    };
    names.into_iter().map(column).collect()
}
