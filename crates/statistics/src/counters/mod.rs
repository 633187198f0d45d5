//! The counters of draws, frames and runs: their table, their values, and the object of their values in files.

mod groups;
mod table;

pub use groups::CounterGroups;
pub use table::{Counter, CounterRow, Counters};
