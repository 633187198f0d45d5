//! The text of a tile kernel under construction, around the program that shades the quads.

use super::key::TileKernelKey;
use crate::recompiler::quad_program::QuadProgram;
use crate::recompiler::text::Text;

/// The state while the text of a tile kernel is written.
pub(super) struct TileText<'a> {
    /// What is baked into the kernel.
    pub(super) key: &'a TileKernelKey,
    /// The program that shades the quads.
    pub(super) program: &'a mut dyn QuadProgram,
    /// The lines so far.
    pub(super) text: Text,
}
