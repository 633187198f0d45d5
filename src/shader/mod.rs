//! Typed programs: what both engines, the recompiler, the schedules and the counters take.

pub mod condition;
pub mod fragment;
pub mod fragment_blocks;
pub mod vertex;
pub mod vertex_blocks;
