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

impl PartitionResult {
    /// All accesses.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.accesses.iter().flatten().sum()
    }
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

#[expect(clippy::cast_precision_loss, reason = "ratios and rates are for people")]
impl MemoryResult {
    /// All accesses.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.partitions.iter().map(PartitionResult::total).sum()
    }

    /// Bytes that were read and written for a client.
    #[must_use]
    pub fn bytes_of(&self, client: Client) -> [u64; 2] {
        let count = |direction: usize| -> u64 {
            self.partitions.iter().map(|partition| partition.accesses[client as usize][direction]).sum()
        };
        [0, 1].map(|direction| count(direction) * u64::from(ACCESS_BYTES))
    }

    /// Bytes that were read and written.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.total() * u64::from(ACCESS_BYTES)
    }

    /// The load of the partition with most, of the mean: from 1 to the number of partitions; 1 without accesses.
    #[must_use]
    pub fn imbalance(&self) -> f64 {
        let most = self.partitions.iter().map(PartitionResult::total).max().unwrap_or(0);
        let total = self.total();
        if total == 0 { 1.0 } else { most as f64 * self.partitions.len() as f64 / total as f64 }
    }

    /// Rows hit and missed in all banks.
    #[must_use]
    pub fn rows(&self) -> BankCounts {
        let banks = self.partitions.iter().flat_map(|partition| &partition.banks);
        banks.fold(BankCounts::default(), |sum, bank| BankCounts {
            hits: sum.hits + bank.hits,
            misses: sum.misses + bank.misses,
        })
    }

    /// Changes between reading and writing.
    #[must_use]
    pub fn turns(&self) -> u64 {
        self.partitions.iter().map(|partition| partition.turns).sum()
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

    /// Clocks that the data takes when all partitions send without a pause.
    #[must_use]
    pub fn peak_clocks(&self) -> u64 {
        (self.total() * u64::from(self.parameters.access_clocks)).div_ceil(u64::from(self.parameters.partitions))
    }

    /// The reached part of the peak, 0 to 1; 1 without accesses.
    #[must_use]
    pub fn utilization(&self) -> f64 {
        if self.clocks() == 0 { 1.0 } else { self.peak_clocks() as f64 / self.clocks() as f64 }
    }
}

impl MemoryParameters {
    /// Bytes per second when all partitions send without a pause.
    #[must_use]
    pub fn peak_bytes_per_second(&self) -> u64 {
        let accesses = u64::from(self.partitions) * u64::from(self.clock_mhz) * 1_000_000;
        accesses * u64::from(ACCESS_BYTES) / u64::from(self.access_clocks)
    }
}
