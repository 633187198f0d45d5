//! Sizes of tiles, batches and lists, which speed depends on and results do not.

/// Sizes that speed depends on and results do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeometryOptions {
    /// Columns and rows of a tile: 8, 16 or 32.
    pub tile_size: u32,
    /// Most primitives of a batch.
    pub batch_primitives: u32,
    /// Most quads of a round.
    pub quad_capacity: u32,
    /// Fewest filled triangles of a draw that are culled before they are set up.
    pub least_culled: u32,
    /// How many triangles one invocation culls, 1 or 32; what suits the adapter unless given.
    pub run_triangles: Option<u32>,
    /// How many tiles one invocation visits for a primitive, before others do so; what suits the adapter unless given.
    pub large_tiles: Option<u32>,
    /// Most loop iterations of one invocation; what the adapter runs unless given.
    pub most_loop_iterations: Option<u32>,
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
            most_loop_iterations: None,
        }
    }
}
