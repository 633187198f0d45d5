//! Models, schedules and reports of the work of historic graphics chips, over plain data. Nothing here draws or knows a device.
//!
//! A model is a function over a trace: a list of plain events, laid out so that a kernel can write it into a storage buffer.
//! docs/models.md describes the models, docs/shader-schedule.md the schedules of programs, docs/report.md the reports.
//!
//! Each module depends only on those above it:
//!
//! - [`duration`]: times as text
//! - [`schema`]: the versions of files
//! - [`counters`]: the table of counters, and their values
//! - [`instruction_counts`]: the counts of a kernel's instructions
//! - [`lru`]: least-recently-used replacement
//! - [`texture_cache`]: the texture caches
//! - [`prefetch`]: prefetching of texels
//! - [`memory_partitions`]: the partitions of video memory
//! - [`simd_divergence`]: batches of quads whose pixels diverge
//! - [`tile_compression`]: tiles of surfaces that compress
//! - [`zcull`]: rejection of tiles before shading
//! - [`shader_units`]: parameters of the shader units
//! - [`fragment_schedule`]: the passes of fragment programs
//! - [`vertex_units`]: the units of vertex processors that execute in order
//! - [`vertex_schedule`]: the slots of vertex programs on units that interleave threads
//! - [`vertex_timetable`]: the clocks of vertex programs on processors that execute in order
//! - [`explanation`]: what explanations of schedules share
//! - [`explain_fragment`]: schedules of fragment programs as text and JSON
//! - [`explain_vertex`]: slots of vertex programs as text and JSON
//! - [`explain_timetable`]: clocks of vertex programs as text and JSON
//! - [`cache_sweep`]: sums over texture caches of many shapes
#![cfg_attr(feature = "report", doc = "- [`cache_sweep_plot`]: their plot")]
#![cfg_attr(feature = "report", doc = "- [`report`]: pages, CSV files and tables of statistics files")]

pub mod cache_sweep;
#[cfg(feature = "report")]
pub mod cache_sweep_plot;
pub mod counters;
pub mod duration;
pub mod explain_fragment;
pub mod explain_timetable;
pub mod explain_vertex;
pub mod explanation;
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
pub mod instruction_counts;
pub mod lru;
pub mod memory_partitions;
mod parameter;
pub mod prefetch;
mod register_lanes;
#[cfg(feature = "report")]
pub mod report;
pub mod schema;
pub mod shader_units;
pub mod simd_divergence;
#[cfg(test)]
#[path = "../../../tests/common/random.rs"]
mod test_random;
#[cfg(test)]
mod test_traces;
pub mod texture_cache;
pub mod tile_compression;
mod vertex_issue;
pub mod vertex_schedule;
pub mod vertex_timetable;
#[cfg(test)]
mod vertex_timetable_tests;
pub mod vertex_units;
pub mod zcull;

use curie_isa::{arith, format, isa, plural, shader};
pub use parameter::ParameterError;
