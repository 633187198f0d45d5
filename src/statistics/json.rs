//! Statistics as the JSON object that `--statistics` writes.

use serde_json::{Map, Value, json};

use super::collected::{DrawStatistics, FrameStatistics, Statistics, TargetStatistics};
use super::models::Models;
use crate::counters::{Counter, Counters};
use crate::machine::Machine;

/// The version of the object's form; it grows when a reader of an earlier form would read something else.
pub const SCHEMA: u32 = 1;

/// The group that only frames and the run have.
const STREAM: &str = "stream";

impl Statistics {
    /// The object, with the results of models where there are some.
    #[must_use]
    pub fn to_json(&self, machine: &Machine, models: Option<&Models>) -> Value {
        json!({
            "schema": SCHEMA,
            "machine": machine,
            "counters": object(&self.total(), true),
            "frames": self.frames.iter().map(FrameStatistics::to_json).collect::<Vec<_>>(),
            "targets": self.targets.iter().map(TargetStatistics::to_json).collect::<Vec<_>>(),
            "draws": self.draws.iter().enumerate().map(|(index, draw)| draw.to_json(index)).collect::<Vec<_>>(),
            "models": models.map_or_else(|| json!({}), |models| models.to_json(machine)),
        })
    }
}

impl FrameStatistics {
    fn to_json(&self) -> Value {
        json!({
            "frame": self.number,
            "first_draw": self.first_draw,
            "draws": self.draws,
            "counters": object(&self.counters, true),
        })
    }
}

impl TargetStatistics {
    fn to_json(&self) -> Value {
        json!({ "surfaces": self.surfaces, "draws": self.draws, "counters": object(&self.counters, false) })
    }
}

impl DrawStatistics {
    fn to_json(&self, index: usize) -> Value {
        json!({
            "draw": index,
            "primitive": self.primitive.name(),
            "target": self.target,
            "counters": object(&self.counters, false),
        })
    }
}

/// Counters by group and name; those with elements are objects by element.
fn object(counters: &Counters, has_stream: bool) -> Value {
    let mut groups = Map::new();
    for counter in Counter::ALL {
        let row = counter.row();
        if row.group == STREAM && !has_stream {
            continue;
        }
        let value = if row.elements.is_empty() {
            counters.total(*counter).into()
        } else {
            row.elements.iter().copied().zip(counters.elements(*counter).iter().copied()).collect()
        };
        if let Value::Object(group) = groups.entry(row.group).or_insert_with(|| json!({})) {
            group.insert(row.name.to_owned(), value);
        }
    }
    groups.into()
}
