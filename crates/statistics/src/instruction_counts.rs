//! What the executions of an instruction of a kernel did.

/// What all executions of an instruction did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct InstructionCounts {
    /// Executions by warps.
    pub warps: u64,
    /// Threads that were active, in all executions.
    pub active: u64,
    /// Those of them whose predicate held.
    pub executing: u64,
    /// Branches whose threads took both ways.
    pub divergent: u64,
    /// The most entries of the stack after it.
    pub stack_entries: usize,
    /// Half-warps that accessed shared memory.
    pub shared_half_warps: u64,
    /// How often the banks served them.
    pub shared_passes: u64,
    /// Half-warps that read constants.
    pub constant_half_warps: u64,
    /// How often the cache of constants served them.
    pub constant_passes: u64,
    /// Lines of constants that were not in the cache.
    pub constant_misses: u64,
    /// Half-warps that accessed local or global memory.
    pub memory_half_warps: u64,
    /// Those whose accesses were coalesced.
    pub coalesced: u64,
    /// Transactions with the board's memory.
    pub transactions: u64,
    /// Bytes that threads asked for.
    pub bytes_asked: u64,
    /// Bytes that transactions moved.
    pub bytes_moved: u64,
}

impl InstructionCounts {
    /// Adds another instruction's counts; of the stack the larger one.
    pub fn add(&mut self, other: &Self) {
        self.warps += other.warps;
        self.active += other.active;
        self.executing += other.executing;
        self.divergent += other.divergent;
        self.stack_entries = self.stack_entries.max(other.stack_entries);
        self.shared_half_warps += other.shared_half_warps;
        self.shared_passes += other.shared_passes;
        self.constant_half_warps += other.constant_half_warps;
        self.constant_passes += other.constant_passes;
        self.constant_misses += other.constant_misses;
        self.memory_half_warps += other.memory_half_warps;
        self.coalesced += other.coalesced;
        self.transactions += other.transactions;
        self.bytes_asked += other.bytes_asked;
        self.bytes_moved += other.bytes_moved;
    }
}
