//! Counts what a channel executed.

/// What a channel executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MethodCounts {
    /// Methods.
    pub methods: u64,
    /// Packets with at least one method.
    pub packets: u64,
    /// Methods of the 3D class that changed the value of a register.
    pub state_changes: u64,
    /// Methods of the 3D class that move the client to the next buffer (`FLIP_INCR_WRITE`).
    pub flips: u64,
    /// Draws that the engine accepted, or that are not emulated.
    pub draws: u64,
    /// Clears that the engine accepted, or that are not emulated.
    pub clears: u64,
    /// Reports and notifiers that the engine wrote.
    pub reports: u64,
    /// Launches of compute programs that the engine accepted.
    pub launches: u64,
}
