//! Analyses of typed programs: pure functions from a program to a value, each in a file of its own.

pub mod vertex_normal_range;
pub mod vertex_resources;
