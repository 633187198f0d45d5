//! Reads the counters of a draw, frame, target or run of a statistics file into packed form, as a file may hold
//! very many draws.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

use crate::counters::{Counter, CounterRow};

/// The counters of this program, with elements separate, numbered in table order.
struct Known {
    /// Group, name and element of each; the element is empty where the counter is one number.
    columns: Vec<[&'static str; 3]>,
    numbers: HashMap<[&'static str; 3], u16>,
    /// The numbers of all elements of a counter, by group and name.
    elements: HashMap<[&'static str; 2], Range<u16>>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let mut known = Known { columns: Vec::new(), numbers: HashMap::new(), elements: HashMap::new() };
    let next = |known: &Known| u16::try_from(known.columns.len()).expect("the table is short");
    for row in Counter::TABLE {
        let first = next(&known);
        let elements = if row.elements.is_empty() { &[""][..] } else { row.elements };
        for element in elements {
            let column = [row.group, row.name, element];
            known.numbers.insert(column, next(&known));
            known.columns.push(column);
        }
        known.elements.insert([row.group, row.name], first..next(&known));
    }
    known
});

/// Counters by group and name, each a number, or an object with a number per element.
#[derive(Debug, Default)]
pub(super) struct Counters {
    /// Numbers of known counters and their values, in order.
    known: Vec<(u16, u64)>,
    /// Unknown counters by group, name and element.
    others: BTreeMap<[String; 3], u64>,
}

impl Counters {
    fn insert(&mut self, group: &str, name: &str, element: &str, value: u64) {
        match KNOWN.numbers.get(&[group, name, element]) {
            Some(number) => self.known.push((*number, value)),
            None => drop(self.others.insert([group, name, element].map(str::to_owned), value)),
        }
    }

    /// The sum over the elements of a counter; 0 if it is missing.
    pub(super) fn count(&self, group: &str, name: &str) -> u64 {
        let numbers = KNOWN.elements.get(&[group, name]).cloned().unwrap_or_default();
        let first = self.known.partition_point(|(number, _)| *number < numbers.start);
        let known = self.known[first..].iter().take_while(|(number, _)| *number < numbers.end).map(|(_, value)| value);
        let is_it = |key: &&[String; 3]| key[0] == group && key[1] == name;
        let others = self.others.keys().filter(is_it).map(|key| &self.others[key]);
        known.chain(others).fold(0, |sum, value| sum.saturating_add(*value))
    }

    /// The value of a column.
    pub(super) fn get(&self, column: &Column) -> Option<u64> {
        let key = [&*column.group, &*column.name, &*column.element];
        if let Some(number) = KNOWN.numbers.get(&key) {
            let place = self.known.binary_search_by_key(number, |(number, _)| *number).ok()?;
            return Some(self.known[place].1);
        }
        self.others.iter().find(|(other, _)| **other == key).map(|(_, value)| *value)
    }
}

/// Every counter and element that any of several has, in display order.
pub(super) fn columns<'c>(all: impl IntoIterator<Item = &'c Counters>) -> BTreeSet<Column> {
    let (mut known, mut others) = (vec![false; KNOWN.columns.len()], BTreeSet::new());
    for counters in all {
        counters.known.iter().for_each(|(number, _)| known[usize::from(*number)] = true);
        others.extend(counters.others.keys());
    }
    let known = KNOWN.columns.iter().zip(known).filter(|(_, is_there)| *is_there);
    let known = known.map(|(column, _)| column.map(str::to_owned));
    let column = |[group, name, element]: [String; 3]| Column { group, name, element };
    known.chain(others.into_iter().cloned()).map(column).collect()
}

impl<'de> Deserialize<'de> for Counters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut counters = Self::default();
        Groups(&mut counters).deserialize(deserializer)?;
        counters.known.sort_by_key(|(number, _)| *number);
        counters.known.shrink_to_fit();
        Ok(counters)
    }
}

/// Reads an object. A key that stands twice is an error, as no value of it is the right one.
fn each_once<'de, A: MapAccess<'de>>(
    kind: &str,
    mut map: A,
    mut read_value: impl FnMut(&mut A, &str) -> Result<(), A::Error>,
) -> Result<(), A::Error> {
    let mut keys = BTreeSet::new();
    while let Some(key) = map.next_key::<String>()? {
        if keys.contains(&key) {
            return Err(A::Error::custom(format_args!("the {kind} {key:?} stands twice")));
        }
        read_value(&mut map, &key)?;
        keys.insert(key);
    }
    Ok(())
}

/// Reads the groups.
struct Groups<'c>(&'c mut Counters);

impl<'de> DeserializeSeed<'de> for Groups<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Groups<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of groups")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        each_once("group", map, |map, group| map.next_value_seed(Group { counters: self.0, group }))
    }
}

/// Reads the counters of a group.
struct Group<'c> {
    counters: &'c mut Counters,
    group: &'c str,
}

impl<'de> DeserializeSeed<'de> for Group<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Group<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of counters")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let Self { counters, group } = self;
        each_once("counter", map, |map, name| map.next_value_seed(Value { counters, group, name }))
    }
}

/// Reads a counter.
struct Value<'c> {
    counters: &'c mut Counters,
    group: &'c str,
    name: &'c str,
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a whole number or an object of them")
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.counters.insert(self.group, self.name, "", value);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let Self { counters, group, name } = self;
        each_once("element", map, |map, element| {
            counters.insert(group, name, element, map.next_value()?);
            Ok(())
        })
    }
}

/// A counter, or one element of it. Columns are in the order of the table of counters; names outside the table
/// come last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) group: String,
    pub(super) name: String,
    /// Empty where the counter is one number.
    pub(super) element: String,
}

impl Column {
    /// Its full name: `rop.written.color0`.
    pub(super) fn title(&self) -> String {
        let dot = if self.element.is_empty() { "" } else { "." };
        format!("{}.{}{dot}{}", self.group, self.name, self.element)
    }

    /// What is counted, if that is known.
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

/// Orders `unit10` after `unit2`.
fn natural(name: &str) -> (&str, u64, &str) {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    (stem, name[stem.len()..].parse().unwrap_or(0), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_counters_and_elements_stand_once() {
        let error = |text: &str| serde_json::from_str::<Counters>(text).unwrap_err().to_string();
        let group = error(r#"{"a": {"b": 1}, "c": {}, "a": {"d": 2}}"#);
        assert!(group.starts_with("the group \"a\" stands twice"), "{group}");
        for counters in
            [r#""quads": 4, "quads": 9"#, r#""quads": {"x": 4}, "quads": {"y": 9}"#, r#""quads": 4, "quads": {}"#]
        {
            let counter = error(&format!(r#"{{"shading": {{{counters}}}}}"#));
            assert!(counter.starts_with("the counter \"quads\" stands twice"), "{counter}");
        }
        let element = error(r#"{"rop": {"written": {"color0": 1, "zeta": 2, "color0": 1}}}"#);
        assert!(element.starts_with("the element \"color0\" stands twice"), "{element}");
    }

    #[test]
    fn counters_are_found_whether_the_table_has_them_or_not() {
        let text = r#"{
            "shading": { "texture_lookups": { "unit3": 5, "unit0": 7, "unit99": 1 }, "quads": 9 },
            "later": { "waves": 2, "units": { "b": 3 } },
            "raster": { "quads": 18446744073709551615, "fragments": { "left": 6 } }
        }"#;
        let counters: Counters = serde_json::from_str(text).unwrap();
        let expected = [
            ["raster", "quads", ""],
            ["raster", "fragments", "left"],
            ["shading", "quads", ""],
            ["shading", "texture_lookups", "unit0"],
            ["shading", "texture_lookups", "unit3"],
            ["shading", "texture_lookups", "unit99"],
            ["later", "units", "b"],
            ["later", "waves", ""],
        ];
        let columns = columns([&counters]);
        let found: Vec<_> = columns.iter().map(|column| [&*column.group, &*column.name, &*column.element]).collect();
        assert_eq!(found, expected);
        let values: Vec<_> = columns.iter().map(|column| counters.get(column).unwrap()).collect();
        assert_eq!(values, [u64::MAX, 6, 9, 7, 5, 1, 3, 2]);
        let sums = [("shading", "texture_lookups"), ("later", "units"), ("later", "waves"), ("raster", "samples")];
        assert_eq!(sums.map(|(group, name)| counters.count(group, name)), [13, 3, 2, 0]);
        assert!(serde_json::from_str::<Counters>(r#"{ "raster": { "quads": -1 } }"#).is_err());
    }
}
