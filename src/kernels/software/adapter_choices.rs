//! The switch: how kernels divide their work on software adapters, and on others.

use crate::gpu::AdapterSummary;

/// The choices that depend on the kind of an adapter. They affect speed but not results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdapterChoices {
    /// Whether an invocation runs several vertices, or culls a run of triangles, one after the other.
    pub has_runs: bool,
    /// Whether an invocation draws a tile; else a workgroup does.
    pub invocations_draw_tiles: bool,
    /// Maximum number of tiles that one invocation visits for a primitive.
    ///
    /// An invocation bins up to 32 triangles one after the other. Clipping each may take 120 more iterations: over six
    /// planes 78 iterations of corners and planes, 25 of corners thereafter, and one for each loop's end. 32 × (384 + 121)
    /// iterations are within the software adapter's limit. One invocation takes some 0.16 ms for the 1200 tiles of a
    /// screen.
    pub large_tiles: u32,
    /// Workgroups of a dispatch of a launch: software adapters run a few at a time.
    pub launch_slots: u64,
    /// Whether lanes may access memory one after the other, so that a probe is worth its time.
    pub may_order_lanes: bool,
}

impl AdapterChoices {
    /// Those of software adapters.
    pub const SOFTWARE: Self = Self {
        has_runs: true,
        invocations_draw_tiles: true,
        large_tiles: 384,
        launch_slots: 16,
        may_order_lanes: true,
    };

    /// Those of others.
    pub const OTHERS: Self = Self {
        has_runs: false,
        invocations_draw_tiles: false,
        large_tiles: 64,
        launch_slots: 2048,
        may_order_lanes: false,
    };

    /// Those of an adapter.
    #[must_use]
    pub fn of(summary: &AdapterSummary) -> Self {
        if summary.is_software() { Self::SOFTWARE } else { Self::OTHERS }
    }
}

impl Default for AdapterChoices {
    fn default() -> Self {
        Self::OTHERS
    }
}
