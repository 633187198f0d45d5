//! The text of a tile kernel under construction, around the program that shades the quads.

use super::key::TileKernelKey;
use crate::recompiler::quad_program::QuadProgram;
use crate::recompiler::text::Text;

/// The state while the text of a tile kernel is written.
pub(crate) struct TileText<'a> {
    /// What is baked into the kernel.
    pub(crate) key: &'a TileKernelKey,
    /// The program that shades the quads.
    pub(crate) program: &'a mut dyn QuadProgram,
    /// The lines so far.
    pub(crate) text: Text,
}

impl TileText<'_> {
    /// Makes the primitive `setup` the current one.
    pub(crate) fn emit_load_setup(&mut self) {
        self.text.import("interp::interpolate", "load_setup");
        self.text.import("interp::interpolate", "quad_header");
        self.text.line("load_setup(setup);");
        self.key.quads.emit_viewport(&mut self.text, "quad_header");
    }
}
