//! Emits the depth and stencil tests of a quad before it is shaded.

use super::tile_text::TileText;
use crate::recompiler::rop::depth;

impl TileText<'_> {
    /// Removes the pixels of the current quad that fail the depth and stencil tests from `found`.
    pub(crate) fn emit_early_test(&mut self, test: &str) {
        let text = &mut self.text;
        text.line("let x = columns;");
        text.line("let y = rows;");
        text.line("let shaded_depth = quad_depth();");
        text.line("let head = vec4u(0u, 0u, select(0u, 1u, quad_is_front()), 0u);");
        test.lines().for_each(|line| text.line(line.trim_start()));
        text.line("tested_zeta = zeta;");
        text.line("tested_depth = depth;");
        text.line("found = quad_coverage() & dot(select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), passes_early), vec4u(1u));");
        self.emit_skipped_quad_count();
    }

    /// The text of the depth and stencil tests, if skipping quads that fail them is allowed and cheaper than shading them.
    pub(crate) fn early_test(&self) -> Option<String> {
        let is_worth = self.program.costs_more_than_tests();
        let is_possible = self.key.skips_hidden_quads() && self.key.merge.multisampling.is_none();
        (is_worth && is_possible).then(|| depth::early_test(&self.key.merge, self.program.exports_depth())).flatten()
    }
}
