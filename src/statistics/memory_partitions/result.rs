//! Counts of memory's partitions: load, balance, rows, and bandwidth against the peak.

use super::{ACCESS_BYTES, CLIENTS, Client, MemoryParameters};

/// Accesses of a bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BankCounts {
    /// Those to the row that was open.
    pub hits: u64,
    /// Those that opened their row.
    pub misses: u64,
}

/// What a partition did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PartitionResult {
    /// Reads and writes of each client, in the order of [`Client::ALL`].
    pub accesses: [[u64; 2]; CLIENTS],
    /// Rows of each bank.
    pub banks: Vec<BankCounts>,
    /// Changes between reading and writing.
    pub turns: u64,
    /// Clocks until its last data.
    pub clocks: u64,
}

/// What memory did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryResult {
    /// The memory.
    pub parameters: MemoryParameters,
    /// Its partitions.
    pub partitions: Vec<PartitionResult>,
    /// Clocks until each partition's last data, at the end of each segment of the trace.
    pub segment_ends: Vec<Vec<u64>>,
}

impl MemoryResult {
    /// Bytes that were read and written for a client.
    #[must_use]
    pub fn bytes_of(&self, client: Client) -> [u64; 2] {
        let count = |direction: usize| -> u64 {
            self.partitions.iter().map(|partition| partition.accesses[client as usize][direction]).sum()
        };
        [0, 1].map(|direction| count(direction) * u64::from(ACCESS_BYTES))
    }

    /// Clocks until the last data of all partitions.
    #[must_use]
    pub fn clocks(&self) -> u64 {
        self.partitions.iter().map(|partition| partition.clocks).max().unwrap_or(0)
    }

    /// Clocks of the partition that is busiest in each segment.
    #[must_use]
    pub fn segment_clocks(&self) -> Vec<u64> {
        let zeros = vec![0; self.partitions.len()];
        let before = std::iter::once(&zeros).chain(&self.segment_ends);
        let clocks = |(before, end): (&Vec<u64>, &Vec<u64>)| {
            end.iter().zip(before).map(|(end, before)| end - before).max().unwrap_or(0)
        };
        before.zip(&self.segment_ends).map(clocks).collect()
    }
}
