//! What the chip did with a stream, and what a GeForce 6800 would have made of it.
//!
//! A [`Recorder`] stands between the chip and an engine, and collects the counters of draws, frames and the run as
//! [`Statistics`]; [`record`] plays a capture that way. [`Statistics::to_json`] is the file that `--statistics` writes; its
//! form is described in docs/statistics.md. [`report`] turns it into what people read.

mod collected;
mod json;
mod record;
pub mod report;

pub use collected::{DrawStatistics, FrameStatistics, Statistics, TargetStatistics};
pub use json::SCHEMA;
pub use record::{Recorder, record};
