//! Measures captures and scenes: replays their frames repeatedly, and turns the time from submission to an idle
//! device into rates.
//!
//! [`Frames`] determines which records of a capture form a frame. [`measure()`] plays the records before them,
//! then repeats the frames in order: first untimed until every kernel is compiled, then in samples that end with
//! an idle device. [`count()`] counts the work of a frame; it runs separately on the host, so that it does not
//! affect the timed run. [`Report`] holds the rates of several scenes, and compares them with an earlier report.
//! [`headline()`], [`scaling()`] and [`vertex_processors()`] measure their own streams: the ratio to the chip's peak
//! rates, whether cost is proportional to work, and one computation on each vertex processor.

mod count;
mod frames;
mod headline;
mod measure;
mod memory;
mod report;
mod run;
mod scaling;
mod scene_report;
mod statistics;
mod streams;
mod vertex_processors;

pub use count::{FrameCounts, count};
pub use frames::{Frames, FramesError};
pub use headline::{HeadlineRow, headline};
pub use measure::{BenchError, Measured, Options, measure};
pub use memory::peak_memory_bytes;
pub use report::{Comparison, Report, ReportError};
pub use run::Bench;
pub use scaling::{ScalingPoint, ScalingRow, scaling};
pub use scene_report::{SceneReport, StageReport};
pub use statistics::{Spread, geometric_mean};
pub use vertex_processors::{VertexProcessorRow, vertex_processors};
