//! What bounds and observes the run of a launch, and why it ends early.

use super::{LaunchSizeError, ThreadPlace};

/// What is checked and observed while a launch runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchOptions {
    /// The number of instructions that all warps together may execute. It is checked where basic blocks begin.
    pub instruction_limit: u64,
    /// The number of basic blocks that the threads of a quad of fragments, or another thread, may begin. Threads that would begin
    /// another one end.
    pub max_quad_blocks: Option<u32>,
    /// Whether races between the warps of a block are looked for.
    pub finds_races: bool,
    /// The warp whose steps are traced, counted through the blocks of the grid.
    pub traced_warp: Option<u64>,
    /// Whether the steps of all warps are traced.
    pub traces_warps: bool,
    /// Whether the steps of all warps are traced, with their accesses to memory.
    pub traces_accesses: bool,
}

impl Default for LaunchOptions {
    fn default() -> Self {
        Self {
            instruction_limit: 1_000_000_000,
            max_quad_blocks: None,
            finds_races: false,
            traced_warp: None,
            traces_warps: false,
            traces_accesses: false,
        }
    }
}

/// The maximum number of basic blocks that a quad of a draw, or another thread, begins, so that each program ends.
// Unverified: the chip has no such limit; a program that does not end stops it.
pub const MAX_QUAD_BLOCKS: u32 = 1 << 14;

/// Why a launch did not run to its end. Memory then holds a part of its writes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// It does not fit on the processor.
    #[error(transparent)]
    Size(#[from] LaunchSizeError),
    /// It executes too many instructions.
    #[error("the kernel has not ended after {limit} warp instructions; {place} is at {instruction:#06x}")]
    Endless {
        /// The limit.
        limit: u64,
        /// The address of the next instruction.
        instruction: u32,
        /// The first thread of the warp that would execute it.
        place: ThreadPlace,
    },
    /// It executed a trap.
    #[error("{instruction:#06x}: trap, by {place}")]
    Trap {
        /// The address of the instruction.
        instruction: u32,
        /// The first thread that executed it.
        place: ThreadPlace,
    },
}
