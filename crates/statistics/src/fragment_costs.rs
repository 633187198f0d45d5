//! Defines what the parts of a fragment program cost: runs of operations, flow instructions, and the whole.

use super::fragment_passes::Pass;

/// The operations between two flow instructions.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct RunSchedule {
    /// How many operations it has.
    pub operations: usize,
    /// Positions of fences, which take no slot.
    pub fences: Vec<usize>,
    /// Its passes; a quad takes one clock for each.
    pub passes: Vec<Pass>,
}

/// Cycles of a flow instruction together with the instructions that close it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct FlowCost {
    /// Cycles per execution; for loops, including the first iteration.
    pub each: u32,
    /// Cycles per further iteration of a loop.
    pub further_round: u32,
}

/// The least and the most clocks that a quad can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct ClockBounds {
    /// On the shortest path.
    pub fewest: u64,
    /// With both sides of every IF and all iterations of every loop.
    pub most: u64,
}
