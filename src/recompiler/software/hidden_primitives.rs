//! Skips opaque primitives if a later one of the same draw covers the whole tile.

use crate::recompiler::raster_block::{POLYGON_STIPPLE, WINDOW_CLIP};
use crate::recompiler::tiles::tile_text::TileText;

/// Maximum number of primitives in a tile that are checked.
const PRIMITIVES: u32 = 64;

impl TileText<'_> {
    /// Starts the tile at the last primitive that covers all of it, if the result does not depend on what lies below.
    pub(crate) fn emit_hidden_primitives(&mut self) {
        // A primitive that covers the tile inside its own viewport may leave pixels of others.
        if !self.overwrites() || self.key.quads.selects_viewports {
            return;
        }
        let text = &mut self.text;
        text.import("software::covering_primitive", "covers_tile");
        text.import("raster::tile_bins", "next_setup");
        text.open("if walk.x == 0u {");
        text.line("var covering = NO_SETUP;");
        text.line("var looked = 0u;");
        text.open(format!("while looked < {PRIMITIVES}u {{"));
        text.line("let candidate = next_setup();");
        text.line("if candidate == NO_SETUP { break; }");
        text.line("looked += 1u;");
        text.line("let covers = covers_tile(candidate, vec2u(tile_x, tile_y), tile_last);");
        if self.key.counts() {
            self.emit_hidden_primitive_count();
        } else {
            text.line("if covers { covering = candidate; }");
        }
        let text = &mut self.text;
        text.close();
        text.line("// An iteration each, two in the bin, and those of the bin's summary and of leaving.");
        text.line(format!("loop_iterations += {}u * looked + 132u;", 3 + self.key.rounds.counting));
        text.line("if covering == NO_SETUP { enter_bin(tile); } else { resume_bin(tile, covering); }");
        text.close();
    }

    /// Makes the candidate the covering primitive, if all earlier primitives cover the tile as well; counts the
    /// primitive that it hides.
    fn emit_hidden_primitive_count(&mut self) {
        self.text.import("setup::load_setup", "stored_header");
        self.text.open("if covers && covering != NO_SETUP {");
        self.emit_enter_counted_draw("stored_header(covering).x");
        self.text.line("tile_covering += 1u;");
        self.text.close();
        self.text.line("if !covers { break; }");
        self.text.line("covering = candidate;");
    }

    /// Whether every covered pixel is fully overwritten, whatever was stored.
    pub(crate) fn overwrites(&self) -> bool {
        !self.program.discards()
            && self.key.rounds.clip_planes == 0
            && self.key.raster.flags & (POLYGON_STIPPLE | WINDOW_CLIP) == 0
            && self.key.merge.overwrites()
    }
}
