//! Counts what a kernel of whole tiles does: each quad once, when it is merged or left out by its depth.
//!
//! A tile holds the counts of the draw at hand, as draws that are drawn as one are counted apart, and adds them when a record of
//! another draw follows and at its end. A quad that a later dispatch begins again has not been counted.

use super::Generator;
use super::tile_key::TileKernelKey;
use crate::counters::StageCount;
use crate::isa::nv40_fragment::FragmentOpcode;
use crate::program::fragment::FragmentNode;
use crate::recompiler::merge_counts::{self, Tally};

/// Rounds of loops that a record may take to be counted; those of the records that are walked contain them.
const ENTER_ROUNDS: u64 = 2;

impl TileKernelKey {
    /// Whether what the kernel does is counted.
    pub(super) const fn counts(&self) -> bool {
        self.merge.counting.is_some()
    }

    /// Rounds of loops that counting takes for a record that is not walked.
    pub(super) const fn counting_rounds(&self) -> u64 {
        if self.counts() { ENTER_ROUNDS } else { 0 }
    }

    /// Whether only those quads count as shaded of which a pixel passed all tests.
    const fn tests_early(&self) -> bool {
        matches!(self.merge.counting, Some(counting) if counting.tests_early)
    }

    /// Whether quads may be left out for their depth before they are shaded: where they are counted, only if shading them would
    /// not count.
    pub(super) const fn skips_hidden_quads(&self) -> bool {
        !self.counts() || self.tests_early()
    }
}

impl Generator<'_> {
    /// Whether shading may discard pixels.
    pub(super) fn program_discards(&self) -> bool {
        self.key.discarding_units != 0
            || self.needs.has_flow
            || self.key.body.iter().any(
                |node| matches!(node, FragmentNode::Operation(operation) if operation.opcode == FragmentOpcode::Kil),
            )
    }

    /// Declares the counts of the draw at hand, and how they are added to those of its tiles.
    pub(super) fn declare_tile_counts(&mut self, key: &TileKernelKey) {
        if !key.counts() {
            return;
        }
        let flow = self.flow_words();
        let tallies = merge_counts::tallies(&key.merge, true);
        let text = &mut self.text;
        for (module, item) in [
            ("draw_counts", "add_count"),
            ("draw_counts", "counters"),
            ("raster_parameters", "raster"),
            ("set_up_record", "RECORD_DRAW_SHIFT"),
        ] {
            text.import(module, item);
        }
        text.line(
            "// The first count of the draw at hand; its quads, fragments, discarded fragments, quads that passed.",
        );
        text.line("var<private> counted_first: u32;");
        text.line("var<private> tile_quads: u32;");
        text.line("var<private> tile_fragments: u32;");
        text.line("var<private> tile_killed: u32;");
        text.line("var<private> tile_passing: u32;");
        tallies.iter().for_each(|tally| text.line(format!("var<private> {}: vec4u;", tally.name)));
        (0..flow.len()).for_each(|word| text.line(format!("var<private> tile_flow{word}: u32;")));
        text.open("fn add_tile_counts() {");
        let sum = |tally: &Tally| format!("dot({}, vec4u(1u))", tally.name);
        let mut add = |count: usize, amount: &str| text.line(format!("add_count(counted_first + {count}u, {amount});"));
        let mut others = "tile_fragments - tile_killed".to_owned();
        let mut passed = Vec::new();
        for tally in &tallies {
            others = format!("{others} - {}", sum(tally));
            add(tally.count as usize, &sum(tally));
            if matches!(tally.count, StageCount::PassedFront | StageCount::PassedBack) {
                passed.push(sum(tally));
            }
        }
        if let Some(count) = merge_counts::count_of_others(&key.merge) {
            add(count as usize, &others);
        }
        for (count, amount) in [
            (StageCount::Quads, "tile_quads"),
            (StageCount::Fragments, "tile_fragments"),
            (StageCount::Killed, "tile_killed"),
        ] {
            add(count as usize, amount);
        }
        if key.tests_early() {
            add(StageCount::PassingQuads as usize, "tile_passing");
            add(StageCount::PassingFragments as usize, &passed.join(" + "));
        }
        for word in 0..flow.len() {
            add(StageCount::UniformTaken as usize + word, &format!("tile_flow{word}"));
        }
        for name in ["tile_quads", "tile_fragments", "tile_killed", "tile_passing"] {
            text.line(format!("{name} = 0u;"));
        }
        tallies.iter().for_each(|tally| text.line(format!("{} = vec4u(0u);", tally.name)));
        (0..flow.len()).for_each(|word| text.line(format!("tile_flow{word} = 0u;")));
        text.close();
        text.line("// Makes the draw of a record the one at hand.");
        text.open("fn enter_counted_draw(flags: u32) {");
        text.line("let first = raster.counts.x + (flags >> RECORD_DRAW_SHIFT) * raster.counts.y;");
        text.open("while counted_first != first {");
        text.line("add_tile_counts();");
        text.line("counted_first = first;");
        text.close();
        text.close();
    }

    /// Begins the counts of a tile.
    pub(super) fn emit_tile_count_start(&mut self, key: &TileKernelKey) {
        if key.counts() {
            self.text.line("counted_first = raster.counts.x;");
        }
    }

    /// Adds what the tile has counted.
    pub(super) fn emit_tile_count_end(&mut self, key: &TileKernelKey) {
        if key.counts() {
            self.text.line("add_tile_counts();");
        }
    }

    /// Makes the draw of the record with these flags the one that is counted; takes rounds of [`TileKernelKey::counting_rounds`].
    pub(super) fn emit_enter_counted_draw(&mut self, key: &TileKernelKey, flags: &str) {
        if key.counts() {
            self.text.line(format!("enter_counted_draw({flags});"));
        }
    }

    /// Counts the quad at hand where it was left out, which is where `found` is 0.
    pub(super) fn emit_skipped_quad_count(&mut self, key: &TileKernelKey) {
        if key.counts() {
            self.text.import("count_pixels", "bit_count");
            self.text.line("let skipped = select(quad_coverage(), 0u, found != 0u);");
            self.text.line("tile_quads += min(skipped, 1u);");
            self.text.line("tile_fragments += bit_count(skipped);");
        }
    }

    /// Counts a record of the draw at hand that covers all of the tile, and of which no pixel passes.
    pub(super) fn emit_covering_record_count(&mut self) {
        self.text.import("covering_record", "covered_of_tile");
        self.text.line("let covered_pixels = covered_of_tile(vec2u(tile_x, tile_y), tile_last);");
        self.text.line("tile_quads += covered_pixels.x;");
        self.text.line("tile_fragments += covered_pixels.y;");
    }

    /// Counts the quad that has been merged.
    pub(super) fn emit_merged_quad_count(&mut self, key: &TileKernelKey) {
        if !key.counts() {
            return;
        }
        let flow = self.flow_words();
        let can_discard = self.program_discards();
        let text = &mut self.text;
        text.import("count_pixels", "bit_count");
        text.line("let begun = quad_coverage();");
        text.line("tile_quads += min(begun, 1u);");
        text.line("tile_fragments += bit_count(begun);");
        if can_discard {
            text.line("tile_killed += bit_count(begun & ~covered);");
        }
        if key.tests_early() {
            text.line("let passes = any(alive);");
            text.line("tile_passing += select(0u, 1u, passes);");
        }
        if !flow.is_empty() {
            text.line(format!("let is_counted = {};", if key.tests_early() { "passes" } else { "begun != 0u" }));
        }
        for (word, value) in flow.iter().enumerate() {
            text.line(format!("tile_flow{word} += select(0u, {value}, is_counted);"));
        }
    }
}
