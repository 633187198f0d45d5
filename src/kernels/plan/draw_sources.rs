//! Writes the kernels of a draw, from the vertex program to the output merger, as WGSL.

use super::draw_path::{PathOptions, PixelPlan, ShadeKey, TileKey};
use super::draw_programs::FragmentCode;
use super::outputs_read::outputs_read;
use super::vec4_stages::{has_vec4_programs, vertex_stage};
use super::{run_vertex_programs, shade_quads};
use crate::kernels::memory_mirror::Locate;
use crate::kernels::software::adapter_choices::AdapterChoices;
use crate::pipeline::front_end::check_draw::check_draw;
use crate::pipeline::front_end::decode_programs::{decode_fragment_program, decode_vertex_program};
use crate::pipeline::{Draw, EngineError};
use crate::recompiler::quad_program_key::QuadProgramKey;
use crate::recompiler::rop::merge_pixels;
use crate::recompiler::software::continuations::TilePath;
use crate::recompiler::software::multi_draw::{part_vectors, parts_source};
use crate::recompiler::texture::fetch::fetch_source;
use crate::recompiler::texture::unit::{self, TextureKey};
use crate::recompiler::tiles::draw_tiles;
use crate::recompiler::tiles::key::TileWork;
use crate::recompiler::vertex;
use crate::shader::analysis::resource_usage::ResourceUsage;

/// The adapter and the options that the kernels of a draw depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SourceOptions {
    /// The choices of the kind of the adapter.
    pub choices: AdapterChoices,
    /// Draws take separate stages, as those do that a kernel for tiles does not support.
    pub separates_stages: bool,
    /// The adapter has 64-bit words.
    pub has_wide_words: bool,
    /// Draws are counted.
    pub counts: bool,
}

/// The labels and the WGSL of a draw's kernels, with import lines; `read` returns the words of the fragment microcode.
///
/// # Errors
/// If a program does not decode or is too large, or the draw has state that is not supported.
pub fn draw_sources(
    draw: &Draw,
    read: &mut dyn FnMut(u32) -> Option<u32>,
    options: SourceOptions,
    locate: Locate<'_>,
) -> Result<Vec<(&'static str, String)>, EngineError> {
    check_draw(draw)?;
    if !has_vec4_programs(draw) {
        return Err(EngineError::Unsupported { what: "the text of a draw with SIMT programs".to_owned() });
    }
    let (vertex, fragment) = (decode_vertex_program(vertex_stage(draw))?, decode_fragment_program(read)?);
    let SourceOptions { choices, separates_stages, has_wide_words, counts } = options;
    let outputs = outputs_read(draw, Some(&ResourceUsage::of_blocks(&fragment)));
    let key = run_vertex_programs::key(draw, &vertex, outputs, choices.has_runs, locate);
    let mut sources = vec![("run_vertex_programs", vertex::source(&key))];
    if let Some(part) = part_vectors(&key) {
        sources.push(("run_vertex_programs", parts_source(&key, &part)));
    }
    let draws_alone = choices.invocations_draw_tiles;
    let work = if draws_alone { TileWork::Invocation } else { TileWork::Workgroup { quads: 64 } };
    let path = PathOptions {
        fused: (!separates_stages).then_some(work),
        max_loop_iterations: None,
        max_bindings: 8,
        pairs_pixels: has_wide_words && draws_alone,
        has_texel_image: draws_alone,
        counts,
    };
    match PixelPlan::new(draw, &FragmentCode::Vec4(fragment), path, locate)? {
        PixelPlan::Fused { key, .. } => {
            for path in [TilePath::Exact, TilePath::Fast] {
                if path == TilePath::Exact || key.0.has_fast_path() {
                    sources.push(("draw_tiles", tile_source(&key, path)?));
                }
            }
        }
        PixelPlan::Split { shade, merge, .. } => {
            sources.push(("shade_quads", shade_source(&shade)?));
            sources.push(("merge_pixels", merge_pixels::source(&merge)));
        }
    }
    Ok(sources)
}

/// The text of a shading kernel.
pub(in crate::kernels) fn shade_source((program, units): &ShadeKey) -> Result<String, EngineError> {
    let source = |unit, key: &_| unit::source(unit, key) + &fetches(program, unit, key);
    program.shade_source(&|unit| Ok(unit_source(source, units, unit)))
}

/// The text of a tile kernel.
pub(in crate::kernels) fn tile_source(
    (key, (program, units), memory): &TileKey,
    path: TilePath,
) -> Result<String, EngineError> {
    let source = |unit, key: &_| unit::source_over(*memory, unit, key) + &fetches(program, unit, key);
    draw_tiles::source(key, path, &mut *program.program()?, &|unit| Ok(unit_source(source, units, unit)))
}

/// The functions of a unit that read single texels, which SIMT programs call.
fn fetches(program: &QuadProgramKey, unit: u8, key: &TextureKey) -> String {
    match program {
        QuadProgramKey::Vec4(_) => String::new(),
        QuadProgramKey::Simt(_) => fetch_source(unit, key),
    }
}

/// The kernel text of a unit that a program samples.
fn unit_source(source: impl Fn(u8, &TextureKey) -> String, units: &[(u8, TextureKey)], unit: u8) -> String {
    match units.iter().find(|(number, _)| *number == unit) {
        Some((_, key)) => source(unit, key),
        None => shade_quads::disabled_texture_unit(unit),
    }
}
