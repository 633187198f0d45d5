//! Decides which kernels the pixels of a draw go through, from rasterizer to output merger, and why.
//!
//! There are two paths. On the fused path one kernel draws whole tiles, one for each invocation on software adapters and one
//! for each workgroup on others. On the split path each stage has a kernel, with quad lists between them; it supports all
//! state.

use std::fmt;

use super::draw_programs::{FragmentCode, StraightPrograms};
use super::filled_triangles::draws_filled_triangles;
use super::shade_quads;
use crate::counters::{CountedProgram, Instructions, counted_lookups, tells_faces, tests_early};
use crate::kernels::memory_mirror::Locate;
use crate::kernels::software::pixel_pairs::{pair_pixels, quads_share_words};
use crate::pipeline::{Draw, EngineError};
use crate::recompiler::compute::{CountedFetches, SimtFragmentKey};
use crate::recompiler::fragment::{FragmentKernelKey, shaded_stride};
use crate::recompiler::quad_program_key::QuadProgramKey;
use crate::recompiler::raster_block::RasterBlock;
use crate::recompiler::rop::counts::Counting;
use crate::recompiler::rop::merge_pixels::MergeKey;
use crate::recompiler::software::iteration_budget::QuadIterations;
use crate::recompiler::texture::unit::{self, TexelMemory, TextureKey};
use crate::recompiler::tiles::key::{TileKernelKey, TileWork};
use crate::shader::fragment::FragmentProgram;

/// The storage buffers of a workgroup's tile kernel, without those of textures, counts and the sRGB curve.
const TILE_BINDINGS: u32 = 6;
/// Maximum number of flow counts that a tile kernel holds for a tile.
const MAX_FLOW_COUNTS: u32 = 64;

/// The key of a shading kernel: the program, and the units that it samples, without disabled ones.
pub(in crate::kernels) type ShadeKey = (QuadProgramKey, Vec<(u8, TextureKey)>);

/// The key of a tile kernel: the tile, what shades its quads, and the memory that units sample.
pub(in crate::kernels) type TileKey = (TileKernelKey, ShadeKey, TexelMemory);

/// The inputs of the path decision besides the draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::kernels) struct PathOptions {
    /// How fused kernels divide their work, if draws take the fused path where they can.
    pub(in crate::kernels) fused: Option<TileWork>,
    /// The adapter's limit of loop iterations, if it has one.
    pub(in crate::kernels) max_loop_iterations: Option<u32>,
    /// The number of storage buffers that a kernel may use.
    pub(in crate::kernels) max_bindings: u32,
    /// Whether fused kernels may load and store pixels in pairs.
    pub(in crate::kernels) pairs_pixels: bool,
    /// Whether an image holds a copy of the memory that fused kernels sample.
    pub(in crate::kernels) has_texel_image: bool,
    /// Whether draws are counted.
    pub(in crate::kernels) counts: bool,
}

/// Why a draw takes the split path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitReason {
    /// The adapter or the options ask for it.
    Chosen,
    /// The draw samples memory that it writes, which needs a copy from before the draw.
    SamplesItsTargets,
    /// The draw has more flow counts than a tile can hold.
    FlowCounts(u32),
    /// Quads of the targets share words, which only one invocation of a tile may store.
    QuadsShareWords,
    /// The fused kernel would need more storage buffers than the adapter has.
    Bindings(u32),
    /// State that the fused kernel does not support, or shading that takes too many loop iterations.
    StateOrIterations,
}

impl fmt::Display for SplitReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chosen => formatter.write_str("the adapter or the options ask for separate stages"),
            Self::SamplesItsTargets => formatter.write_str("the draw samples its own targets"),
            Self::FlowCounts(counts) => write!(formatter, "{counts} counts of flow are more than a tile holds"),
            Self::QuadsShareWords => formatter.write_str("quads of its targets share words of memory"),
            Self::Bindings(count) => write!(formatter, "{count} storage buffers are more than the adapter has"),
            Self::StateOrIterations => formatter.write_str("its state, or too many loop iterations for a quad"),
        }
    }
}

/// The keys of the kernels from rasterizer to output merger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::kernels) enum PixelPlan {
    /// One kernel for all stages.
    Fused {
        /// Its key.
        key: Box<TileKey>,
        /// Units that the kernel samples from a copy.
        imaged_units: u16,
    },
    /// One kernel for each stage.
    Split {
        shade: Box<ShadeKey>,
        merge: Box<MergeKey>,
        /// Vectors that shading stores per quad.
        shaded_stride: u32,
        /// How many words of these vectors count the program's work for a quad.
        flow_counts: u32,
        /// Units with memory that is copied first, because the draw also writes some of it.
        copied_units: u16,
        reason: SplitReason,
    },
}

impl PixelPlan {
    /// Plans the path of a draw.
    ///
    /// # Errors
    /// If the draw has state that no kernel supports.
    pub(in crate::kernels) fn new(
        draw: &Draw,
        program: &FragmentCode,
        options: PathOptions,
        locate: Locate<'_>,
    ) -> Result<Self, EngineError> {
        let constants = program.constants();
        let (program, units, flow_counts, tests_early) = match program {
            FragmentCode::Vec4(program) => {
                let (key, units) = vec4_key(draw, program, options.counts, locate)?;
                let flow_counts = key.flow_counts();
                let tests_early = tests_early(draw, CountedProgram::Vec4(program));
                (QuadProgramKey::Vec4(Box::new(key)), units, flow_counts, tests_early)
            }
            FragmentCode::Simt { key, .. } => {
                let (key, units) = simt_key(draw, key, options.counts, locate)?;
                let flow_counts = key.flow_counts();
                let tests_early = options.counts && tests_early(draw, CountedProgram::Threads);
                (QuadProgramKey::Simt(Box::new(key)), units, flow_counts, tests_early)
            }
        };
        let sampled = units.iter().fold(0, |units, (unit, _)| units | 1 << unit);
        let counting = options.counts.then(|| Counting {
            flow_vectors: flow_counts.div_ceil(4),
            tests_early,
            tells_faces: tells_faces(&draw.rop, &draw.targets),
        });
        let merge = MergeKey { counting, ..MergeKey::new(&draw.rop, &draw.targets)? };
        let copied_units = if draw.samples_its_targets(sampled) { sampled } else { 0 };
        let reason = match () {
            () if copied_units != 0 => SplitReason::SamplesItsTargets,
            () if flow_counts > MAX_FLOW_COUNTS => SplitReason::FlowCounts(flow_counts),
            () => match tile_key(draw, &program, &units, constants, &merge, options, locate) {
                Ok(key) => {
                    let (memory, imaged_units) =
                        if options.has_texel_image { (TexelMemory::Image, sampled) } else { (TexelMemory::Written, 0) };
                    return Ok(Self::Fused { key: Box::new((key, (program, units), memory)), imaged_units });
                }
                Err(reason) => reason,
            },
        };
        let shaded_stride = shaded_stride(program.targets(), program.quads().sample_depths()) + flow_counts.div_ceil(4);
        let shade = Box::new((program, units));
        Ok(Self::Split { shade, merge: Box::new(merge), shaded_stride, flow_counts, copied_units, reason })
    }
}

/// The key of a fragment program over registers of four components, and those of the units that it samples, without disabled
/// ones.
fn vec4_key(
    draw: &Draw,
    program: &FragmentProgram,
    counts: bool,
    locate: Locate<'_>,
) -> Result<(FragmentKernelKey, Vec<(u8, TextureKey)>), EngineError> {
    let counted = match counts {
        true => counted_lookups(&Instructions::of_blocks(program), &draw.textures),
        false => [None; 16],
    };
    let mut key = FragmentKernelKey { counts, ..shade_quads::key(draw, program) };
    let sampled = key.sampled_units();
    let mut units = Vec::new();
    for unit in (0..16u8).filter(|unit| sampled >> unit & 1 != 0) {
        if let Some(Some(state)) = draw.textures.get(usize::from(unit)) {
            let texture = TextureKey::new(state, locate(state.view.window).bytes)?;
            let counts = counted[usize::from(unit)];
            key.unit_fetches |= u16::from(texture.filters_integers) << unit;
            units.push((unit, TextureKey { counts, ..texture }));
            key.counted_units |= u16::from(counts.is_some()) << unit;
        }
    }
    key.counted_words = counted_words(&units);
    Ok((key, units))
}

/// The key of a SIMT fragment program, and those of the units that it reads, without disabled ones.
fn simt_key(
    draw: &Draw,
    key: &SimtFragmentKey,
    counts: bool,
    locate: Locate<'_>,
) -> Result<(SimtFragmentKey, Vec<(u8, TextureKey)>), EngineError> {
    let programs = if counts { StraightPrograms::new(draw) } else { None };
    let counted = programs.as_ref().map_or([None; 16], |programs| {
        counted_lookups(&CountedProgram::StraightThreads(programs.lookups).blocks(), &draw.textures)
    });
    let states = (0..).zip(&draw.textures).zip(counted).take(key.unit_count());
    let units = states.filter_map(|((unit, state), counts)| Some((unit, state.as_ref()?, counts)));
    let keys = units.map(|(unit, state, counts)| {
        let texture = TextureKey::new(state, locate(state.view.window).bytes)?;
        Ok((unit, TextureKey { counts, ..texture.used(key.uses(unit)) }))
    });
    let units: Vec<_> = keys.collect::<Result<_, EngineError>>()?;
    let counted_units =
        units.iter().filter(|(_, key)| key.counts.is_some()).fold(0, |units, (unit, _)| units | 1 << unit);
    let mut key = key.clone();
    key.counts = counts.then(|| CountedFetches { units: counted_units, words: counted_words(&units) });
    Ok((key, units))
}

/// The key of the fused kernel, or why there is none.
fn tile_key(
    draw: &Draw,
    program: &QuadProgramKey,
    units: &[(u8, TextureKey)],
    constants: &[[u32; 4]],
    merge: &MergeKey,
    options: PathOptions,
    locate: Locate<'_>,
) -> Result<TileKernelKey, SplitReason> {
    let work = options.fused.ok_or(SplitReason::Chosen)?;
    let raster = RasterBlock::new(draw);
    let fetch_iterations = |unit: u8| match units.iter().find(|(number, _)| *number == unit) {
        Some((_, key)) => unit::max_rounds(key),
        None => QuadIterations::default(),
    };
    let is_triangles = draws_filled_triangles(draw);
    let mut merge = merge.clone();
    if options.pairs_pixels {
        pair_pixels(&mut merge, draw, locate);
    }
    if work != TileWork::Invocation {
        if quads_share_words(&merge, draw, locate) {
            return Err(SplitReason::QuadsShareWords);
        }
        let counts = merge.counts_samples || merge.counting.is_some();
        let bindings =
            TILE_BINDINGS + [!units.is_empty(), counts, merge.encodes_srgb()].map(u32::from).iter().sum::<u32>();
        if bindings > options.max_bindings {
            return Err(SplitReason::Bindings(bindings));
        }
    }
    let facts = program.facts(constants, &fetch_iterations);
    let key = TileKernelKey::new(work, &facts, &raster, merge, is_triangles).ok_or(SplitReason::StateOrIterations)?;
    let is_limited = |limit| work != TileWork::Invocation && key.max_primitives(limit) == 0;
    if options.max_loop_iterations.is_some_and(is_limited) {
        return Err(SplitReason::StateOrIterations);
    }
    Ok(key)
}

/// The lookup-count words that each unit's text counts, as bit masks.
pub(in crate::kernels) fn counted_words(units: &[(u8, TextureKey)]) -> [u8; 16] {
    let mut words = [0; 16];
    units.iter().for_each(|(unit, key)| words[usize::from(*unit)] = unit::counted_words(key));
    words
}
