//! A statistics file as typed values. Keys that are not known are passed over, since files of later versions may have more.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::models::Models;
use super::order::columns;
use super::{ReportError, place};
use crate::statistics::SCHEMA;

/// The counters of a draw, frame, target or run, by group and name.
pub(super) type Counters = BTreeMap<String, BTreeMap<String, Value>>;

/// What a statistics file says.
#[derive(Debug, Deserialize)]
pub struct StatisticsFile {
    pub(super) machine: Machine,
    pub(super) counters: Counters,
    pub(super) frames: Vec<Frame>,
    pub(super) targets: Vec<Target>,
    pub(super) draws: Vec<Draw>,
    #[serde(default)]
    pub(super) models: Models,
}

/// The chip that was counted for.
#[derive(Debug, Deserialize)]
pub(super) struct Machine {
    pub(super) name: String,
    /// What people call it.
    pub(super) title: Option<String>,
    /// Its numbers, by section and key.
    #[serde(default)]
    pub(super) parameters: BTreeMap<String, BTreeMap<String, MachineParameter>>,
}

/// A number of the chip, and who says so.
#[derive(Debug, Deserialize)]
pub(super) struct MachineParameter {
    pub(super) value: serde_json::Value,
    pub(super) unit: Option<String>,
    pub(super) mark: Option<String>,
    pub(super) source: Option<String>,
}

/// Draws between two marks.
#[derive(Debug, Deserialize)]
pub(super) struct Frame {
    /// The number of the mark before it; none for what precedes the first.
    pub(super) frame: Option<u64>,
    pub(super) first_draw: usize,
    pub(super) draws: usize,
    pub(super) counters: Counters,
}

impl Frame {
    /// What it is called.
    pub(super) fn name(&self) -> String {
        self.frame.map_or_else(|| "before".to_owned(), |number| number.to_string())
    }
}

/// Surfaces that draws had bound together.
#[derive(Debug, Deserialize)]
pub(super) struct Target {
    pub(super) surfaces: Vec<String>,
    pub(super) draws: usize,
    pub(super) counters: Counters,
}

/// One draw.
#[derive(Debug, Deserialize)]
pub(super) struct Draw {
    pub(super) draw: usize,
    pub(super) primitive: String,
    pub(super) target: usize,
    pub(super) counters: Counters,
}

/// A counter's value.
#[derive(Debug)]
pub(super) enum Value {
    Number(u64),
    Elements(BTreeMap<String, u64>),
}

impl Value {
    fn sum(&self) -> u64 {
        match self {
            Self::Number(value) => *value,
            Self::Elements(elements) => elements.values().fold(0, |sum, value| sum.saturating_add(*value)),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a whole number or an object of them")
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut elements = BTreeMap::new();
        while let Some((name, value)) = map.next_entry()? {
            elements.insert(name, value);
        }
        Ok(Value::Elements(elements))
    }
}

/// The sum over the elements of a counter; 0 where it is not there.
pub(super) fn count(counters: &Counters, group: &str, name: &str) -> u64 {
    counters.get(group).and_then(|group| group.get(name)).map_or(0, Value::sum)
}

/// Sums of several counters of one group.
pub(super) fn count_all(counters: &Counters, group: &str, names: &[&str]) -> u64 {
    names.iter().fold(0, |sum, name| sum.saturating_add(count(counters, group, name)))
}

/// Bytes of colour, depth and stencil that were read and written.
pub(super) fn surface_bytes(counters: &Counters) -> u64 {
    count_all(counters, "bytes", &["color_read", "color_written", "zeta_read", "zeta_written"])
}

/// Instructions that quads executed.
pub(super) fn quad_instructions(counters: &Counters) -> u64 {
    const CLASSES: [&str; 5] = [
        "arithmetic_instructions",
        "special_instructions",
        "texture_instructions",
        "kill_instructions",
        "flow_instructions",
    ];
    count_all(counters, "shading", &CLASSES)
}

impl StatisticsFile {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// When it is not JSON, is of another version, lacks a key or has a value that makes no sense; the error names the key.
    pub fn parse(text: &str) -> Result<Self, ReportError> {
        #[derive(Deserialize)]
        struct Version {
            schema: u64,
        }
        let version: Version = serde_json::from_str(text).map_err(|error| place::explain(text, error))?;
        if version.schema != u64::from(SCHEMA) {
            return Err(ReportError::Schema { found: version.schema });
        }
        let file: Self = serde_json::from_str(text).map_err(|error| place::explain(text, error))?;
        file.check()?;
        Ok(file)
    }

    /// Whether indices name something.
    fn check(&self) -> Result<(), ReportError> {
        for (index, draw) in self.draws.iter().enumerate() {
            if draw.draw != index {
                return wrong(
                    format!("draws[{index}].draw"),
                    format!("{}, but draws are numbered in order", draw.draw),
                );
            }
            if draw.target >= self.targets.len() {
                return wrong(format!("draws[{index}].target"), format!("there is no target {}", draw.target));
            }
        }
        for (index, frame) in self.frames.iter().enumerate() {
            let end = frame.first_draw.checked_add(frame.draws);
            if end.is_none_or(|end| end > self.draws.len()) {
                return wrong(format!("frames[{index}].draws"), format!("there are {} draws", self.draws.len()));
            }
        }
        self.models.check(self.draws.len())
    }

    /// The frame of each draw: an index into the frames.
    pub(super) fn frames_of_draws(&self) -> Vec<Option<usize>> {
        let mut frames = vec![None; self.draws.len()];
        for (index, frame) in self.frames.iter().enumerate() {
            frames[frame.first_draw..frame.first_draw + frame.draws].fill(Some(index));
        }
        frames
    }

    /// What each draw costs: cycles where there is a model of time, else fragments.
    pub(super) fn costs(&self) -> (Vec<f64>, &'static str) {
        match &self.models.time {
            Some(time) if !time.draws.is_empty() => {
                let mut costs = vec![0.0; self.draws.len()];
                time.draws.iter().for_each(|draw| costs[draw.draw] = draw.duration());
                (costs, "cycles")
            }
            _ => {
                let fragments = |draw: &Draw| count(&draw.counters, "raster", "fragments") as f64;
                (self.draws.iter().map(fragments).collect(), "fragments")
            }
        }
    }

    /// The draws, the most costly first.
    pub(super) fn costliest(&self) -> Vec<usize> {
        let (costs, _) = self.costs();
        let mut order: Vec<_> = (0..self.draws.len()).collect();
        order.sort_by(|left, right| costs[*right].total_cmp(&costs[*left]));
        order
    }

    /// Counters of the run that differ from the sum over draws, where draws have them.
    pub(super) fn differing_sums(&self) -> Vec<String> {
        let counters = || self.draws.iter().map(|draw| &draw.counters);
        let differs = |column: &super::order::Column| {
            let sum = counters().filter_map(|draw| column.of(draw)).fold(0, u64::saturating_add);
            column.of(&self.counters) != Some(sum)
        };
        columns(counters()).iter().filter(|column| differs(column)).map(super::order::Column::title).collect()
    }
}

/// An error that names a key.
pub(super) fn wrong(place: String, message: String) -> Result<(), ReportError> {
    Err(ReportError::Key { place, message })
}
