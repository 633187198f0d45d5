//! What a launch spends its time on: totals, times in seconds, and the part of the chip that limits it.

use super::InstructionCounts;
use super::launch_model::{LaunchStatistics, float};
use super::timing::WaitCause;
use crate::machine::TeslaMachine;

/// The load of a partition, relative to the mean, from which on it is said to limit a launch instead of the whole memory.
const PARTITION_IMBALANCE: f64 = 1.25;

/// What limits a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bottleneck {
    /// Nothing: no instruction was executed.
    Nothing,
    /// The scalar processors and the issue of instructions.
    Scalar,
    /// The special function units.
    Special,
    /// The bandwidth of the memory.
    Bandwidth,
    /// The memory partition that moves most bytes, while others idle.
    Partition,
    /// Waiting, with too few warps to do something else.
    Waits(WaitCause),
}

impl Bottleneck {
    /// It in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Scalar => "scalar processors",
            Self::Special => "special function units",
            Self::Bandwidth => "memory bandwidth",
            Self::Partition => "one memory partition",
            Self::Waits(WaitCause::Scalar) => "latency of scalar processors",
            Self::Waits(WaitCause::Special) => "latency of special function units",
            Self::Waits(WaitCause::Shared) => "latency of shared memory",
            Self::Waits(WaitCause::Constant) => "latency of constants outside the cache",
            Self::Waits(WaitCause::Memory) => "latency of memory",
            Self::Waits(WaitCause::Texture) => "latency of textures",
            Self::Waits(WaitCause::Branch) => "latency of branches",
            Self::Waits(WaitCause::Barrier) => "barriers",
        }
    }
}

/// Parts of the time of the multiprocessors that have blocks, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeParts {
    /// The scalar processors are occupied.
    pub scalar: f64,
    /// The special function units are occupied.
    pub special: f64,
    /// The memory bus is occupied.
    pub memory: f64,
    /// No unit is occupied, by what is waited for first.
    pub idle: [f64; WaitCause::ALL.len()],
}

impl LaunchStatistics {
    /// The counts of all instructions together.
    #[must_use]
    pub fn total(&self) -> InstructionCounts {
        let mut total = InstructionCounts::default();
        self.instructions.iter().for_each(|counts| total.add(counts));
        total
    }

    /// The time from start to end.
    #[must_use]
    pub fn seconds(&self, machine: &TeslaMachine) -> f64 {
        self.clocks / (machine.clocks.processor_mhz * 1e6)
    }

    /// The parts of the time in which units are occupied or idle.
    #[must_use]
    pub fn parts(&self) -> TimeParts {
        let clocks = self.time.clocks.max(1.0);
        TimeParts {
            scalar: self.time.scalar / clocks,
            special: self.time.special / clocks,
            memory: self.time.memory / clocks,
            idle: self.time.idle.map(|idle| idle / clocks),
        }
    }

    /// What limits the launch: the unit that is occupied longest, or the most frequent wait if the multiprocessors idle even
    /// longer.
    #[must_use]
    pub fn bottleneck(&self) -> Bottleneck {
        if self.time.clocks == 0.0 {
            return Bottleneck::Nothing;
        }
        if self.partition_imbalance() > PARTITION_IMBALANCE && self.partition_clocks >= self.clocks {
            return Bottleneck::Partition;
        }
        let parts = self.parts();
        let units = [
            (Bottleneck::Scalar, parts.scalar),
            (Bottleneck::Special, parts.special),
            (Bottleneck::Bandwidth, parts.memory),
        ];
        let busiest = units.into_iter().fold(units[0], |most, unit| if unit.1 > most.1 { unit } else { most });
        if parts.idle.iter().sum::<f64>() <= busiest.1 {
            return busiest.0;
        }
        let causes = WaitCause::ALL.map(|cause| (cause, parts.idle[cause as usize]));
        let longest = causes.into_iter().fold(causes[0], |most, wait| if wait.1 > most.1 { wait } else { most });
        Bottleneck::Waits(longest.0)
    }

    /// The largest load of a partition, relative to the mean of all.
    #[must_use]
    pub fn partition_imbalance(&self) -> f64 {
        let total: u64 = self.partition_bytes.iter().sum();
        let most = self.partition_bytes.iter().max().copied().unwrap_or(0);
        if total == 0 { 1.0 } else { float(most) * float(self.partition_bytes.len() as u64) / float(total) }
    }
}
