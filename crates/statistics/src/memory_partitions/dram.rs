//! Turns accesses into row hits, row misses and clocks of DRAM: the specification.
//!
//! A partition executes its accesses in the order of the trace. A row stays open until another row of its bank is
//! accessed. Rows are opened ahead, up to `queue_depth` accesses, so that banks overlap; partitions do not wait
//! for each other. Data follows its command by some clocks, so a row can close before the last data read from it
//! arrives.

use super::{BankCounts, Location, MemoryAccess, MemoryParameters, MemoryResult, PartitionResult};
use crate::ParameterError;

#[derive(Debug, Clone, Copy, Default)]
struct Bank {
    row: Option<u32>,
    /// The first clock at which the open row can be accessed, and the first at which it can be closed.
    ready: u64,
    closable: u64,
    counts: BankCounts,
}

#[derive(Debug)]
struct Partition {
    banks: Vec<Bank>,
    /// The clocks at which the latest accesses were issued, as a ring.
    starts: Vec<u64>,
    number: usize,
    /// The clock until which data is transferred.
    end: u64,
    next_activation: u64,
    /// Whether the last access was a write.
    was_write: Option<bool>,
    result: PartitionResult,
}

impl Partition {
    fn new(parameters: &MemoryParameters) -> Self {
        Self {
            banks: vec![Bank::default(); parameters.banks as usize],
            starts: vec![0; parameters.queue_depth as usize],
            number: 0,
            end: 0,
            next_activation: 0,
            was_write: None,
            result: PartitionResult::default(),
        }
    }

    fn access(&mut self, parameters: &MemoryParameters, location: Location, is_write: bool) {
        let slot = self.number % self.starts.len();
        // An access enters the queue when the access `queue_depth` before it is issued.
        let seen = self.starts[slot];
        let bank = &mut self.banks[location.bank as usize];
        if bank.row == Some(location.row) {
            bank.counts.hits += 1;
        } else {
            bank.counts.misses += 1;
            let closed = match bank.row {
                Some(_) => seen.max(bank.closable) + u64::from(parameters.precharge_clocks),
                None => seen,
            };
            let activation = closed.max(self.next_activation);
            self.next_activation = activation + u64::from(parameters.activate_spacing);
            bank.row = Some(location.row);
            bank.ready = activation + u64::from(parameters.activate_clocks);
        }
        let turn = match (self.was_write, is_write) {
            (Some(false), true) => Some(parameters.read_to_write),
            // A read is issued after the write's last data.
            (Some(true), false) => Some(parameters.write_to_read + parameters.read_latency),
            _ => None,
        };
        self.result.turns += u64::from(turn.is_some());
        let latency = u64::from(if is_write { parameters.write_latency } else { parameters.read_latency });
        let start = (bank.ready + latency).max(self.end + u64::from(turn.unwrap_or(0)));
        self.end = start + u64::from(parameters.access_clocks);
        self.starts[slot] = start - latency;
        let closable = if is_write { self.end + u64::from(parameters.write_recovery) } else { self.end - latency };
        bank.closable = bank.closable.max(closable);
        self.number += 1;
        self.was_write = Some(is_write);
    }
}

/// Runs the memory model over a trace.
///
/// # Errors
/// When a parameter is out of its range.
///
/// ```
/// use curie_statistics::memory_partitions::{Client, MemoryAccess, MemoryParameters, simulate};
/// let trace: Vec<_> = (0..64).map(|line| MemoryAccess::new(line * 32, Client::Texture, false)).collect();
/// let result = simulate(&trace, &MemoryParameters::default()).unwrap();
/// assert_eq!(result.bytes_of(Client::Texture), [2048, 0]);
/// ```
pub fn simulate(trace: &[MemoryAccess], parameters: &MemoryParameters) -> Result<MemoryResult, ParameterError> {
    parameters.check()?;
    let mut partitions: Vec<_> = (0..parameters.partitions).map(|_| Partition::new(parameters)).collect();
    let mut segment_ends = Vec::new();
    for access in trace {
        if access.is_segment_end() {
            segment_ends.push(partitions.iter().map(|partition| partition.end).collect());
        }
        let Some(client) = access.client() else { continue };
        let location = parameters.location(access.address());
        let partition = &mut partitions[location.partition as usize];
        partition.result.accesses[client as usize][usize::from(access.is_write())] += 1;
        partition.access(parameters, location, access.is_write());
    }
    let results = partitions.into_iter().map(|partition| PartitionResult {
        banks: partition.banks.iter().map(|bank| bank.counts).collect(),
        clocks: partition.end,
        ..partition.result
    });
    Ok(MemoryResult { parameters: parameters.clone(), partitions: results.collect(), segment_ends })
}
