//! Leaves out records that lie behind all that a tile shows: by a bound of their depth, before any quad is covered.

use super::Generator;
use super::tile_key::TileKernelKey;
use crate::recompiler::merge_depth;
use crate::reference::raster_parameters::CLAMPS_DEPTH;

impl Generator<'_> {
    /// Ends the walk over the record at hand before it begins where each pixel of its rectangle in the tile fails the depth
    /// test, whatever it covers. Only of plain records, and where a failed test has no effect.
    pub(super) fn emit_depth_cull(&mut self, key: &TileKernelKey) {
        if self.early_depth_test(key).is_none() || key.raster.flags & CLAMPS_DEPTH != 0 {
            return;
        }
        let Some(test) = merge_depth::bound_test(&key.merge) else { return };
        let text = &mut self.text;
        text.import("depth_bounds", "depth_bound");
        let (bits, prefers_greater) = (test.bits, test.prefers_greater);
        text.line(format!("let bound = depth_bound(vec2u(x0, y0), vec2u(x1, y1), {bits}u, {prefers_greater});"));
        text.line("var may_pass = false;");
        text.line("var look_x = x0;");
        text.line("var look_y = y0;");
        text.open("while !may_pass && look_y <= y1 {");
        text.line("rounds += 1u;");
        text.line("let x = vec4u(look_x, look_x + 1u, look_x, look_x + 1u);");
        text.line("let y = vec4u(look_y, look_y, look_y + 1u, look_y + 1u);");
        test.load.lines().for_each(|line| text.line(line.trim_start()));
        text.line(format!("may_pass = any({});", test.passes));
        text.line("let ends_row = look_x + 2u > x1;");
        text.line("look_y += select(0u, 2u, ends_row);");
        text.line("look_x = select(look_x + 2u, x0, ends_row);");
        text.close();
        text.line("walk_y = select(y1 + 2u, walk_y, may_pass);");
    }
}
