//! Sizes of tiles, batches and lists; they affect speed but not results.

use crate::recompiler::tiles::key::TileWork;

/// Sizes that affect speed but not results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeometryOptions {
    /// Columns and rows of a tile: 8, 16 or 32.
    pub tile_size: u32,
    /// Maximum number of primitives in a batch.
    pub batch_primitives: u32,
    /// Maximum number of quads in a round.
    pub quad_capacity: u32,
    /// Minimum number of filled triangles in a draw that is culled before set-up.
    pub least_culled: u32,
    /// How many triangles one invocation culls, 1 or 32; the default depends on the adapter.
    pub run_triangles: Option<u32>,
    /// How many tiles one invocation visits for a primitive before other invocations take over; the default depends on
    /// the adapter.
    pub large_tiles: Option<u32>,
    /// Maximum number of loop iterations of one invocation; the default is the adapter's limit.
    pub max_loop_iterations: Option<u32>,
    /// How tile kernels divide their work.
    pub tile_work: TileWork,
}

impl Default for GeometryOptions {
    fn default() -> Self {
        Self {
            tile_size: 16,
            batch_primitives: 1 << 17,
            quad_capacity: 1 << 19,
            least_culled: 256,
            run_triangles: None,
            large_tiles: None,
            max_loop_iterations: None,
            tile_work: TileWork::Invocation,
        }
    }
}
