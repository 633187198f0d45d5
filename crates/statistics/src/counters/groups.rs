//! Writes counters as a JSON object, group by group.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::table::{Counter, Counters};

/// The group that only frames and the run have.
const STREAM: &str = "stream";

/// The groups that only runs with SIMT programs have.
const OF_SIMT_PROGRAMS: [&str; 2] = ["processor", "stream_output"];

impl Counters {
    /// The counters of a draw by group and name.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        let groups = CounterGroups { counters: self, has_stream: false, has_processor: self.has_processor() };
        serde_json::to_value(groups).expect("numbers by name are a JSON value")
    }

    /// Whether SIMT programs were counted.
    #[must_use]
    pub fn has_processor(&self) -> bool {
        let mut of_simt = Counter::ALL.iter().filter(|counter| OF_SIMT_PROGRAMS.contains(&counter.row().group));
        of_simt.any(|counter| self.total(*counter) != 0)
    }
}

/// Counters as an object: values by group and name.
#[derive(Debug, Clone, Copy)]
pub struct CounterGroups<'s> {
    /// The counters.
    pub counters: &'s Counters,
    /// Whether it has the group `stream`, whose counters only frames and the run have.
    pub has_stream: bool,
    /// Whether it has the groups of SIMT programs.
    pub has_processor: bool,
}

impl Serialize for CounterGroups<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut groups = serializer.serialize_map(None)?;
        for members in Counter::ALL.chunk_by(|left, right| left.row().group == right.row().group) {
            let group = members[0].row().group;
            let is_absent =
                group == STREAM && !self.has_stream || OF_SIMT_PROGRAMS.contains(&group) && !self.has_processor;
            if !is_absent {
                groups.serialize_entry(group, &Group { counters: self.counters, members })?;
            }
        }
        groups.end()
    }
}

/// The counters of a group by name; those with elements are objects by element.
struct Group<'s> {
    counters: &'s Counters,
    members: &'s [Counter],
}

impl Serialize for Group<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut group = serializer.serialize_map(Some(self.members.len()))?;
        for counter in self.members {
            let row = counter.row();
            if row.elements.is_empty() {
                group.serialize_entry(row.name, &self.counters.total(*counter))?;
            } else {
                let values = row.elements.iter().zip(self.counters.elements(*counter));
                group.serialize_entry(row.name, &Elements(values))?;
            }
        }
        group.end()
    }
}

/// An object whose members are produced one by one.
struct Elements<I>(I);

impl<'s, I: Iterator<Item = (&'s &'static str, &'s u64)> + Clone> Serialize for Elements<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.clone())
    }
}
