//! Parses the statistics of a kernel launch into typed values. Ignores unknown keys, since files of later versions may have more.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::file::Machine;
use super::{ReportError, place};
use crate::instruction_counts::InstructionCounts;
use crate::schema::LAUNCH_SCHEMA;

/// A file that `curie launch --statistics` wrote.
#[derive(Debug, Deserialize)]
pub struct LaunchFile {
    schema: u32,
    pub(super) machine: Machine,
    pub(super) launch: LaunchSizes,
    pub(super) occupancy: LaunchOccupancy,
    pub(super) total: InstructionCounts,
    pub(super) partition_bytes: Vec<u64>,
    pub(super) time: LaunchTime,
    pub(super) instructions: Vec<LaunchInstruction>,
}

/// What was launched.
#[derive(Debug, Deserialize)]
pub(super) struct LaunchSizes {
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) registers: u32,
    pub(super) shared_bytes: u32,
    pub(super) local_bytes: u32,
}

/// What a multiprocessor held.
#[derive(Debug, Deserialize)]
pub(super) struct LaunchOccupancy {
    pub(super) blocks: u32,
    pub(super) warps: u32,
    pub(super) most_warps: u32,
    pub(super) limited_by: Vec<String>,
}

/// The modeled time; parts are from 0 to 1.
#[derive(Debug, Deserialize)]
pub(super) struct LaunchTime {
    pub(super) clocks: f64,
    pub(super) seconds: f64,
    pub(super) bottleneck: String,
    pub(super) scalar: f64,
    pub(super) special: f64,
    pub(super) memory: f64,
    pub(super) idle: BTreeMap<String, f64>,
}

/// An instruction.
#[derive(Debug, Deserialize)]
pub(super) struct LaunchInstruction {
    pub(super) address: u32,
    pub(super) text: String,
    pub(super) unit: String,
    pub(super) counts: InstructionCounts,
    pub(super) wait_clocks: f64,
    pub(super) idle_clocks: f64,
}

impl LaunchFile {
    /// Whether a JSON text is the statistics of a launch.
    #[must_use]
    pub fn is_launch(text: &[u8]) -> bool {
        #[derive(Deserialize)]
        struct Kind {
            launch: Option<serde::de::IgnoredAny>,
        }
        serde_json::from_slice::<Kind>(text).is_ok_and(|kind| kind.launch.is_some())
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it is not JSON, is of another version, lacks a key or has an invalid value; the error names the key.
    pub fn read(text: &[u8]) -> Result<Self, ReportError> {
        let file: Self = serde_json::from_slice(text).map_err(|error| place::explain(text, error))?;
        match file.schema {
            LAUNCH_SCHEMA => Ok(file),
            found => Err(ReportError::LaunchSchema { found }),
        }
    }
}
