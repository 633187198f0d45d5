//! Emits the walk of an invocation over a tile: primitive by primitive, quad by quad, until the tile is drawn or the
//! invocation leaves it to the next dispatch.

use super::continuations::CONTINUATIONS;
use super::quad_traversal::{EdgeSource, steps};
use crate::pipeline::EngineError;
use crate::recompiler::text::Text;
use crate::recompiler::tiles::tile_text::TileText;

/// Declares the buffers that later dispatches read.
pub(crate) fn declare_progress(text: &mut Text) {
    text.line("// The primitive and the place in it where a tile continues; the number of the dispatch.");
    text.line("@group(0) @binding(9) var<storage, read_write> tile_progress: array<vec2u>;");
    text.line("// Three workgroup counts for each dispatch.");
    text.line("@group(0) @binding(10) var<storage, read_write> continuations: array<atomic<u32>>;");
}

impl TileText<'_> {
    /// Walks over the quads of a tile with one invocation.
    pub(crate) fn emit_walk(&mut self, is_fast: bool, is_uniform: bool) -> Result<(), EngineError> {
        self.emit_tile_start();
        if is_fast {
            self.emit_hidden_primitives();
        }
        self.text.open("loop {");
        if !is_fast || !self.emit_next_visible_primitive() {
            self.emit_next_primitive();
        }
        let edges = if is_fast && self.key.raster.is_triangles { EdgeSource::Weights } else { EdgeSource::Stored };
        self.emit_enter_counted_draw("quad_header.x");
        self.emit_primitive(edges);
        if !is_uniform {
            self.program.enter_primitive(&mut self.text);
        }
        if is_fast {
            self.emit_fast_path_check();
        }
        self.text.line("place = 0u;");
        self.text.open("loop {");
        self.emit_next_quad(is_fast, edges);
        if !is_uniform {
            self.emit_quad_inputs();
            self.program.shade(&mut self.text)?;
        }
        if is_fast {
            self.emit_stop("!no_value_underflowed");
        }
        self.emit_merge();
        // Lanes that leave at the end do not run the body again.
        self.text.line("if quad_x + 2u > x1 && quad_y + 2u > y1 { break; }");
        self.text.close();
        self.text.open("if stopped != NO_SETUP {");
        self.text.line("place = 0x1000u | ((quad_x - tile_x) & 63u) | (((quad_y - tile_y) & 63u) << 6u);");
        self.text.close();
        self.text.import("raster::tile_bins", "bin_is_done");
        self.text.line("if stopped != NO_SETUP || bin_is_done() { break; }");
        self.text.close();
        self.emit_progress();
        Ok(())
    }

    fn emit_tile_start(&mut self) {
        let text = &mut self.text;
        text.import("raster::tile_bins", "resume_bin");
        text.import("software::workgroup_swizzle", "swizzled_invocation");
        text.line("let walk = tile_parameters.walk;");
        let tiles = self.key.work.tiles_per_group();
        text.line(format!("let number_of_all = (group.y * groups.x + group.x) * {tiles}u + local;"));
        text.line(format!("let invocation = swizzled_invocation(number_of_all, groups.x * groups.y * {tiles}u);"));
        self.emit_touched_tile("invocation");
        let text = &mut self.text;
        text.import("software::iteration_budget", "loop_iterations");
        text.line("loop_iterations = 0u;");
        text.line(format!("let stopping_iterations = {}u;", self.key.rounds.stopping()));
        text.line("var stopped = NO_SETUP;");
        text.line("var number = 0u;");
        text.line("// Bits 5:0 and 11:6 are pixels from the tile's corner, where bit 12 is set.");
        text.line("var place = 0u;");
        text.import("raster::tile_bins", "find_large_setups");
        text.line("find_large_setups(tile);");
        text.line("enter_bin(tile);");
        text.open("if walk.x != 0u {");
        text.line("let progress = tile_progress[invocation];");
        text.line("if progress.x == NO_SETUP { return; }");
        text.line("resume_bin(tile, progress.x);");
        text.line("place = progress.y & 0x1fffu;");
        text.line("number = progress.y >> 16u;");
        text.close();
    }

    /// Advances to the next primitive in the tile's bin.
    fn emit_next_primitive(&mut self) {
        let text = &mut self.text;
        text.import("raster::tile_bins", "next_setup");
        text.line("let setup = next_setup();");
        text.line("if setup == NO_SETUP { break; }");
        text.line(format!("loop_iterations += {}u;", self.key.rounds.of_primitive()));
        self.emit_load_setup();
    }

    /// Stores the position at which the tile continues, and that it does.
    fn emit_progress(&mut self) {
        let tiles = self.key.work.tiles_per_group();
        let text = &mut self.text;
        text.line(format!("let next = (number + 1u) % {CONTINUATIONS}u;"));
        text.line("tile_progress[invocation] = vec2u(stopped, place | (next << 16u));");
        text.open("if stopped != NO_SETUP {");
        text.line(format!("let next_groups = (tile_count + {}u) / {tiles}u;", tiles - 1));
        text.line("atomicStore(&continuations[3u * next], min(next_groups, 65535u));");
        text.line("atomicStore(&continuations[3u * next + 1u], (next_groups + 65534u) / 65535u);");
        text.line("atomicStore(&continuations[3u * next + 2u], 1u);");
        text.close();
    }

    fn emit_quad_inputs(&mut self) {
        for input in self.program.inputs() {
            let name = input.name();
            let value = match steps(input, self.key.quads.wraps_coordinates) {
                Some((_, _, function, argument)) => {
                    self.text.import("interp::interpolate", function);
                    let separator = if argument.is_empty() { "" } else { ", " };
                    format!("{function}({argument}{separator}corners_{name})")
                }
                None => self.key.quads.input_call(&mut self.text, input),
            };
            self.text.line(format!("let {name} = {value};"));
        }
    }
}
