//! Parses a statistics file into typed values. Ignores unknown keys, since files of later versions may have more.

use std::collections::BTreeMap;
use std::io::{BufReader, Read, Seek};

use serde::Deserialize;

use super::counters::{Counters, columns};
use super::models::Models;
use super::place::wrong;
use super::{ReportError, place};
use crate::schema::SCHEMA;

/// The most bytes that are read: some million draws.
const MAX_BYTES: u64 = 4 << 30;

/// A statistics file.
#[derive(Debug, Deserialize)]
pub struct StatisticsFile {
    schema: u32,
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
    /// Its display name.
    pub(super) title: Option<String>,
    /// Its numbers, by section and key.
    #[serde(default)]
    pub(super) parameters: BTreeMap<String, BTreeMap<String, MachineParameter>>,
}

/// A number of the chip, and its source.
#[derive(Debug, Deserialize)]
pub(super) struct MachineParameter {
    pub(super) value: serde_json::Value,
    pub(super) unit: Option<String>,
    #[serde(alias = "mark")]
    pub(super) provenance: Option<String>,
    pub(super) source: Option<String>,
}

/// Draws between two marks.
#[derive(Debug, Deserialize)]
pub(super) struct Frame {
    /// The number of the preceding mark; none before the first.
    pub(super) frame: Option<u64>,
    pub(super) first_draw: usize,
    pub(super) draws: usize,
    pub(super) counters: Counters,
}

impl Frame {
    /// Its display name.
    pub(super) fn name(&self) -> String {
        frame_name(self.frame)
    }
}

/// Returns the title of a frame; without a number, of the part before the first frame.
pub(super) fn frame_name(number: Option<u64>) -> String {
    number.map_or_else(|| "before".to_owned(), |number| number.to_string())
}

/// The note on a file whose models are cut off.
pub(super) const CUT_OFF: &str = "A frame had more quads or texels than the models hold. They left the rest out: their numbers of \
    texture caches, prefetching, memory, z-cull, time and heat maps are too small. Counters are not.";

/// Surfaces that draws bound together.
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

/// The sum over the elements of a counter; 0 if it is missing.
pub(super) fn count(counters: &Counters, group: &str, name: &str) -> u64 {
    counters.count(group, name)
}

/// Sums of several counters of one group.
pub(super) fn count_all(counters: &Counters, group: &str, names: &[&str]) -> u64 {
    names.iter().fold(0, |sum, name| sum.saturating_add(count(counters, group, name)))
}

/// Bytes of color, depth and stencil read and written.
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
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is not JSON, is of another version, lacks a key or has an invalid value; the error
    /// names the key.
    pub fn read(mut source: impl Read + Seek) -> Result<Self, ReportError> {
        let file: Self = match serde_json::from_reader(BufReader::new(source.by_ref().take(MAX_BYTES))) {
            Ok(file) => file,
            Err(error) if error.is_io() => return Err(ReportError::Io(error.into())),
            Err(error) => return Err(Self::explain(source, error)),
        };
        if file.schema != SCHEMA {
            return Err(ReportError::Schema { found: file.schema });
        }
        file.check()?;
        Ok(file)
    }

    /// The error for a file that cannot be parsed, with its position. For a file of another version, only the
    /// version is reported.
    fn explain(mut source: impl Read + Seek, error: serde_json::Error) -> ReportError {
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        let mut text = Vec::new();
        if let Err(error) = source.rewind().and_then(|()| source.take(MAX_BYTES).read_to_end(&mut text).map(drop)) {
            return ReportError::Io(error);
        }
        match serde_json::from_slice::<Version>(&text) {
            Ok(Version { schema }) if schema != SCHEMA => ReportError::Schema { found: schema },
            // Errors in a text have a more precise column than those in a stream.
            _ => place::explain(&text, serde_json::from_slice::<Self>(&text).err().unwrap_or(error)),
        }
    }

    /// Checks that indices are in range.
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

    /// The number of numbered frames, which excludes the part before the first mark.
    pub(super) fn frame_count(&self) -> usize {
        self.frames.iter().filter(|frame| frame.frame.is_some()).count()
    }

    /// The frame of each draw: an index into the frames.
    pub(super) fn frames_of_draws(&self) -> Vec<Option<usize>> {
        let mut frames = vec![None; self.draws.len()];
        for (index, frame) in self.frames.iter().enumerate() {
            frames[frame.first_draw..frame.first_draw + frame.draws].fill(Some(index));
        }
        frames
    }

    /// The cost of each draw: cycles if there is a model of time, else fragments.
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

    /// The draws, most expensive first.
    pub(super) fn costliest(&self) -> Vec<usize> {
        let (costs, _) = self.costs();
        let mut order: Vec<_> = (0..self.draws.len()).collect();
        order.sort_by(|left, right| costs[*right].total_cmp(&costs[*left]));
        order
    }

    /// Counters of the run that differ from the sum over draws, if draws have them.
    pub(super) fn differing_sums(&self) -> Vec<String> {
        let counters = || self.draws.iter().map(|draw| &draw.counters);
        let differs = |column: &super::counters::Column| {
            let sum = counters().filter_map(|draw| draw.get(column)).fold(0, u64::saturating_add);
            self.counters.get(column) != Some(sum)
        };
        columns(counters()).iter().filter(|column| differs(column)).map(super::counters::Column::title).collect()
    }
}
