//! Defines a family of chips that run the same streams: the executable part of a machine, apart from its numbers.

use std::fmt;

use crate::capture::Header;
use crate::chip::{Chip, ClassRow};
use crate::isa::VertexIsa;
use crate::named_enum;

/// How vertex processors deal with the latency of their operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VertexPipeline {
    /// A processor alternates between vertices, so that an instruction takes a clock and never waits for a result.
    Interleaved,
    /// A processor executes the instructions of one vertex in order, and waits for results and for arithmetic units.
    InOrder,
}

/// Processors that run vertex programs only, and the post-transform cache behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VertexStage {
    /// The instruction set.
    pub isa: VertexIsa,
    /// The pipeline.
    pub pipeline: VertexPipeline,
    /// Whether only draws with indices use the cache.
    pub cache_needs_indices: bool,
}

named_enum! {
    /// What runs the programs of a machine's draws.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum MachineKind {
        /// Processors for each stage: a [`Machine`](super::Machine).
        Staged = "staged",
        /// One processor for all stages, and for kernels: a [`TeslaMachine`](super::TeslaMachine).
        Unified = "unified",
    }
}

/// Chips that run the same streams.
#[derive(Debug)]
pub struct Family {
    /// The name in machine files.
    pub name: &'static str,
    /// The display name.
    pub title: &'static str,
    /// The chipset numbers whose captures the family runs, ascending.
    pub chipsets: &'static [u32],
    /// The family's default machine.
    pub default_machine: &'static str,
    /// The classes of graphics objects.
    pub classes: &'static [ClassRow],
    /// Whether clients name buffers by virtual addresses, and pushes come from a list (IB mode).
    pub has_virtual_memory: bool,
    /// The vertex stage; `None` if the processor of compute kernels runs the vertex programs.
    pub vertex_stage: Option<VertexStage>,
}

/// Families have unique names.
impl PartialEq for Family {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Family {
    /// Whether the family has a chip with this number.
    #[must_use]
    pub fn answers_to(&self, chipset: u32) -> bool {
        self.chipsets.contains(&chipset)
    }

    /// What runs the programs of its machines' draws.
    #[must_use]
    pub const fn kind(&self) -> MachineKind {
        if self.vertex_stage.is_some() { MachineKind::Staged } else { MachineKind::Unified }
    }

    /// Builds a chip with the memory that a capture requests.
    #[must_use]
    pub fn build(&self, header: &Header) -> Chip {
        match self.has_virtual_memory {
            true => Chip::with_virtual_memory(header, self.classes),
            false => Chip::new(header, self.classes),
        }
    }
}

/// The title of a family with its chipset numbers: `GeForce 6 and 7 (chipsets 0x40-0x47, 0x4e)`.
impl fmt::Display for Family {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.chipsets.chunk_by(|chipset, next| *next == chipset + 1);
        let runs: Vec<_> = runs
            .map(|run| match run {
                [first, .., last] => format!("{first:#x}-{last:#x}"),
                [] | [_] => run.iter().map(|chipset| format!("{chipset:#x}")).collect(),
            })
            .collect();
        match runs.as_slice() {
            [] => write!(formatter, "{} (no captures)", self.title),
            runs => write!(formatter, "{} (chipsets {})", self.title, runs.join(", ")),
        }
    }
}
