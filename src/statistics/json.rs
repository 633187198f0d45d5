//! Writes statistics as the JSON object of `--statistics`, row by row, without holding the object in memory.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::SCHEMA;
use super::collected::Statistics;
use super::models::Models;
use crate::counters::CounterGroups;
use crate::machine::{DrawingMachine, Sheet};

/// The object; `F`, `T` and `D` are rows, `M` the object of the models.
#[derive(serde::Serialize)]
struct Object<'s, F, T, D, M> {
    schema: u32,
    machine: Sheet<'s>,
    counters: CounterGroups<'s>,
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
    counters: CounterGroups<'s>,
}

#[derive(serde::Serialize)]
struct TargetRow<'s> {
    surfaces: &'s [String],
    draws: usize,
    counters: CounterGroups<'s>,
}

#[derive(serde::Serialize)]
struct DrawRow<'s> {
    draw: usize,
    primitive: &'s str,
    target: usize,
    counters: CounterGroups<'s>,
}

impl Statistics {
    /// Writes the object to `serializer`, with the models' results on a machine if there are any.
    ///
    /// # Errors
    /// When the serializer fails.
    pub fn serialize<S: Serializer>(
        &self,
        machine: Sheet<'_>,
        models: Option<(DrawingMachine<'_>, &Models)>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let total = self.total();
        let has_processor = total.has_processor();
        let groups = |counters, has_stream| CounterGroups { counters, has_stream, has_processor };
        let frames = self.frames.iter().map(|frame| FrameRow {
            frame: frame.number,
            first_draw: frame.first_draw,
            draws: frame.draws,
            counters: groups(&frame.counters, true),
        });
        let targets = self.targets.iter().map(|target| TargetRow {
            surfaces: &target.surfaces,
            draws: target.draws,
            counters: groups(&target.counters, false),
        });
        let draws = self.draws.iter().enumerate().map(|(number, draw)| DrawRow {
            draw: number,
            primitive: draw.primitive.name(),
            target: draw.target,
            counters: groups(&draw.counters, false),
        });
        let object = Object {
            schema: SCHEMA,
            machine,
            counters: groups(&total, true),
            frames: Rows(frames),
            targets: Rows(targets),
            draws: Rows(draws),
            models: ModelsOrNothing(models.map(|(machine, models)| models.json(machine))),
        };
        object.serialize(serializer)
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
