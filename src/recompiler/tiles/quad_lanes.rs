//! Emits the walk of a workgroup over a tile: each invocation owns a quad of the tile and draws on it the primitives that
//! cover it, in submission order.
//!
//! No invocation touches the pixels of another, so that they need no barrier after they found large primitives together.
//! Each looks for the next primitive that covers its quad before any of them shades, so that a workgroup shades the
//! fragments of several small primitives together.

use super::tile_text::TileText;
use crate::pipeline::SampleMode;
use crate::recompiler::rop::counts::Tallying;
use crate::recompiler::sample_positions::{coverage_module, position_constants};

impl TileText<'_> {
    /// Declares the constants of the coverage at samples.
    pub(crate) fn declare_sample_positions(&mut self) {
        let mode = self.key.quads.samples;
        if mode != SampleMode::One {
            self.text.line(position_constants(mode));
        }
    }

    /// Finds the invocation's quad.
    pub(crate) fn emit_own_quad(&mut self) {
        let text = &mut self.text;
        text.line("let quad_row_shift = raster.round.x - 1u;");
        text.line("let quad_x = tile_x + 2u * (local & ((1u << quad_row_shift) - 1u));");
        text.line("let quad_y = tile_y + 2u * (local >> quad_row_shift);");
        text.line("let columns = vec4u(quad_x, quad_x + 1u, quad_x, quad_x + 1u);");
        text.line("let rows = vec4u(quad_y, quad_y, quad_y + 1u, quad_y + 1u);");
    }

    /// Makes the next primitive of the bin that covers the quad the current one, with its coverage in `found`; leaves the
    /// loop if there is none.
    pub(crate) fn emit_next_covering_primitive(&mut self) {
        let early = self.early_test();
        let coverage = coverage_module(self.key.quads.samples);
        let text = &mut self.text;
        text.import_all(&[
            ("interp::interpolate", "enter_quad_depth"),
            ("interp::interpolate", "enter_quad_shares"),
            ("interp::interpolate", "load_setup"),
            ("interp::interpolate", "quad_coverage"),
            ("interp::interpolate", "quad_covers"),
            ("interp::interpolate", "quad_depth"),
            ("interp::interpolate", "quad_header"),
            ("interp::interpolate", "quad_is_front"),
            ("interp::interpolate", "quad_position_word"),
            ("interp::interpolate", "setup_functions"),
            ("raster::quad_traversal", "edge_at"),
            ("raster::quad_traversal", "edge_quad"),
            ("raster::quad_traversal", "pixel_tests"),
            ("raster::quad_traversal", "tile_bounds"),
            ("raster::tile_bins", "next_setup"),
            ("setup::load_setup", "stored_edge"),
            ("setup::load_setup", "stored_header"),
            (coverage, "covered_bits"),
        ]);
        text.line("var setup = NO_SETUP;");
        text.line("var found = 0u;");
        if early.is_some() {
            text.line("var tested_zeta = vec4u(0u);");
            text.line("var tested_depth = vec4u(0u);");
        }
        text.open("loop {");
        text.line("setup = next_setup();");
        text.line("if setup == NO_SETUP { break; }");
        text.line("let header = stored_header(setup);");
        text.line("let extent = tile_bounds(header, vec2u(tile_x, tile_y));");
        text.open("if quad_x >= extent.x && quad_x <= extent.z && quad_y >= extent.y && quad_y <= extent.w {");
        for edge in 0..4 {
            text.line(format!("let edge{edge} = stored_edge(setup, {edge}u);"));
            text.line(format!(
                "let value{edge} = edge_quad(edge{edge}, edge_at(edge{edge}, i32(quad_x), i32(quad_y)));"
            ));
        }
        text.line("let edges = array<vec4i, 4>(edge0, edge1, edge2, edge3);");
        text.line("let values = array<vec4i, 4>(value0, value1, value2, value3);");
        self.key.quads.emit_viewport(text, "header");
        text.line("let passes = pixel_tests(header, columns, rows);");
        text.line("found = covered_bits(setup, header, columns, rows, passes, edges, values);");
        if let Some(test) = &early {
            text.open("if found != 0u {");
            text.line("load_setup(setup);");
            self.emit_enter_counted_draw("header.x");
            self.text.line("enter_quad_depth(quad_x, quad_y, found, setup_functions(quad_x, quad_y));");
            self.emit_early_test(test);
            self.text.close();
        }
        let text = &mut self.text;
        text.close();
        text.line("if found != 0u { break; }");
        text.close();
        text.line("if setup == NO_SETUP { break; }");
        if early.is_some() {
            text.line("let functions = setup_functions(quad_x, quad_y);");
        } else {
            text.line("load_setup(setup);");
            self.emit_enter_counted_draw("quad_header.x");
            self.text.line("let functions = setup_functions(quad_x, quad_y);");
            self.text.line("enter_quad_depth(quad_x, quad_y, found, functions);");
        }
        let text = &mut self.text;
        text.line("enter_quad_shares(functions);");
        match self.key.quads.samples {
            SampleMode::One => text.line("var coverage = quad_covers();"),
            _ => self.key.quads.emit_samples(text, "vec4u(setup, quad_x | (quad_y << 16u), found, 0u)"),
        }
        self.key.quads.emit_alpha_coverage(text);
        if self.key.counts() && self.key.tallying() == Tallying::Samples {
            self.text.import("interp::interpolate", "bits_of");
            self.text.line("let begun_pixels = coverage;");
        }
    }
}
