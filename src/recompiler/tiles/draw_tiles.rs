//! Turns a [`TileKernelKey`] into one kernel that rasterizes, interpolates, shades and merges the primitives of a tile.
//! An invocation draws a tile, or a workgroup does.
//!
//! Only primitives, vertices, texels and the pixels of the targets pass through memory. The state of the draw is loaded
//! before the first branch, that of a primitive before its quads. Each kernel of invocations has two twins, a fast path
//! and an exact path: interpolation that handles denormals, infinities and NaN costs much more than native float
//! operations, which suffice for nearly all primitives.

use super::key::{RasterKey, TileKernelKey, TileWork};
use super::tile_text::TileText;
use crate::pipeline::EngineError;
use crate::recompiler::quad_program::{QuadProgram, TextureUnits};
use crate::recompiler::raster_block::{LINE_STIPPLE, POLYGON_STIPPLE, WINDOW_CLIP};
use crate::recompiler::rop::depth::DepthSource;
use crate::recompiler::rop::merge_pixels::{self, ShadedQuad};
use crate::recompiler::software::continuations::TilePath;
use crate::recompiler::software::walk_tile::declare_progress;
use crate::recompiler::text::Text;

/// Writes the kernel around a program.
///
/// # Errors
/// Those of the program.
pub(crate) fn source(
    key: &TileKernelKey,
    path: TilePath,
    program: &mut dyn QuadProgram,
    texture_units: TextureUnits<'_>,
) -> Result<String, EngineError> {
    let constants = key.constant_fraction_bits.filter(|_| path == TilePath::Fast && key.has_fast_path());
    let is_fast = constants.is_some_and(|constants| program.take_fast_path(constants));
    let mut key = key.clone();
    // The fast path leaves little work: one exact kernel serves both kinds of clip rectangles.
    key.raster.cuts_quads |= path == TilePath::Exact && key.has_fast_path();
    let mut tile = TileText { key: &key, program, text: Text::default() };
    tile.declare_tile_bindings();
    tile.text.line(format!("const IS_FAST_PATH: bool = {is_fast};"));
    tile.declare_tile_counts();
    tile.program.declare(&mut tile.text, texture_units, ("tile_parameters.constants", 0))?;
    let text = &mut tile.text;
    text.line(format!("@compute @workgroup_size({})", key.work.group_size()));
    text.line("fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,");
    text.open("    @builtin(local_invocation_index) local: u32) {");
    tile.emit_draw_state();
    // Results that are equal for all pixels are computed once.
    let is_uniform = tile.program.is_uniform();
    if is_uniform {
        tile.program.shade(&mut tile.text)?;
    }
    match key.work {
        TileWork::Invocation => tile.emit_walk(is_fast, is_uniform)?,
        TileWork::Workgroup { .. } => tile.emit_quads(is_uniform)?,
    }
    tile.emit_tile_count_end();
    if key.merge.counts_samples {
        tile.text.line("if passing != 0u { atomicAdd(&counters[0], passing); }");
    }
    tile.text.close();
    let header = "Rasterises, shades and merges the primitives of each tile; generated.";
    Ok(format!("{}{}", merge_pixels::imports(&key.merge), tile.text.finish(header)))
}

impl TileText<'_> {
    /// Draws a tile with a workgroup, each invocation a quad of it.
    fn emit_quads(&mut self, is_uniform: bool) -> Result<(), EngineError> {
        self.text.line("let touched = group.y * groups.x + group.x;");
        self.text.import("raster::shared_large", "find_large_setups_together");
        self.text.line(format!("find_large_setups_together(touched, local, {}u);", self.key.work.group_size()));
        self.emit_touched_tile("touched");
        self.emit_own_quad();
        self.text.line("enter_bin(tile);");
        self.text.open("loop {");
        self.emit_next_covering_primitive();
        if !is_uniform {
            self.key.quads.emit_inputs(&mut self.text, &self.program.inputs());
            self.program.enter_primitive(&mut self.text);
            self.program.shade(&mut self.text)?;
        }
        self.emit_merge();
        self.text.close();
        Ok(())
    }

    fn declare_tile_bindings(&mut self) {
        let text = &mut self.text;
        text.import("rop::merge_surface", "MergeParameters");
        text.line("// `walk.x`: an earlier dispatch began the tiles.");
        text.line("struct TileParameters { merge: MergeParameters, walk: vec4u, constants: array<vec4u> }");
        if self.key.work == TileWork::Invocation {
            declare_progress(text);
        }
        text.line("@group(0) @binding(12) var<storage, read> tile_parameters: TileParameters;");
        if self.key.merge.counts_samples && !self.key.counts() {
            text.line("@group(0) @binding(15) var<storage, read_write> counters: array<atomic<u32>>;");
        }
        let has_window_clip = self.key.raster.flags & WINDOW_CLIP != 0;
        let has_stipple = self.key.raster.flags & (LINE_STIPPLE | POLYGON_STIPPLE) != 0;
        text.line(format!("const CUTS_QUADS: bool = {};", self.key.raster.cuts_quads));
        text.line(format!("const HAS_WINDOW_CLIP: bool = {has_window_clip};"));
        text.line(format!("const HAS_STIPPLE: bool = {has_stipple};"));
        let clip_planes = self.key.rounds.clip_planes;
        text.line(format!("const HAS_USER_CLIP: bool = {};", clip_planes != 0));
        text.line(format!("const USER_CLIP_PLANES: u32 = {clip_planes}u;"));
        self.declare_sample_positions();
    }

    /// Loads the state that the whole draw shares, and replaces loaded values with baked ones.
    fn emit_draw_state(&mut self) {
        let RasterKey { flags, colors, fog, texcoords, is_triangles: _, cuts_quads: _ } = &self.key.raster;
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
        merge_pixels::declare_surfaces(&mut surfaces, &self.key.merge, "tile_parameters.merge");
        surfaces.lines().for_each(|line| text.line(line.trim_start()));
        self.program.load_constants(text, "tile_parameters.constants", 0);
    }

    /// Finds the touched tile of an expression's number, and begins its counts.
    pub(crate) fn emit_touched_tile(&mut self, number: &str) {
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
        self.emit_tile_count_start();
        if self.key.merge.counts_samples {
            self.text.line("var passing = 0u;");
        }
    }

    pub(crate) fn emit_merge(&mut self) {
        let depth = match (self.program.exports_depth(), self.key.quads.has_sample_depths) {
            (true, _) => self.program.exported_depth(&mut self.text),
            (false, true) => {
                let depths: Vec<_> =
                    (0..self.key.quads.samples.count()).map(|sample| format!("sample{sample}.depth")).collect();
                let (count, depths) = (depths.len(), depths.join(", "));
                self.text.line(format!("var sample_depths = array<vec4u, {count}>({depths});"));
                "sample_depths[sample]".to_owned()
            }
            (false, false) => "quad_depth()".to_owned(),
        };
        let covered = self.key.quads.emit_covered(&mut self.text);
        self.text
            .line(format!("let head = vec4u({covered}, quad_position_word(), select(0u, 1u, quad_is_front()), 0u);"));
        let targets = self.program.targets();
        let targets = (0..8u8).filter(|target| targets >> target & 1 != 0);
        let colors: Vec<_> = targets.map(|target| self.program.color(&mut self.text, target)).collect();
        self.text.open("{");
        let mut merge = String::new();
        let source = match self.early_test() {
            Some(_) => DepthSource::Tested,
            None if self.program.exports_depth() => DepthSource::Any,
            None => DepthSource::Saturated,
        };
        let tallying = self.key.tallying();
        let is_inside = !self.key.raster.cuts_quads;
        let quad =
            ShadedQuad::Named { coverage: "coverage", depth: &depth, source, colors: &colors, is_inside, tallying };
        merge_pixels::merge_quad(&mut merge, &self.key.merge, quad);
        merge.lines().for_each(|line| self.text.line(line.strip_prefix("        ").unwrap_or(line)));
        self.emit_merged_quad_count();
        self.text.close();
    }
}

fn vector(words: &[u32]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("{word}u")).collect();
    format!("({})", words.join(", "))
}
