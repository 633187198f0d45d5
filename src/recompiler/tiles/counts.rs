//! Counts the work of a tile kernel: each quad once, when it is merged or skipped because of its depth.
//!
//! A tile holds the counts of the current draw, because merged draws are counted separately. It adds them when a
//! primitive of another draw follows, and at its end. A quad that a later dispatch restarts is not counted before.

use super::key::{TileKernelKey, TileWork};
use super::tile_text::TileText;
use crate::counters::StageCount;
use crate::pipeline::SampleMode;
use crate::recompiler::rop::counts::{self, Tally, Tallying};
use crate::recompiler::text::Text;

impl TileKernelKey {
    /// Whether the kernel counts its work.
    pub(crate) const fn counts(&self) -> bool {
        self.merge.counting.is_some()
    }

    /// How the kernel counts the outcomes of tests, if it does.
    pub(crate) fn tallying(&self) -> Tallying {
        let has_samples = self.quads.samples != SampleMode::One || self.merge.multisampling.is_some();
        if has_samples || self.quads.has_alpha_coverage { Tallying::Samples } else { Tallying::Tile }
    }

    /// Whether a quad counts as shaded only if one of its pixels passed all tests.
    const fn tests_early(&self) -> bool {
        matches!(self.merge.counting, Some(counting) if counting.tests_early)
    }

    /// Whether quads may be skipped because of their depth before they are shaded: if they are counted, only if shading
    /// them would not count.
    pub(crate) fn skips_hidden_quads(&self) -> bool {
        !self.counts() || self.tests_early() && self.tallying() == Tallying::Tile
    }
}

impl TileText<'_> {
    /// The variables that count the program's work for a quad, with their word index.
    fn work_words(&self) -> Vec<(usize, String)> {
        self.program.work_words().into_iter().enumerate().filter(|(_, word)| word != "0u").collect()
    }

    /// Whether primitives that cover a whole tile may be counted without a traversal: by invocations that walk over it.
    fn counts_covering_primitives(&self) -> bool {
        let walks = self.key.work == TileWork::Invocation;
        walks && self.key.counts() && (self.overwrites() || self.early_test().is_some())
    }

    /// Declares the counts of the current draw, and the function that adds them to those of its tiles.
    ///
    /// The counts use few variables, because each is carried through three loops: fragments and quads have 16 bits
    /// each, and so have those that passed. A primitive has at most 1024 fragments in a tile, and the counts are added
    /// before they overflow.
    pub(crate) fn declare_tile_counts(&mut self) {
        if !self.key.counts() {
            return;
        }
        let flow = self.work_words();
        let tallies = counts::tallies(&self.key.merge, self.key.tallying());
        let counts_all = self.key.tallying() == Tallying::Samples;
        let (can_discard, has_covering) = (self.program.discards(), self.counts_covering_primitives());
        let mut names = vec!["tile_begun".to_owned(), "tile_passed".to_owned()];
        names.extend(counts_all.then(|| "tile_samples".to_owned()));
        names.extend(can_discard.then(|| "tile_killed".to_owned()));
        names.extend(has_covering.then(|| "tile_covering".to_owned()));
        names.extend(tallies.iter().map(|tally| tally.name.to_owned()));
        names.extend(flow.iter().map(|(word, _)| format!("tile_word{word}")));
        let text = &mut self.text;
        text.import_all(&[
            ("counters::draw_counts", "add_low_word"),
            ("counters::draw_counts", "counters"),
            ("counters::draw_counts", "carry_counts"),
            ("raster::parameters", "raster"),
            ("setup::primitive_setup", "RECORD_DRAW_SHIFT"),
        ]);
        text.line("// The first count of the draw at hand, and what it did in the tile. Bits 15:0 are fragments, 31:16 quads.");
        text.line("var<private> counted_first: u32;");
        text.line("// The same of the first draw.");
        text.line("var<private> counted_stripe: u32;");
        names.iter().for_each(|name| text.line(format!("var<private> {name}: u32;")));
        text.open("fn add_tile_counts(corner: vec2u, tile_last: u32) {");
        let covering = if has_covering {
            text.import("software::covering_primitive", "covered_of_tile");
            "tile_covering * covered_of_tile(corner, tile_last)"
        } else {
            "vec2u(0u)"
        };
        text.line(format!("let begun = vec2u(tile_begun >> 16u, tile_begun & 0xffffu) + {covering};"));
        text.line("let passed = vec2u(tile_passed >> 16u, tile_passed & 0xffffu);");
        let mut amounts = vec![(StageCount::Quads as usize, "begun.x"), (StageCount::Fragments as usize, "begun.y")];
        amounts.extend(can_discard.then_some((StageCount::Killed as usize, "tile_killed")));
        amounts.extend(tallies.iter().map(|Tally { name, count }| (*count as usize, *name)));
        amounts.extend(self.key.tests_early().then_some((StageCount::PassingQuads as usize, "passed.x")));
        if counts_all {
            amounts.extend([
                (StageCount::Samples as usize, "tile_samples"),
                (StageCount::PassingFragments as usize, "passed.y"),
            ]);
        } else if self.key.merge.zeta.is_some() && !counts::tells_faces(&self.key.merge) {
            amounts.push((StageCount::PassedFront as usize, "passed.y"));
        }
        let words: Vec<_> = flow.iter().map(|(word, _)| (*word, format!("tile_word{word}"))).collect();
        amounts.extend(words.iter().map(|(word, name)| (StageCount::UniformTaken as usize + word, name.as_str())));
        emit_additions(text, &mut amounts);
        names.iter().for_each(|name| text.line(format!("{name} = 0u;")));
        text.close();
        text.line("// Makes the draw of a primitive the one at hand.");
        text.open("fn enter_counted_draw(flags: u32, corner: vec2u, tile_last: u32) {");
        text.line("let first = counted_stripe + (flags >> RECORD_DRAW_SHIFT) * raster.counts.y;");
        text.open("if counted_first != first || (tile_begun & 0x8000u) != 0u {");
        text.line("add_tile_counts(corner, tile_last);");
        text.line("counted_first = first;");
        text.close();
        text.close();
    }

    /// Begins the counts of a tile.
    pub(crate) fn emit_tile_count_start(&mut self) {
        if self.key.counts() {
            let text = &mut self.text;
            text.line("let stripe = (group.y * groups.x + group.x) * raster.counts.w / (groups.x * groups.y);");
            text.line("counted_stripe = raster.counts.x + stripe * raster.counts.z;");
            text.line("counted_first = counted_stripe;");
        }
    }

    /// Adds the counts of the tile.
    pub(crate) fn emit_tile_count_end(&mut self) {
        if self.key.counts() {
            self.text.line("add_tile_counts(vec2u(tile_x, tile_y), tile_last);");
        }
    }

    /// Makes the draw of the primitive with these flags the counted one; takes
    /// [`ENTER_ITERATIONS`](crate::recompiler::software::iteration_budget::ENTER_ITERATIONS).
    pub(crate) fn emit_enter_counted_draw(&mut self, flags: &str) {
        if self.key.counts() {
            self.text.line(format!("enter_counted_draw({flags}, vec2u(tile_x, tile_y), tile_last);"));
        }
    }

    /// Counts the current quad if it was skipped, that is, if `found` is 0.
    pub(crate) fn emit_skipped_quad_count(&mut self) {
        if self.key.counts() {
            self.text.import("fragment::count_pixels", "counted_quad");
            self.text.line("let skipped = select(quad_coverage(), 0u, found != 0u);");
            self.text.line("tile_begun += counted_quad(skipped);");
            counts::skipped_by_stencil(&self.key.merge).iter().for_each(|line| self.text.line(line));
        }
    }

    /// Counts the merged quad.
    pub(crate) fn emit_merged_quad_count(&mut self) {
        if !self.key.counts() {
            return;
        }
        let flow = self.work_words();
        let can_discard = self.program.discards();
        let text = &mut self.text;
        text.import("fragment::count_pixels", "counted_quad");
        let counts_all = self.key.tallying() == Tallying::Samples;
        let begun = if counts_all { "bits_of(begun_pixels)" } else { "quad_coverage()" };
        text.line(format!("let begun = {begun};"));
        text.line("tile_begun += counted_quad(begun);");
        if self.key.quads.samples != SampleMode::One {
            text.line("tile_samples += select(0u, countOneBits(sample_coverage), begun != 0u);");
        }
        if can_discard {
            text.import("fragment::count_pixels", "bit_count");
            text.line("tile_killed += bit_count(begun & ~covered);");
        }
        if counts_all || self.key.merge.zeta.is_some() {
            let passed = if counts_all { "passed_pixels" } else { "alive" };
            text.line(format!("let all_passed = count_pixels({passed});"));
            text.line("tile_passed += all_passed | (min(all_passed, 1u) << 16u);");
        }
        let is_counted = if self.key.tests_early() { "all_passed != 0u" } else { "begun != 0u" };
        if !flow.is_empty() {
            text.line(format!("let is_counted = {is_counted};"));
        }
        for (word, value) in &flow {
            text.line(format!("tile_word{word} += select(0u, {value}, is_counted);"));
        }
    }
}

/// Adds amounts to counts of the current draw.
///
/// Carries into high words are added after all counts whose carries fit a word: on llvmpipe an atomic operation is a
/// loop over eight lanes, which runs even if no lane carries.
fn emit_additions(text: &mut Text, amounts: &mut [(usize, &str)]) {
    amounts.sort_unstable();
    for chunk in amounts.chunk_by(|first, second| first.0 / 32 == second.0 / 32) {
        let start = chunk[0].0 / 32 * 32;
        let carries = text.name("carries");
        text.line(format!("var {carries} = 0u;"));
        for (count, amount) in chunk {
            let bit = count - start;
            text.line(format!("{carries} |= add_low_word(counted_first + {count}u, {amount}) << {bit}u;"));
        }
        text.line(format!("carry_counts(counted_first + {start}u, {carries});"));
    }
}
