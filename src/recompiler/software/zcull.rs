//! Skips primitives behind everything that a tile shows: tests a bound of their depth before it computes coverage.

use crate::recompiler::raster_block::{CLAMPS_DEPTH, POLYGON_STIPPLE, WINDOW_CLIP};
use crate::recompiler::rop::depth;
use crate::recompiler::tiles::tile_text::TileText;

impl TileText<'_> {
    /// Advances to the next primitive in the tile's bin with a pixel that may pass the depth test, regardless of the
    /// primitive's coverage. Returns false, and emits nothing, if failed tests have effects or shading costs no more
    /// than the tests.
    ///
    /// This is the only end of the loop over primitives, because llvmpipe runs anything after it for every primitive.
    pub(crate) fn emit_next_visible_primitive(&mut self) -> bool {
        if self.early_test().is_none() || self.key.raster.flags & CLAMPS_DEPTH != 0 {
            return false;
        }
        // A pixel that fails both tests counts as a stencil failure.
        if self.key.counts() && self.key.merge.has_stencil() {
            return false;
        }
        let Some(test) = depth::bound_test(&self.key.merge) else { return false };
        let text = &mut self.text;
        text.import_all(&[
            ("raster::tile_bins", "next_setup"),
            ("software::fast_path_range", "setup_takes_fast_path"),
            ("software::depth_bounds", "depth_bound"),
        ]);
        text.line("var setup = NO_SETUP;");
        text.line("var may_pass = false;");
        text.open("while !may_pass {");
        text.line("setup = next_setup();");
        text.line("if setup == NO_SETUP { break; }");
        text.line(format!("loop_iterations += {}u;", 6 + self.key.rounds.counting));
        self.emit_load_setup();
        self.emit_primitive_bounds();
        let text = &mut self.text;
        let (bits, prefers_greater) = (test.bits, test.prefers_greater);
        text.line(format!("let bound = depth_bound(vec2u(x0, y0), vec2u(x1, y1), {bits}u, {prefers_greater});"));
        text.line("// A bound holds for primitives on the fast path only; a tile stops in front of a primitive, and continues in");
        text.line("// the one where it stopped.");
        text.line("may_pass = !setup_takes_fast_path() || loop_iterations > stopping_iterations || place != 0u;");
        text.line("var look_x = x0;");
        text.line("var look_y = y0;");
        text.open("while !may_pass && look_y <= y1 {");
        text.line("loop_iterations += 1u;");
        text.line("let x = vec4u(look_x, look_x + 1u, look_x, look_x + 1u);");
        text.line("let y = vec4u(look_y, look_y, look_y + 1u, look_y + 1u);");
        test.load.lines().for_each(|line| text.line(line.trim_start()));
        text.line(format!("may_pass = any({});", test.passes));
        text.line("let ends_row = look_x + 2u > x1;");
        text.line("look_y += select(0u, 2u, ends_row);");
        text.line("look_x = select(look_x + 2u, x0, ends_row);");
        text.close();
        if self.key.counts() {
            self.emit_culled_primitive_count();
        }
        let text = &mut self.text;
        text.close();
        text.line("if setup == NO_SETUP { break; }");
        text.line(format!("loop_iterations += {}u;", self.key.rounds.of_primitive()));
        true
    }

    /// Counts a primitive without passing pixels if it is within the depth range; others are traversed as if a pixel
    /// might pass.
    fn emit_culled_primitive_count(&mut self) {
        let text = &mut self.text;
        text.import_all(&[
            ("raster::count_coverage", "counted_coverage"),
            ("software::covering_primitive", "edges_cover_tile"),
            ("software::covering_primitive", "is_in_depth_range"),
            ("interp::interpolate", "setup_depth"),
        ]);
        let edges = if self.key.raster.is_triangles {
            text.import("interp::interpolate", "setup_weights");
            text.import("setup::primitive_setup", "linear_without_ties");
            // The primitive takes the fast path, so it is not clipped.
            let [a, b, c] = [0, 1, 2].map(|edge| format!("linear_without_ties(setup_weights[{edge}])"));
            format!("{a}, {b}, {c}, vec4i(0)")
        } else {
            text.import("setup::load_setup", "stored_edge");
            [0, 1, 2, 3].map(|edge| format!("stored_edge(setup, {edge}u)")).join(", ")
        };
        text.line(format!("let setup_edges = array<vec4i, 4>({edges});"));
        let cuts_pixels = self.key.raster.flags & (POLYGON_STIPPLE | WINDOW_CLIP) != 0;
        let covers = if cuts_pixels {
            "false"
        } else {
            "edges_cover_tile(quad_header, setup_edges, vec2u(tile_x, tile_y), tile_last)"
        };
        text.line("may_pass = may_pass || !is_in_depth_range(setup_depth);");
        text.line(format!("let covers = {covers};"));
        text.open("if !may_pass {");
        self.emit_enter_counted_draw("quad_header.x");
        let text = &mut self.text;
        text.line("tile_covering += select(0u, 1u, covers);");
        text.open("if !covers {");
        text.line("tile_begun += counted_coverage(setup, quad_header, setup_edges, vec2u(x0, y0), vec2u(x1, y1));");
        text.close();
        text.close();
    }
}
