//! Leaves out opaque records that a later one of the same draw covers in all of a tile.

use super::Generator;
use super::tile_key::TileKernelKey;
use crate::isa::nv40_fragment::FragmentOpcode;
use crate::program::fragment::FragmentNode;
use crate::reference::raster_parameters::{POLYGON_STIPPLE, WINDOW_CLIP};

/// Records of a tile that are looked at.
const RECORDS: u32 = 64;

impl Generator<'_> {
    /// Begins the tile at the last record that covers all of it, where what is drawn depends on nothing below.
    pub(super) fn emit_hidden_records(&mut self, key: &TileKernelKey) {
        if !self.overwrites(key) {
            return;
        }
        let text = &mut self.text;
        text.import("covering_record", "covers_tile");
        text.import("tile_bins", "next_record");
        text.open("if walk.x == 0u {");
        text.line("var covering = NO_RECORD;");
        text.line("var looked = 0u;");
        text.open(format!("while looked < {RECORDS}u {{"));
        text.line("let candidate = next_record();");
        text.line("if candidate == NO_RECORD { break; }");
        text.line("looked += 1u;");
        text.line("if covers_tile(candidate, vec2u(tile_x, tile_y), tile_last) { covering = candidate; }");
        text.close();
        text.line("// A round each, two in the bin, and those of the bin's summary and of leaving.");
        text.line("loop_rounds += 3u * looked + 132u;");
        text.line("if covering == NO_RECORD { enter_bin(tile); } else { resume_bin(tile, covering); }");
        text.close();
    }

    /// Whether every covered pixel is written whole, whatever lay there.
    fn overwrites(&self, key: &TileKernelKey) -> bool {
        let can_discard = self.key.discarding_units != 0
            || self.needs.has_flow
            || self.key.body.iter().any(
                |node| matches!(node, FragmentNode::Operation(operation) if operation.opcode == FragmentOpcode::Kil),
            );
        !can_discard
            && key.rounds.clip_planes == 0
            && key.raster.flags & (POLYGON_STIPPLE | WINDOW_CLIP) == 0
            && key.merge.overwrites()
    }
}
