//! What the chip did with a stream: models of its units, over programs and counts, and how they are told.

pub mod explain_fragment;
pub mod explain_vertex;
mod fragment_bounds;
mod fragment_passes;
mod fragment_pressure;
pub mod fragment_schedule;
mod fragment_steps;
mod register_lanes;
pub mod shader_units;
pub mod vertex_schedule;

#[cfg(test)]
mod fragment_passes_tests;
#[cfg(test)]
mod fragment_schedule_tests;
