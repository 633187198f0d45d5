//! Measures captures and scenes: replays their frames again and again, and turns the time from the host's push to an idle
//! device into rates.
//!
//! [`Frames`] says which records of a capture are a frame. [`measure()`] plays the records before them, then the frames in
//! order and over again: first untimed until every kernel is compiled, then in samples that end with an idle device.
//! [`count()`] says how much work a frame is; it runs apart, on the host, so that it costs the timed run nothing.
//! [`Report`] holds the rates of several scenes, and compares them with an earlier one. [`headline()`] and [`scaling()`]
//! measure streams of their own: how far the chip's peak rates are, and whether cost grows as work does.

mod count;
mod frames;
mod headline;
mod measure;
mod memory;
mod report;
mod run;
mod scaling;
mod statistics;
mod streams;

pub use count::{FrameCounts, count};
pub use frames::{Frames, FramesError};
pub use headline::{HeadlineRow, headline};
pub use measure::{BenchError, Measured, Options, measure};
pub use memory::peak_memory_bytes;
pub use report::{Comparison, Report, ReportError, SceneReport, StageReport};
pub use run::Bench;
pub use scaling::{ScalingPoint, ScalingRow, scaling};
pub use statistics::{Spread, geometric_mean};
