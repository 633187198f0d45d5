//! What a replay collects, and where it stops.

/// Where a replay stops, what it collects, and which conditions are errors.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReplayOptions {
    /// Stops after the submission with this sequence number.
    pub until: Option<u32>,
    /// Stops after the draw with this number, from 0, counting those that the engine accepts.
    pub until_draw: Option<u64>,
    /// Hashes each buffer that the client can read after the chip may have written it.
    pub readbacks: bool,
    /// Unknown methods, classes and values are errors.
    pub strict: bool,
}
