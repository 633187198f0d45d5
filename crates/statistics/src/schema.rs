//! The versions of the files of statistics. Each increases when readers of an earlier format would misread a file.

/// The version of the object of `--statistics` of a replay.
pub const SCHEMA: u32 = 1;

/// The version of the object of `curie launch --statistics`.
pub const LAUNCH_SCHEMA: u32 = 1;
