//! Turns accesses of 32 bytes to video memory into the load of its partitions, row hits and misses, and clocks.

mod accesses;
mod addressing;
mod dram;
#[cfg(test)]
mod tests;

pub use accesses::{
    ACCESS_BYTES, BankCounts, CLIENTS, Client, MAX_REGIONS, MemoryAccess, MemoryParameters, MemoryResult,
    PartitionResult, TileRegion,
};
pub use addressing::Location;
pub use dram::simulate;
