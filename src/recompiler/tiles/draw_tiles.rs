//! Turns a [`TileKernelKey`] into one kernel that rasterizes, interpolates, shades and merges the primitives of a tile.
//! An invocation draws a tile, or a workgroup does.
//!
//! Only primitives, vertices, texels and the pixels of the targets pass through memory. The state of the draw is loaded
//! before the first branch, that of a primitive before its quads. Each kernel of invocations has two twins, a fast path
//! and an exact path: interpolation that handles denormals, infinities and NaN costs much more than native float
//! operations, which suffice for nearly all primitives.

use super::key::{CONTINUATIONS, RasterKey, TileKernelKey, TilePath, TileWork};
use super::quad_traversal::{EdgeSource, steps};
use crate::pipeline::EngineError;
use crate::recompiler::fragment::Generator;
use crate::recompiler::raster_block::{LINE_STIPPLE, POLYGON_STIPPLE, WINDOW_CLIP};
use crate::recompiler::rop::color::ShadedColor;
use crate::recompiler::rop::depth::DepthSource;
use crate::recompiler::rop::merge_pixels::{self, ShadedQuad};
use crate::shader::fragment::FragmentOutputs;

/// Writes the kernel; `texture_unit` returns the text that declares a sampled unit's functions, with its imports.
///
/// # Errors
/// If the program is too large after inlining its calls.
pub fn source(
    key: &TileKernelKey,
    path: TilePath,
    texture_unit: &dyn Fn(u8) -> Result<String, EngineError>,
) -> Result<String, EngineError> {
    let mut generator = Generator::new(&key.fragment)?;
    // The input that an index selects is unknown before the program runs.
    let constants =
        key.constant_fraction_bits.filter(|_| key.has_fast_path() && generator.usage.displacements.is_empty());
    let walks_tile = key.work == TileWork::Invocation;
    let is_fast = path == TilePath::Fast && constants.is_some();
    if let Some(constants) = constants.filter(|_| is_fast) {
        generator.take_fast_path(constants);
    }
    let mut key = key.clone();
    // The fast path leaves little work: one exact kernel serves both kinds of clip rectangles.
    key.raster.cuts_quads |= path == TilePath::Exact && key.has_fast_path();
    let key = &key;
    generator.declare_tile_bindings(key);
    generator.text.line(format!("const IS_FAST_PATH: bool = {is_fast};"));
    generator.declare_tile_counts(key);
    generator.declare_functions(texture_unit)?;
    let text = &mut generator.text;
    text.line(format!("@compute @workgroup_size({})", key.work.group_size()));
    text.line("fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,");
    text.open("    @builtin(local_invocation_index) local: u32) {");
    generator.emit_draw_state(key);
    // Results that are equal for all pixels are computed once.
    let is_uniform = generator.is_uniform();
    if is_uniform {
        generator.emit_values(is_fast)?;
    }
    if walks_tile {
        generator.emit_walk(key, is_fast, is_uniform)?;
    } else {
        generator.emit_quads(key, is_uniform)?;
    }
    generator.emit_tile_count_end(key);
    if key.merge.counts_samples {
        generator.text.line("if passing != 0u { atomicAdd(&counters[0], passing); }");
    }
    generator.text.close();
    let header = "Rasterises, shades and merges the primitives of each tile; generated.";
    Ok(format!("{}{}", merge_pixels::imports(&key.merge), generator.text.finish(header)))
}

impl Generator<'_> {
    /// Draws a tile with a workgroup, each invocation a quad of it.
    fn emit_quads(&mut self, key: &TileKernelKey, is_uniform: bool) -> Result<(), EngineError> {
        self.text.line("let touched = group.y * groups.x + group.x;");
        self.text.import("raster::shared_large", "find_large_setups_together");
        self.text.line(format!("find_large_setups_together(touched, local, {}u);", key.work.group_size()));
        self.emit_touched_tile(key, "touched");
        self.emit_own_quad();
        self.text.line("enter_bin(tile);");
        self.text.open("loop {");
        self.emit_next_covering_primitive(key);
        if !is_uniform {
            self.emit_inputs();
            self.emit_values(false)?;
        }
        self.emit_merge(key);
        self.text.close();
        Ok(())
    }

    /// Walks over the quads of a tile with one invocation.
    fn emit_walk(&mut self, key: &TileKernelKey, is_fast: bool, is_uniform: bool) -> Result<(), EngineError> {
        self.emit_tile_start(key);
        if is_fast {
            self.emit_hidden_primitives(key);
        }
        self.text.open("loop {");
        if !is_fast || !self.emit_next_visible_primitive(key) {
            self.emit_next_primitive(key);
        }
        let edges = if is_fast && key.raster.is_triangles { EdgeSource::Weights } else { EdgeSource::Stored };
        self.emit_enter_counted_draw(key, "quad_header.x");
        self.emit_primitive(edges);
        if is_fast {
            self.emit_fast_path_check();
        }
        self.text.line("place = 0u;");
        self.text.open("loop {");
        self.emit_next_quad(key, is_fast, edges);
        if !is_uniform {
            self.emit_quad_inputs();
            self.emit_values(is_fast)?;
        }
        if is_fast {
            self.emit_stop("!no_value_underflowed");
        }
        self.emit_merge(key);
        // Lanes that leave at the end do not run the body again.
        self.text.line("if quad_x + 2u > x1 && quad_y + 2u > y1 { break; }");
        self.text.close();
        self.text.open("if stopped != NO_SETUP {");
        self.text.line("place = 0x1000u | ((quad_x - tile_x) & 63u) | (((quad_y - tile_y) & 63u) << 6u);");
        self.text.close();
        self.text.import("raster::tile_bins", "bin_is_done");
        self.text.line("if stopped != NO_SETUP || bin_is_done() { break; }");
        self.text.close();
        self.emit_progress(key);
        Ok(())
    }

    fn declare_tile_bindings(&mut self, key: &TileKernelKey) {
        let text = &mut self.text;
        text.import("rop::merge_surface", "MergeParameters");
        text.line("// `walk.x`: an earlier dispatch began the tiles.");
        text.line("struct TileParameters { merge: MergeParameters, walk: vec4u, constants: array<vec4u> }");
        if key.work == TileWork::Invocation {
            text.line("// The primitive and the place in it where a tile continues; the number of the dispatch.");
            text.line("@group(0) @binding(9) var<storage, read_write> tile_progress: array<vec2u>;");
            text.line("// Three workgroup counts for each dispatch.");
            text.line("@group(0) @binding(10) var<storage, read_write> continuations: array<atomic<u32>>;");
        }
        text.line("@group(0) @binding(12) var<storage, read> tile_parameters: TileParameters;");
        if key.merge.counts_samples && !key.counts() {
            text.line("@group(0) @binding(15) var<storage, read_write> counters: array<atomic<u32>>;");
        }
        let has_window_clip = key.raster.flags & WINDOW_CLIP != 0;
        let has_stipple = key.raster.flags & (LINE_STIPPLE | POLYGON_STIPPLE) != 0;
        text.line(format!("const CUTS_QUADS: bool = {};", key.raster.cuts_quads));
        text.line(format!("const HAS_WINDOW_CLIP: bool = {has_window_clip};"));
        text.line(format!("const HAS_STIPPLE: bool = {has_stipple};"));
        let clip_planes = key.rounds.clip_planes;
        text.line(format!("const HAS_USER_CLIP: bool = {};", clip_planes != 0));
        text.line(format!("const USER_CLIP_PLANES: u32 = {clip_planes}u;"));
        self.declare_sample_positions();
    }

    /// Loads the state that the whole draw shares, and replaces loaded values with baked ones.
    fn emit_draw_state(&mut self, key: &TileKernelKey) {
        let RasterKey { flags, colors, fog, texcoords, is_triangles: _, cuts_quads: _ } = &key.raster;
        let text = &mut self.text;
        text.import("raster::parameters", "load_raster");
        text.import("raster::parameters", "raster");
        text.line("load_raster();");
        text.import("arith::optimization_barrier", "set_opaque_zero");
        text.line("set_opaque_zero(raster.zero);");
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

    /// Finds the touched tile of an expression's number, and begins its counts.
    fn emit_touched_tile(&mut self, key: &TileKernelKey, number: &str) {
        let text = &mut self.text;
        for item in ["NO_SETUP", "enter_bin", "touched_count", "touched_tile"] {
            text.import("raster::tile_bins", item);
        }
        text.line("let tile_count = touched_count();");
        text.line(format!("if {number} >= tile_count {{ return; }}"));
        text.line(format!("let tile = touched_tile({number});"));
        text.line("let tile_x = (raster.tiles.x + tile % raster.tiles.z) << raster.round.x;");
        text.line("let tile_y = (raster.tiles.y + tile / raster.tiles.z) << raster.round.x;");
        text.line("let tile_last = (1u << raster.round.x) - 1u;");
        self.emit_tile_count_start(key);
        if key.merge.counts_samples {
            self.text.line("var passing = 0u;");
        }
    }

    fn emit_tile_start(&mut self, key: &TileKernelKey) {
        let text = &mut self.text;
        text.import("raster::tile_bins", "resume_bin");
        text.import("tiles::workgroup_swizzle", "swizzled_invocation");
        text.line("let walk = tile_parameters.walk;");
        let tiles = key.work.tiles_per_group();
        text.line(format!("let number_of_all = (group.y * groups.x + group.x) * {tiles}u + local;"));
        text.line(format!("let invocation = swizzled_invocation(number_of_all, groups.x * groups.y * {tiles}u);"));
        self.emit_touched_tile(key, "invocation");
        let text = &mut self.text;
        text.import("tiles::iteration_budget", "loop_iterations");
        text.line("loop_iterations = 0u;");
        text.line(format!("let stopping_iterations = {}u;", key.rounds.stopping()));
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
    fn emit_next_primitive(&mut self, key: &TileKernelKey) {
        let text = &mut self.text;
        text.import("raster::tile_bins", "next_setup");
        text.line("let setup = next_setup();");
        text.line("if setup == NO_SETUP { break; }");
        text.line(format!("loop_iterations += {}u;", key.rounds.of_primitive()));
        text.import("interp::interpolate", "load_setup");
        text.line("load_setup(setup);");
    }

    /// Stores the position at which the tile continues, and that it does.
    fn emit_progress(&mut self, key: &TileKernelKey) {
        let tiles = key.work.tiles_per_group();
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

    /// Whether the program computes the same results for all pixels of any draw.
    fn is_uniform(&self) -> bool {
        let usage = &self.usage;
        let reads_inputs = !usage.inputs.is_empty() || !usage.indexed_attributes.is_empty();
        !reads_inputs && usage.units == 0 && !usage.has_flow && !self.program_discards()
    }

    /// Runs the program.
    fn emit_values(&mut self, is_fast: bool) -> Result<(), EngineError> {
        self.emit_registers();
        if is_fast {
            self.text.import("arith::fragment_fast", "begin_values");
            self.text.import("arith::fragment_fast", "no_value_underflowed");
            self.text.line("begin_values();");
        }
        self.emit_program()?;
        if is_fast {
            self.text.line("let no_value_underflowed = no_value_underflowed();");
        }
        Ok(())
    }

    fn emit_quad_inputs(&mut self) {
        for input in self.usage.inputs.clone() {
            let name = crate::recompiler::fragment::operands::input_name(input);
            let value = match steps(input, self.key.wraps_coordinates) {
                Some((_, _, function, argument)) => {
                    self.text.import("interp::interpolate", function);
                    let separator = if argument.is_empty() { "" } else { ", " };
                    format!("{function}({argument}{separator}corners_{name})")
                }
                None => self.input_call(input),
            };
            self.text.line(format!("let {name} = {value};"));
        }
    }

    fn emit_merge(&mut self, key: &TileKernelKey) {
        let depth = match (self.key.exports_depth, self.key.has_sample_depths) {
            (true, _) => self.read(FragmentOutputs::DEPTH, 2),
            (false, true) => {
                let depths: Vec<_> =
                    (0..self.key.samples.count()).map(|sample| format!("sample{sample}.depth")).collect();
                let (count, depths) = (depths.len(), depths.join(", "));
                self.text.line(format!("var sample_depths = array<vec4u, {count}>({depths});"));
                "sample_depths[sample]".to_owned()
            }
            (false, false) => "quad_depth()".to_owned(),
        };
        let covered = self.emit_covered();
        self.text
            .line(format!("let head = vec4u({covered}, quad_position_word(), select(0u, 1u, quad_is_front()), 0u);"));
        let mut colors = Vec::new();
        for target in (0..4u8).filter(|target| self.key.targets >> target & 1 != 0) {
            colors.push(ShadedColor { values: self.emit_color(target), ranges: self.color_ranges(target) });
        }
        self.text.open("{");
        let mut merge = String::new();
        let source = match self.early_test(key) {
            Some(_) => DepthSource::Tested,
            None if self.key.exports_depth => DepthSource::Any,
            None => DepthSource::Saturated,
        };
        let tallying = key.tallying();
        let is_inside = !key.raster.cuts_quads;
        let quad =
            ShadedQuad::Named { coverage: "coverage", depth: &depth, source, colors: &colors, is_inside, tallying };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::nv40_fragment::{FragmentField, FragmentOpcode};
    use crate::isa::test_words::{INPUT, ended, fragment};
    use crate::recompiler::fragment::{FragmentKernelKey, QuadSource};
    use crate::shader::fragment::FragmentProgram;

    #[test]
    fn programs_that_read_inputs_by_index_are_not_uniform() {
        let is_uniform = |indexed: u32| {
            let read = fragment(FragmentOpcode::Mov, 0, &[INPUT]).with(FragmentField::INPUT, 4);
            let program =
                FragmentProgram::decode(&ended(vec![read.with(FragmentField::INPUT_INDEXED, indexed)])).unwrap();
            let key = FragmentKernelKey::new(&program, false, true, 1, QuadSource::Interpolated);
            let mut generator = Generator::new(&key).unwrap();
            generator.declare_functions(&|_| Ok(String::new())).unwrap();
            generator.is_uniform()
        };
        assert_eq!([0, 1].map(is_uniform), [false, false]);
    }
}
