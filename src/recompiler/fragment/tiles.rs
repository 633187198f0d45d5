//! One kernel for all that happens to the primitives of a tile: rasterise, interpolate, shade and merge; one invocation a
//! tile, or one for each of the equal cells that it is divided into.
//!
//! Nothing travels through memory but records, vertices, texels and the pixels of the targets. What belongs to the draw is
//! read before the first branch, what belongs to a record before its quads. Each kernel comes twice, as interpolation that
//! minds denormals, infinities and NaN costs much more than plain float operations, which nearly all primitives can do with.

use super::tile_key::{CONTINUATIONS, Interpolation, RasterKey, TILES_PER_GROUP, TileKernelKey};
use super::tile_turns::Limits;
use super::{Generator, registers};
use crate::program::fragment::FragmentInput;
use crate::recompiler::merge_color::ShadedColor;
use crate::recompiler::merge_depth::{self, DepthSource};
use crate::recompiler::merge_pixels::{self, ShadedQuad};
use crate::reference::raster_parameters::{POLYGON_STIPPLE, WINDOW_CLIP};
use crate::work::EngineError;

/// Writes the kernel; `texture_unit` gives the text that declares a sampled unit's functions, with its imports.
///
/// # Errors
/// When the program grows too large when its calls are inlined.
pub fn source(
    key: &TileKernelKey,
    interpolation: Interpolation,
    texture_unit: &dyn Fn(u8) -> Result<String, EngineError>,
) -> Result<String, EngineError> {
    let mut generator = Generator::new(&key.fragment)?;
    // Which input an index finds is not known before the program runs.
    let constants = key.constant_fineness.filter(|_| key.has_plain() && generator.needs.displacements.is_empty());
    let is_plain = interpolation == Interpolation::Plain && constants.is_some();
    if let Some(constants) = constants.filter(|_| is_plain) {
        generator.make_plain(constants);
    }
    let leaves_ellipses = interpolation == Interpolation::Plain && key.rounds.ellipses != 0;
    let finds_large = key.rounds.finds_large();
    let mut key = key.clone();
    if leaves_ellipses {
        key.rounds.ellipses = 0;
    }
    let key = &key;
    generator.declare_tile_bindings(key);
    generator.text.line(format!("const IS_PLAIN: bool = {is_plain};"));
    generator.declare_tile_counts(key);
    generator.declare_functions(texture_unit)?;
    let text = &mut generator.text;
    text.line(format!("@compute @workgroup_size({TILES_PER_GROUP})"));
    text.line("fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,");
    text.open("    @builtin(local_invocation_index) local: u32) {");
    generator.emit_draw_state(key);
    generator.emit_tile_start(key, finds_large);
    if is_plain {
        generator.emit_hidden_records(key);
    }
    generator.text.open("loop {");
    if !is_plain || !generator.emit_next_visible_record(key) {
        generator.emit_next_record(key);
    }
    let edges = if is_plain && key.raster.is_triangles { EdgeSource::Weights } else { EdgeSource::Stored };
    generator.emit_enter_counted_draw(key, "quad_header.x");
    generator.emit_record(edges);
    if is_plain {
        generator.emit_plain_record();
    }
    generator.text.line("place = 0u;");
    generator.text.open("loop {");
    generator.emit_next_quad(key, is_plain, edges);
    generator.emit_quad_inputs();
    generator.emit_registers();
    if is_plain {
        generator.text.import("plain_arithmetic", "begin_values");
        generator.text.line("begin_values();");
    }
    if leaves_ellipses {
        generator.text.import("left_ellipses", "has_ellipses");
        generator.text.line("has_ellipses = false;");
    }
    generator.emit_program()?;
    if key.rounds.ellipses != 0 {
        generator.emit_stop_at_quad("loop_rounds >= most_row_rounds");
    }
    if is_plain {
        generator.text.import("plain_arithmetic", "values_are_coarse");
        generator.emit_stop_at_quad("!values_are_coarse()");
    }
    if leaves_ellipses {
        generator.emit_stop_at_quad("has_ellipses");
    }
    generator.emit_merge(key);
    // Lanes that leave at the end do not run the body once more.
    generator.text.line("if walk_x + 2u > x1 && walk_y + 2u > y1 { break; }");
    generator.text.close();
    generator.text.open("if stopped != NO_RECORD {");
    generator.text.line("place = 0x1000u | ((walk_x - tile_x) & 63u) | (((walk_y - tile_y) & 63u) << 6u);");
    generator.text.close();
    generator.text.import("tile_bins", "bin_is_done");
    generator.text.line("if stopped != NO_RECORD || bin_is_done() { break; }");
    generator.text.close();
    generator.emit_progress();
    generator.emit_tile_count_end(key);
    if key.merge.counts_samples {
        generator.text.line("if passing != 0u { atomicAdd(&counters[0], passing); }");
    }
    generator.text.close();
    let header = "Rasterises, shades and merges the primitives of each tile; generated.";
    Ok(format!("{}{}", merge_pixels::imports(&key.merge), generator.text.finish(header)))
}

/// Where a kernel has the half planes of a record from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EdgeSource {
    /// Four that the record holds.
    Stored,
    /// Its weights, where it is a triangle that is not clipped.
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

    /// Names of four values, of which some may be missing.
    fn list(self, name: impl Fn(usize) -> String) -> String {
        let value = |edge| if self.edges().contains(&edge) { name(edge) } else { "vec4i(0)".to_owned() };
        [0, 1, 2, 3].map(value).join(", ")
    }
}

/// The functions of an input's two steps, and their argument.
fn steps(input: FragmentInput, wraps: bool) -> Option<(&'static str, &'static str, &'static str, String)> {
    match input {
        FragmentInput::Color0 => Some(("interpolate", "load_color0", "color0_of", String::new())),
        FragmentInput::Color1 => Some(("interpolate", "load_color1", "color1_of", String::new())),
        FragmentInput::Fog => Some(("interpolate", "load_fog", "fog_of", String::new())),
        FragmentInput::TexCoord(index) if wraps => {
            Some(("cylindrical_wrap", "load_wrapped_texcoord", "texcoord_of", format!("{index}u")))
        }
        FragmentInput::TexCoord(index) => Some(("interpolate", "load_texcoord", "texcoord_of", format!("{index}u"))),
        FragmentInput::WindowPosition | FragmentInput::Facing => None,
    }
}

impl Generator<'_> {
    fn declare_tile_bindings(&mut self, key: &TileKernelKey) {
        let text = &mut self.text;
        text.import("merge_surface", "MergeParameters");
        text.line("// `walk`: an earlier dispatch began the cells; one of 2^y invocations has one; z is y of the next dispatch.");
        text.line("struct TileParameters { merge: MergeParameters, walk: vec4u, constants: array<vec4u> }");
        text.line("// The record and the place in it where a cell goes on; the number of the dispatch.");
        text.line("@group(0) @binding(9) var<storage, read_write> tile_progress: array<vec2u>;");
        text.line("// Three workgroup counts for each dispatch.");
        text.line("@group(0) @binding(10) var<storage, read_write> continuations: array<atomic<u32>>;");
        text.line("@group(0) @binding(12) var<storage, read> tile_parameters: TileParameters;");
        if key.merge.counts_samples && !key.counts() {
            text.line("@group(0) @binding(15) var<storage, read_write> counters: array<atomic<u32>>;");
        }
        let has_window_clip = key.raster.flags & WINDOW_CLIP != 0;
        let has_stipple = key.raster.flags & POLYGON_STIPPLE != 0;
        text.line(format!("const CUTS_QUADS: bool = {};", key.raster.cuts_quads));
        text.line(format!("const HAS_WINDOW_CLIP: bool = {has_window_clip};"));
        text.line(format!("const HAS_STIPPLE: bool = {has_stipple};"));
        let clip_planes = key.rounds.clip_planes;
        text.line(format!("const HAS_USER_CLIP: bool = {};", clip_planes != 0));
        text.line(format!("const USER_CLIP_PLANES: u32 = {clip_planes}u;"));
    }

    /// Reads what the whole draw shares, and puts baked values over what was read.
    fn emit_draw_state(&mut self, key: &TileKernelKey) {
        let RasterKey { flags, colors, fog, texcoords, is_triangles: _, cuts_quads: _ } = &key.raster;
        let text = &mut self.text;
        text.import("raster_parameters", "load_raster");
        text.import("raster_parameters", "raster");
        text.line("load_raster();");
        text.line("let walk = tile_parameters.walk;");
        text.import("opaque", "opaque_zero");
        text.line("opaque_zero = raster.zero;");
        text.line(format!("raster.flags = {flags}u;"));
        text.line(format!("raster.colors = vec4u{};", vector(colors)));
        text.line(format!("raster.scalars.x = {}u;", fog[0]));
        text.line(format!("raster.scalars.z = {}u;", fog[1]));
        for (index, words) in texcoords.chunks(4).enumerate() {
            text.line(format!("raster.texcoords[{index}] = vec4u{};", vector(words)));
        }
        let mut surfaces = String::new();
        merge_pixels::declare_surfaces(&mut surfaces, &key.merge, "tile_parameters.merge");
        surfaces.lines().for_each(|line| text.line(line.trim_start()));
        self.emit_prologue("tile_parameters.constants", 0);
    }

    fn emit_tile_start(&mut self, key: &TileKernelKey, finds_large: bool) {
        let text = &mut self.text;
        for item in ["NO_RECORD", "enter_bin", "resume_bin", "touched_count", "touched_tile"] {
            text.import("tile_bins", item);
        }
        text.import("interleave", "interleaved");
        text.line(format!("let number_of_all = (group.y * groups.x + group.x) * {TILES_PER_GROUP}u + local;"));
        text.line(format!("let invocation = interleaved(number_of_all, groups.x * groups.y * {TILES_PER_GROUP}u);"));
        text.line("let cell = invocation >> walk.y;");
        text.line("let cell_shift = raster.round.x - raster.round.y;");
        text.line("let cell_count = touched_count() << (2u * raster.round.y);");
        text.line("if cell >= cell_count || (cell << walk.y) != invocation { return; }");
        text.line("let tile = touched_tile(cell >> (2u * raster.round.y));");
        text.line("let cell_x = cell & ((1u << raster.round.y) - 1u);");
        text.line("let cell_y = (cell >> raster.round.y) & ((1u << raster.round.y) - 1u);");
        text.line(
            "let tile_x = ((raster.tiles.x + tile % raster.tiles.z) << raster.round.x) + (cell_x << cell_shift);",
        );
        text.line(
            "let tile_y = ((raster.tiles.y + tile / raster.tiles.z) << raster.round.x) + (cell_y << cell_shift);",
        );
        text.line("let tile_last = (1u << cell_shift) - 1u;");
        text.import("loop_rounds", "loop_rounds");
        text.line("loop_rounds = 0u;");
        let [lockstep, alone] = [false, true].map(|is_alone| Limits::new(key.rounds, is_alone));
        if key.rounds.ellipses == 0 {
            text.line(format!("let stopping_rounds = {}u;", lockstep.stopping));
        } else {
            let [stopping, row] = [[lockstep.stopping, alone.stopping], [lockstep.row, alone.row]];
            text.line(format!("let stopping_rounds = select({}u, {}u, walk.y != 0u);", stopping[0], stopping[1]));
            text.import("loop_rounds", "most_row_rounds");
            text.line(format!("most_row_rounds = select({}u, {}u, walk.y != 0u);", row[0], row[1]));
        }
        self.emit_tile_count_start(key);
        let text = &mut self.text;
        text.line("var stopped = NO_RECORD;");
        text.line("var number = 0u;");
        text.line("// Bits 5:0 and 11:6 are pixels from the cell's corner, where bit 12 is set.");
        text.line("var place = 0u;");
        if finds_large {
            text.import("tile_bins", "find_large_records");
            text.line("find_large_records(tile);");
        }
        text.line("enter_bin(tile);");
        text.open("if walk.x != 0u {");
        text.line("let progress = tile_progress[cell];");
        text.line("if progress.x == NO_RECORD { return; }");
        text.line("resume_bin(tile, progress.x);");
        text.line("place = progress.y & 0x1fffu;");
        text.line("number = progress.y >> 16u;");
        text.close();
        if key.merge.counts_samples {
            text.line("var passing = 0u;");
        }
    }

    /// Goes to the next record of the tile's bin.
    fn emit_next_record(&mut self, key: &TileKernelKey) {
        let text = &mut self.text;
        text.import("tile_bins", "next_record");
        text.line("let record = next_record();");
        text.line("if record == NO_RECORD { break; }");
        text.line(format!("loop_rounds += {}u;", key.rounds.of_record()));
        text.import("interpolate", "load_record");
        text.line("load_record(record);");
    }

    /// The pixels of the tile, from even ones on, that the record at hand lies on.
    pub(super) fn emit_record_bounds(&mut self) {
        let text = &mut self.text;
        text.import("interpolate", "quad_header");
        text.line("let x0 = max(quad_header.y & 0xfffeu, tile_x);");
        text.line("let y0 = max((quad_header.y >> 16u) & 0xfffeu, tile_y);");
        text.line("let x1 = min(quad_header.z & 0xffffu, tile_x + tile_last);");
        text.line("let y1 = min(quad_header.z >> 16u, tile_y + tile_last);");
    }

    /// Begins the walk over the record at hand.
    fn emit_record(&mut self, edges: EdgeSource) {
        self.emit_record_bounds();
        let text = &mut self.text;
        text.line("let is_resumed = place != 0u;");
        text.line("// The quad before the first one.");
        text.line("var walk_x = select(x0, tile_x + (place & 63u), is_resumed) - 2u;");
        text.line("var walk_y = select(y0, tile_y + (place >> 6u & 63u), is_resumed);");
        text.line("// A record of the tile may lie beside the cell.");
        text.line("if x0 > x1 { walk_y = y1 + 1u; }");
        text.import("tile_walk", "edge_at");
        text.import("set_up_record", "quad_steps");
        for edge in edges.edges() {
            match edges {
                EdgeSource::Stored => {
                    text.import("stored_record", "stored_edge");
                    text.line(format!("let edge{edge} = stored_edge(record, {edge}u);"));
                }
                EdgeSource::Weights => {
                    text.import("interpolate", "record_weights");
                    text.import("set_up_record", "linear_without_ties");
                    text.import("set_up_record", "linear_is_exclusive");
                    text.line(format!("let edge{edge} = linear_without_ties(record_weights[{edge}]);"));
                    text.line(format!("let tie{edge} = select(0, 1, linear_is_exclusive(record_weights[{edge}]));"));
                }
            }
            text.line(format!(
                "var row{edge} = edge_at(edge{edge}, i32(x0), i32(y0)) + 16 * i32(walk_y - y0) * edge{edge}.y;"
            ));
            text.line(format!("var value{edge} = row{edge} + 16 * i32(walk_x - x0) * edge{edge}.x;"));
            text.line(format!("let steps{edge} = quad_steps(edge{edge});"));
            text.line(format!("let right{edge} = 32 * edge{edge}.x;"));
            text.line(format!("let down{edge} = 32 * edge{edge}.y;"));
        }
        let wraps = self.key.wraps_coordinates;
        for input in self.needs.inputs.clone() {
            if let Some((module, load, _, argument)) = steps(input, wraps) {
                self.text.import(module, load);
                let name = super::operands::input_name(input);
                self.text.line(format!("let corners_{name} = {load}({argument});"));
            }
        }
    }

    /// Leaves the tile to the exact kernel from this record on, where that is not plain.
    fn emit_plain_record(&mut self) {
        let text = &mut self.text;
        text.import("plain_ranges", "record_is_plain");
        let mut conditions = vec!["record_is_plain()".to_owned()];
        for input in &self.needs.inputs {
            if steps(*input, self.key.wraps_coordinates).is_some() {
                text.import("plain_ranges", "attribute_is_plain");
                conditions.push(format!("attribute_is_plain(corners_{})", super::operands::input_name(*input)));
            }
        }
        text.open(format!("if !({}) {{", conditions.join(" && ")));
        text.line("stopped = record;");
        text.line("break;");
        text.close();
    }

    /// Leaves the tile to the next dispatch from this quad on, on a condition.
    fn emit_stop_at_quad(&mut self, condition: &str) {
        let text = &mut self.text;
        text.open(format!("if {condition} {{"));
        text.line("stopped = record;");
        text.line("break;");
        text.close();
    }

    /// Says where the tile goes on, and that it does.
    fn emit_progress(&mut self) {
        let text = &mut self.text;
        text.line(format!("let next = (number + 1u) % {CONTINUATIONS}u;"));
        text.line("tile_progress[cell] = vec2u(stopped, place | (next << 16u));");
        text.open("if stopped != NO_RECORD {");
        text.line(format!(
            "let next_groups = ((cell_count << walk.z) + {}u) / {TILES_PER_GROUP}u;",
            TILES_PER_GROUP - 1
        ));
        text.line("atomicStore(&continuations[3u * next], min(next_groups, 65535u));");
        text.line("atomicStore(&continuations[3u * next + 1u], (next_groups + 65534u) / 65535u);");
        text.line("atomicStore(&continuations[3u * next + 2u], 1u);");
        text.close();
    }

    /// Walks on to the next covered quad of the record, or leaves the loop.
    fn emit_next_quad(&mut self, key: &TileKernelKey, is_plain: bool, edges: EdgeSource) {
        let early = self.early_test(key);
        let text = &mut self.text;
        let entering = ["enter_quad_depth", "enter_quad_shares"];
        let asking = ["quad_coverage", "quad_covers", "quad_position_word", "quad_is_front", "quad_depth"];
        for item in entering.into_iter().chain(asking) {
            text.import("interpolate", item);
        }
        text.import("tile_walk", "pixel_tests");
        text.import("coverage_at_centers", "covered_bits");
        if early.is_some() {
            text.line("var tested_zeta = vec4u(0u);");
            text.line("var tested_depth = vec4u(0u);");
        }
        // Shares of vertices that nothing reads need not be plain.
        let minds_shares = is_plain && !(self.needs.inputs.is_empty() && self.needs.indexed_attributes.is_empty());
        let text = &mut self.text;
        if minds_shares {
            text.import("plain_ranges", "quad_is_plain");
        }
        let functions = if is_plain && edges == EdgeSource::Weights {
            text.import("quad_weights", "plain_functions");
            let functions = [0, 1, 2].map(|edge| format!("vec4i(value{edge} + tie{edge}) + steps{edge}")).join(", ");
            format!("let functions = plain_functions(array<vec4i, 3>({functions}));")
        } else {
            text.import("interpolate", "record_functions");
            "let functions = record_functions(walk_x, walk_y);".to_owned()
        };
        let enter_depth = "enter_quad_depth(walk_x, walk_y, found, functions);";
        text.line("var found = 0u;");
        text.open("loop {");
        text.line(format!("loop_rounds += {}u;", key.rounds.of_step()));
        text.line("let ends_row = walk_x + 2u > x1;");
        for edge in edges.edges() {
            text.line(format!("row{edge} += select(0, down{edge}, ends_row);"));
            text.line(format!("value{edge} = select(value{edge} + right{edge}, row{edge}, ends_row);"));
        }
        text.line("walk_y += select(0u, 2u, ends_row);");
        text.line("walk_x = select(walk_x + 2u, x0, ends_row);");
        text.line("let columns = vec4u(walk_x, walk_x + 1u, walk_x, walk_x + 1u);");
        text.line("let rows = vec4u(walk_y, walk_y, walk_y + 1u, walk_y + 1u);");
        text.line("let passes = pixel_tests(quad_header, columns, rows);");
        text.line(format!("let edges = array<vec4i, 4>({});", edges.list(|edge| format!("edge{edge}"))));
        let values = edges.list(|edge| format!("vec4i(value{edge}) + steps{edge}"));
        text.line(format!("let values = array<vec4i, 4>({values});"));
        text.line("found = covered_bits(record, quad_header, columns, rows, passes, edges, values);");
        text.line("found = select(0u, found, walk_y <= y1);");
        if let Some(test) = &early {
            text.open("if found != 0u {");
            text.line(&functions);
            text.line(enter_depth);
            text.line("let x = columns;");
            text.line("let y = rows;");
            text.line("let shaded_depth = quad_depth();");
            text.line("let head = vec4u(0u, 0u, select(0u, 1u, quad_is_front()), 0u);");
            test.lines().for_each(|line| text.line(line.trim_start()));
            text.line("tested_zeta = zeta;");
            text.line("tested_depth = depth;");
            text.line(
                "found = quad_coverage() & dot(select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), passes_early), vec4u(1u));",
            );
            self.emit_skipped_quad_count(key);
            self.text.close();
        }
        let text = &mut self.text;
        text.line("if found != 0u || walk_y > y1 { break; }");
        text.close();
        text.line(functions);
        if early.is_none() {
            text.line(enter_depth);
        }
        text.line("enter_quad_shares(functions);");
        let mut stops = "loop_rounds > stopping_rounds".to_owned();
        if minds_shares {
            stops.push_str(" || (found != 0u && !quad_is_plain())");
        }
        self.emit_stop_at_quad(&stops);
        let text = &mut self.text;
        text.line("if found == 0u { break; }");
        text.line(format!("loop_rounds += {}u;", 1 + key.rounds.fixed));
        text.line("var coverage = quad_covers();");
    }

    /// The text of the tests of depth and stencil where quads that fail them are better left out than shaded, and may be.
    pub(super) fn early_test(&self, key: &TileKernelKey) -> Option<String> {
        let is_worth = self.needs.units != 0 || self.needs.has_flow || self.key.body.len() >= 4;
        (is_worth && key.skips_hidden_quads())
            .then(|| merge_depth::early_test(&key.merge, self.key.exports_depth))
            .flatten()
    }

    fn emit_quad_inputs(&mut self) {
        for input in self.needs.inputs.clone() {
            let name = super::operands::input_name(input);
            let value = match steps(input, self.key.wraps_coordinates) {
                Some((_, _, function, argument)) => {
                    self.text.import("interpolate", function);
                    let separator = if argument.is_empty() { "" } else { ", " };
                    format!("{function}({argument}{separator}corners_{name})")
                }
                None => self.input_call(input),
            };
            self.text.line(format!("let {name} = {value};"));
        }
    }

    fn emit_merge(&mut self, key: &TileKernelKey) {
        let depth = if self.key.exports_depth { self.read(registers::full(1), 2) } else { "quad_depth()".to_owned() };
        self.text.line("let covered = dot(select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), coverage), vec4u(1u));");
        self.text.line("let head = vec4u(covered, quad_position_word(), select(0u, 1u, quad_is_front()), 0u);");
        let mut colors = Vec::new();
        for target in (0..4u8).filter(|target| self.key.targets >> target & 1 != 0) {
            let register = registers::color_output(target, self.key.has_full_outputs);
            let values: [String; 4] = std::array::from_fn(|component| {
                let value = self.read(register, component);
                self.text.bind("t", &value)
            });
            colors.push(ShadedColor { values, ranges: self.color_ranges(target) });
        }
        self.text.open("{");
        let mut merge = String::new();
        let source = match self.early_test(key) {
            Some(_) => DepthSource::Tested,
            None if self.key.exports_depth => DepthSource::Any,
            None => DepthSource::Saturated,
        };
        let quad = ShadedQuad::Named { coverage: "coverage", depth: &depth, source, colors: &colors };
        merge_pixels::merge_quad(&mut merge, &key.merge, quad);
        merge.lines().for_each(|line| self.text.line(line.strip_prefix("        ").unwrap_or(line)));
        self.emit_merged_quad_count(key);
        self.text.close();
    }
}

fn vector(words: &[u32]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("{word}u")).collect();
    format!("({})", words.join(", "))
}
