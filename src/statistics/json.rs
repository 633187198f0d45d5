//! Writes statistics as the JSON object of `--statistics`, row by row, without holding the object in memory.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::collected::Statistics;
use super::models::Models;
use crate::counters::{Counter, Counters};
use crate::machine::Machine;

/// The version of the object's format. It increases when readers of an earlier format would misread the object.
pub const SCHEMA: u32 = 1;

/// The group that only frames and the run have.
const STREAM: &str = "stream";

/// The object; `F`, `T` and `D` are rows, `M` the object of the models.
#[derive(serde::Serialize)]
struct Object<'s, F, T, D, M> {
    schema: u32,
    machine: &'s Machine,
    counters: Groups<'s>,
    frames: F,
    targets: T,
    draws: D,
    models: M,
}

#[derive(serde::Serialize)]
struct FrameRow<'s> {
    frame: Option<u32>,
    first_draw: usize,
    draws: usize,
    counters: Groups<'s>,
}

#[derive(serde::Serialize)]
struct TargetRow<'s> {
    surfaces: &'s [String],
    draws: usize,
    counters: Groups<'s>,
}

#[derive(serde::Serialize)]
struct DrawRow<'s> {
    draw: usize,
    primitive: &'s str,
    target: usize,
    counters: Groups<'s>,
}

impl Statistics {
    /// Writes the object to `serializer`, with the models' results if there are any.
    ///
    /// # Errors
    /// When the serializer fails.
    pub fn serialize<S: Serializer>(
        &self,
        machine: &Machine,
        models: Option<&Models>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let frames = self.frames.iter().map(|frame| FrameRow {
            frame: frame.number,
            first_draw: frame.first_draw,
            draws: frame.draws,
            counters: Groups { counters: &frame.counters, has_stream: true },
        });
        let targets = self.targets.iter().map(|target| TargetRow {
            surfaces: &target.surfaces,
            draws: target.draws,
            counters: Groups { counters: &target.counters, has_stream: false },
        });
        let draws = self.draws.iter().enumerate().map(|(number, draw)| DrawRow {
            draw: number,
            primitive: draw.primitive.name(),
            target: draw.target,
            counters: Groups { counters: &draw.counters, has_stream: false },
        });
        let object = Object {
            schema: SCHEMA,
            machine,
            counters: Groups { counters: &self.total(), has_stream: true },
            frames: Rows(frames),
            targets: Rows(targets),
            draws: Rows(draws),
            models: ModelsOrNothing(models.map(|models| models.json(machine))),
        };
        object.serialize(serializer)
    }
}

impl Counters {
    /// The counters of a draw by group and name.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::to_value(Groups { counters: self, has_stream: false }).expect("numbers by name are a JSON value")
    }
}

/// An array whose elements are produced one by one.
pub(super) struct Rows<I>(pub(super) I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for Rows<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

/// Serializes nothing as an empty object.
struct ModelsOrNothing<M>(Option<M>);

impl<M: Serialize> Serialize for ModelsOrNothing<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(models) => models.serialize(serializer),
            None => serializer.serialize_map(Some(0))?.end(),
        }
    }
}

/// Counters by group.
struct Groups<'s> {
    counters: &'s Counters,
    has_stream: bool,
}

impl Serialize for Groups<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut groups = serializer.serialize_map(None)?;
        for members in Counter::ALL.chunk_by(|left, right| left.row().group == right.row().group) {
            let group = members[0].row().group;
            if group != STREAM || self.has_stream {
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
