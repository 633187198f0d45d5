//! Turns a replayed stream into statistics: exact counters, and models of how a GeForce 6800 would have executed it.
//!
//! A [`Collector`] sits between the chip and an engine and collects the counters of draws, frames and the run as
//! [`Statistics`]; [`collect`] replays a capture that way. [`Statistics::serialize`] writes the file of
//! `--statistics`, whose format is described in docs/statistics.md. [`report`] formats it for people.
//!
//! Models turn traces into hits, misses, bytes and cycles. A trace is a list of plain events, laid out so that a
//! kernel can write it into a storage buffer. Each model is a function over its trace, which is the specification;
//! [`kernels`] runs the same models on a device and returns the same numbers. docs/models.md describes them.
//!
//! The shader units are modeled from programs alone by [`fragment_schedule`], [`vertex_schedule`] and, for processors
//! that execute in order, [`vertex_timetable`]; [`explain`] formats the schedules as text. docs/shader-schedule.md has
//! the rules.

mod collected;
mod collector;
pub mod explain;
pub mod explain_fragment;
pub mod explain_timetable;
pub mod explain_vertex;
mod explanation;
mod fragment_bounds;
mod fragment_costs;
#[cfg(test)]
mod fragment_order_tests;
mod fragment_passes;
#[cfg(test)]
mod fragment_passes_tests;
mod fragment_pressure;
pub mod fragment_schedule;
#[cfg(test)]
mod fragment_schedule_tests;
mod fragment_steps;
mod json;
pub mod kernels;
pub mod launch;
mod lru;
pub mod memory_partitions;
pub mod models;
mod parameter;
pub mod prefetch;
mod register_lanes;
#[cfg(feature = "report")]
pub mod report;
pub mod shader_units;
pub mod simd_divergence;
#[cfg(test)]
#[path = "../../tests/common/random.rs"]
mod test_random;
pub mod texture_cache;
pub mod tile_compression;
pub mod time;
mod vertex_issue;
pub mod vertex_schedule;
pub mod vertex_timetable;
#[cfg(test)]
mod vertex_timetable_tests;
pub mod vertex_units;
pub mod zcull;

pub use collected::{DrawStatistics, FrameStatistics, Statistics, TargetStatistics};
pub use collector::{Collector, collect};
pub use json::SCHEMA;
pub use parameter::ParameterError;
