//! Typed programs: what both engines, the recompiler, the schedules and the counters take.

pub mod analysis;
pub mod condition;
pub mod fragment;
pub mod fragment_blocks;
#[cfg(test)]
pub(crate) mod test_programs;
pub mod vertex;
pub mod vertex_blocks;
