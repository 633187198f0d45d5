//! Emits the traversal of a primitive's quads in a tile kernel: advances to the next quad of the tile that is covered
//! and, if the depth test may run early, visible.

use crate::recompiler::quad_inputs::QuadInput;
use crate::recompiler::tiles::tile_text::TileText;

/// The source of a primitive's half planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EdgeSource {
    /// The four half planes of the primitive setup.
    Stored,
    /// The primitive's weights, if it is an unclipped triangle.
    Weights,
}

impl EdgeSource {
    /// The numbers of the half planes.
    const fn edges(self) -> std::ops::Range<usize> {
        match self {
            Self::Stored => 0..4,
            Self::Weights => 0..3,
        }
    }

    /// The names of four values; zeros stand for values that the source lacks.
    fn list(self, name: impl Fn(usize) -> String) -> String {
        let value = |edge| if self.edges().contains(&edge) { name(edge) } else { "vec4i(0)".to_owned() };
        [0, 1, 2, 3].map(value).join(", ")
    }
}

/// The functions of an input's two steps, and their argument.
pub(crate) fn steps(input: QuadInput, wraps: bool) -> Option<(&'static str, &'static str, &'static str, String)> {
    match input {
        QuadInput::Color(0) => Some(("interp::interpolate", "load_color0", "color0_of", String::new())),
        QuadInput::Color(_) => Some(("interp::interpolate", "load_color1", "color1_of", String::new())),
        QuadInput::Fog => Some(("interp::interpolate", "load_fog", "fog_of", String::new())),
        QuadInput::TexCoord(index) if wraps => {
            Some(("interp::cylindrical_wrap", "load_wrapped_texcoord", "texcoord_of", format!("{index}u")))
        }
        QuadInput::TexCoord(index) => {
            Some(("interp::interpolate", "load_texcoord", "texcoord_of", format!("{index}u")))
        }
        QuadInput::WindowPosition | QuadInput::Facing => None,
    }
}

impl TileText<'_> {
    /// The pixels of the tile that the current primitive covers, starting at even coordinates.
    pub(crate) fn emit_primitive_bounds(&mut self) {
        let text = &mut self.text;
        text.import("interp::interpolate", "quad_header");
        text.line("let x0 = max(quad_header.y & 0xfffeu, tile_x);");
        text.line("let y0 = max((quad_header.y >> 16u) & 0xfffeu, tile_y);");
        text.line("let x1 = min(quad_header.z & 0xffffu, tile_x + tile_last);");
        text.line("let y1 = min(quad_header.z >> 16u, tile_y + tile_last);");
    }

    /// Starts the traversal of the current primitive.
    pub(crate) fn emit_primitive(&mut self, edges: EdgeSource) {
        self.emit_primitive_bounds();
        let text = &mut self.text;
        text.line("let is_resumed = place != 0u;");
        text.line("// The quad before the first one.");
        text.line("var quad_x = select(x0, tile_x + (place & 63u), is_resumed) - 2u;");
        text.line("var quad_y = select(y0, tile_y + ((place >> 6u) & 63u), is_resumed);");
        text.line("// A primitive of the bin may lie beside the tile.");
        text.line("if x0 > x1 { quad_y = y1 + 1u; }");
        text.import("raster::quad_traversal", "edge_at");
        text.import("setup::primitive_setup", "quad_steps");
        for edge in edges.edges() {
            match edges {
                EdgeSource::Stored => {
                    text.import("setup::load_setup", "stored_edge");
                    text.line(format!("let edge{edge} = stored_edge(setup, {edge}u);"));
                }
                EdgeSource::Weights => {
                    text.import("interp::interpolate", "setup_weights");
                    text.import("setup::primitive_setup", "linear_without_ties");
                    text.import("setup::primitive_setup", "linear_is_exclusive");
                    text.line(format!("let edge{edge} = linear_without_ties(setup_weights[{edge}]);"));
                    text.line(format!("let tie{edge} = select(0, 1, linear_is_exclusive(setup_weights[{edge}]));"));
                }
            }
            text.line(format!("var value{edge} = edge_at(edge{edge}, i32(x0), i32(y0));"));
            text.line(format!(
                "value{edge} += 16 * (i32(quad_x - x0) * edge{edge}.x + i32(quad_y - y0) * edge{edge}.y);"
            ));
            text.line(format!("let steps{edge} = quad_steps(edge{edge});"));
            text.line(format!("let right{edge} = 32 * edge{edge}.x;"));
            text.line("// From the last quad of a row to the first of the next.");
            text.line(format!("let return{edge} = 32 * (edge{edge}.y - (i32(x1 - x0) >> 1u) * edge{edge}.x);"));
        }
        let wraps = self.key.quads.wraps_coordinates;
        for input in self.program.inputs() {
            if let Some((module, load, _, argument)) = steps(input, wraps) {
                text.import(module, load);
                text.line(format!("let corners_{} = {load}({argument});", input.name()));
            }
        }
    }

    /// Leaves the tile to the exact path from this primitive on, unless the primitive can take the fast path.
    pub(crate) fn emit_fast_path_check(&mut self) {
        let text = &mut self.text;
        text.import("software::fast_path_range", "setup_takes_fast_path");
        let mut conditions = vec!["setup_takes_fast_path()".to_owned()];
        for input in self.program.inputs() {
            if steps(input, self.key.quads.wraps_coordinates).is_some() {
                text.import("software::fast_path_range", "attribute_takes_fast_path");
                conditions.push(format!("attribute_takes_fast_path(corners_{})", input.name()));
            }
        }
        self.emit_stop(&format!("!({})", conditions.join(" && ")));
    }

    /// Leaves the tile to the next dispatch, starting at the current primitive or quad, on a condition.
    pub(crate) fn emit_stop(&mut self, condition: &str) {
        let text = &mut self.text;
        text.open(format!("if {condition} {{"));
        text.line("stopped = setup;");
        text.line("break;");
        text.close();
    }

    /// Advances to the next covered quad of the primitive, or leaves the loop.
    pub(crate) fn emit_next_quad(&mut self, is_fast: bool, edges: EdgeSource) {
        let early = self.early_test();
        let text = &mut self.text;
        let entering = ["enter_quad_depth", "enter_quad_shares"];
        let asking = ["quad_coverage", "quad_covers", "quad_position_word", "quad_is_front", "quad_depth"];
        for item in entering.into_iter().chain(asking) {
            text.import("interp::interpolate", item);
        }
        text.import("raster::quad_traversal", "pixel_tests");
        text.import("raster::coverage_at_centers", "covered_bits");
        if early.is_some() {
            text.line("var tested_zeta = vec4u(0u);");
            text.line("var tested_depth = vec4u(0u);");
        }
        // Vertex weights that nothing reads need not suit the fast path.
        let checks_shares = is_fast && !self.program.inputs().is_empty();
        let text = &mut self.text;
        if checks_shares {
            text.import("software::fast_path_range", "quad_takes_fast_path");
        }
        let functions = if is_fast && edges == EdgeSource::Weights {
            text.import("interp::quad_weights", "fast_functions");
            let functions = [0, 1, 2].map(|edge| format!("vec4i(value{edge} + tie{edge}) + steps{edge}")).join(", ");
            format!("let functions = fast_functions(array<vec4i, 3>({functions}));")
        } else {
            text.import("interp::interpolate", "setup_functions");
            "let functions = setup_functions(quad_x, quad_y);".to_owned()
        };
        let enter_depth = "enter_quad_depth(quad_x, quad_y, found, functions);";
        text.line("var found = 0u;");
        text.open("loop {");
        text.line(format!("loop_iterations += {}u;", self.key.rounds.of_step()));
        text.line("let ends_row = quad_x + 2u > x1;");
        for edge in edges.edges() {
            text.line(format!("value{edge} += select(right{edge}, return{edge}, ends_row);"));
        }
        text.line("quad_y += select(0u, 2u, ends_row);");
        text.line("quad_x = select(quad_x + 2u, x0, ends_row);");
        text.line("let columns = vec4u(quad_x, quad_x + 1u, quad_x, quad_x + 1u);");
        text.line("let rows = vec4u(quad_y, quad_y, quad_y + 1u, quad_y + 1u);");
        text.line("let passes = pixel_tests(quad_header, columns, rows);");
        text.line(format!("let edges = array<vec4i, 4>({});", edges.list(|edge| format!("edge{edge}"))));
        let values = edges.list(|edge| format!("vec4i(value{edge}) + steps{edge}"));
        text.line(format!("let values = array<vec4i, 4>({values});"));
        text.line("found = covered_bits(setup, quad_header, columns, rows, passes, edges, values);");
        text.line("found = select(0u, found, quad_y <= y1);");
        if let Some(test) = &early {
            text.open("if found != 0u {");
            text.line(&functions);
            text.line(enter_depth);
            self.emit_early_test(test);
            self.text.close();
        }
        let text = &mut self.text;
        text.line("if found != 0u || quad_y > y1 { break; }");
        text.close();
        text.line(functions);
        if early.is_none() {
            text.line(enter_depth);
        }
        text.line("enter_quad_shares(functions);");
        let mut stops = "loop_iterations > stopping_iterations".to_owned();
        if checks_shares {
            stops.push_str(" || (found != 0u && !quad_takes_fast_path())");
        }
        self.emit_stop(&stops);
        let text = &mut self.text;
        text.line("if found == 0u { break; }");
        text.line(format!("loop_iterations += {}u;", 1 + self.key.rounds.fixed));
        text.line("var coverage = quad_covers();");
    }
}
