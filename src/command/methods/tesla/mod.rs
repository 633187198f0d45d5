//! Methods of the Tesla generation (GeForce 8 to 300, G80 to MCP89).

pub mod compute;
pub mod enums;
pub mod fifo;
pub mod graph;
pub mod memory_copy;
pub mod three_d;
pub mod two_d;
