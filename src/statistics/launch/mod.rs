//! Models of kernel launches on the Tesla processor: functions over a kernel, its launch and the steps of its warps.
//!
//! An engine hands out the steps as [`TraceStep`](crate::pipeline::launch::TraceStep)s. [`LaunchModel`] counts them, with the
//! conflicts of shared memory ([`banks`]), the transactions ([`coalescing`]) and what a multiprocessor holds
//! ([`occupancy`](mod@occupancy)), and times them on the [`multiprocessor`]s. [`KernelExplanation`] tells what is known of a
//! kernel without running it. docs/launch-model.md describes the models and compares them with measurements.

pub mod banks;
mod bottleneck;
pub mod coalescing;
mod explain_kernel;
mod launch_model;
#[cfg(test)]
mod measurement_tests;
#[cfg(test)]
mod model_tests;
pub mod multiprocessor;
pub mod occupancy;
mod report;
#[cfg(test)]
mod test_kernels;
pub mod timing;
pub mod units;

pub use curie_statistics::instruction_counts::InstructionCounts;
pub use curie_statistics::schema::LAUNCH_SCHEMA;

pub use bottleneck::{Bottleneck, TimeParts};
pub use explain_kernel::{KernelExplanation, TimedBlock, TimedInstruction};
pub use launch_model::{LaunchModel, LaunchStatistics};
pub use report::LaunchReportPage;
