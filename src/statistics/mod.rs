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
mod json;
pub mod kernels;
pub mod launch;
pub mod models;
#[cfg(test)]
#[path = "../../tests/common/random.rs"]
mod test_random;
#[cfg(test)]
#[path = "../../crates/statistics/src/test_traces.rs"]
mod test_traces;
pub mod time;

#[cfg(feature = "report")]
pub use curie_statistics::report;
pub use curie_statistics::schema::SCHEMA;
pub use curie_statistics::{
    ParameterError, explain_fragment, explain_timetable, explain_vertex, fragment_schedule, lru, memory_partitions,
    prefetch, shader_units, simd_divergence, texture_cache, tile_compression, vertex_schedule, vertex_timetable,
    vertex_units, zcull,
};

pub use collected::{DrawStatistics, FrameStatistics, Statistics, TargetStatistics};
pub use collector::{Collector, collect};
