//! The programs and kernels of a draw, found again where they were used before.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, OnceLock};

use super::draw_tiles::{self, Interpolation, TileKernelKey, TileKernels};
use super::engine::Kernels;
use super::joined_draws::VertexRun;
use super::pixel_pairs::pair_pixels;
use super::set_up_primitives::draws_plain_triangles;
use super::{run_vertex_programs, shade_quads};
use crate::counters::{Instructions, counted_lookups, tells_faces, tests_early};
use crate::gpu::Kernel;
use crate::pipeline::front_end::decode_programs::decode_programs;
use crate::pipeline::front_end::raster_parameters::RasterParameters;
use crate::pipeline::{Draw, EngineError};
use crate::recompiler::fragment::{FragmentKernelKey, shaded_stride};
use crate::recompiler::rop::counts::Counting;
use crate::recompiler::rop::merge_pixels::{self, MergeKey};
use crate::recompiler::software::iteration_budget::QuadRounds;
use crate::recompiler::texture::unit::{self, Ellipses, TexelMemory, TextureKey};
use crate::recompiler::vertex::{self, PartVector, ProgramTraits, VertexFetch, VertexKernelKey};
use crate::shader::fragment::FragmentProgram;
use crate::shader::vertex::VertexProgram;

/// What is baked into a shading kernel: the program, and the units that it samples, without those that are disabled.
pub(super) type ShadeKey = (FragmentKernelKey, Vec<(u8, TextureKey)>);

/// What is baked into a kernel of whole tiles, likewise.
pub(super) type TileKey = (TileKernelKey, Vec<(u8, TextureKey)>, TexelMemory);

/// Most counts of flow that a kernel of whole tiles holds for a tile.
const MOST_FLOW_COUNTS: u32 = 64;

/// The kernels from rasteriser to output merger.
#[derive(Debug)]
pub(super) enum PixelKernels {
    /// One for all.
    Fused {
        kernels: TileKernels,
        /// Most rounds of loops that shading a quad takes.
        rounds: QuadRounds,
        /// Units of which the kernels sample a copy.
        imaged_units: u16,
    },
    /// One for each stage.
    Split {
        shade: Arc<Kernel>,
        merge: Arc<Kernel>,
        /// Vectors that shading stores per quad.
        shaded_stride: u32,
        /// Words of these that count what the program does for a quad.
        flow_counts: u32,
        /// Units whose memory is copied first, as the draw also writes some of it.
        copied_units: u16,
    },
}

/// A vertex stage, and what dispatches of it need of its key.
#[derive(Debug)]
pub(super) struct VertexKernel {
    pub(super) traits: ProgramTraits,
    pub(super) fetch: VertexFetch,
    /// The vectors of a part, where draws can be parts of a dispatch.
    pub(super) part: Option<Vec<PartVector>>,
    /// The kernel of one draw, and that of parts; each is compiled when it is used.
    alone: OnceLock<Arc<Kernel>>,
    parts: OnceLock<Arc<Kernel>>,
}

impl Kernels {
    /// Decodes both programs; pages of microcode that kernels wrote are read back as far as the program reaches.
    pub(super) fn programs(&mut self, draw: &Draw) -> Result<(VertexProgram, FragmentProgram), EngineError> {
        let (gpu, recording, heap) = (&self.gpu, &mut self.recording, &mut self.heap);
        let mut failure = None;
        let mut read = |offset: u32| {
            let word = draw.fragment.program.from_offset(offset.checked_mul(4)?).truncated(4);
            if let Err(error) = heap.download(gpu, recording, word) {
                failure = Some(error);
                return None;
            }
            heap.host().slice(word).first_chunk().map(|word| u32::from_le_bytes(*word))
        };
        let programs = decode_programs(draw, &mut read);
        match failure {
            Some(error) => Err(error),
            None => programs,
        }
    }

    /// The vertex stage of a draw.
    pub(super) fn vertex_kernel(
        &mut self,
        draw: &Draw,
        program: &VertexProgram,
    ) -> Result<Arc<VertexKernel>, EngineError> {
        let key = self.vertex_key(draw, program);
        let new = |key: &VertexKernelKey| {
            Ok(Arc::new(VertexKernel {
                traits: ProgramTraits::new(&key.program, key.has_runs),
                fetch: key.fetch.clone(),
                part: vertex::part_vectors(key),
                alone: OnceLock::new(),
                parts: OnceLock::new(),
            }))
        };
        find_or_compile(&mut self.vertex_kernels, key, new)
    }

    fn vertex_key(&self, draw: &Draw, program: &VertexProgram) -> VertexKernelKey {
        let adapter = [self.gpu.summary().is_software(), self.gpu.has_wide_words()];
        run_vertex_programs::key(draw, program, adapter, &|window| self.heap.locate(window))
    }

    /// The compiled vertex stage of a draw, for that draw.
    pub(super) fn kernel_alone(&self, run: &VertexRun) -> Result<Arc<Kernel>, EngineError> {
        self.compiled_once(&run.kernel.alone, run, vertex::source)
    }

    /// The same, for parts of these vectors.
    pub(super) fn kernel_of_parts(&self, run: &VertexRun, part: &[PartVector]) -> Result<Arc<Kernel>, EngineError> {
        self.compiled_once(&run.kernel.parts, run, |key| vertex::parts_source(key, part))
    }

    fn compiled_once(
        &self,
        place: &OnceLock<Arc<Kernel>>,
        run: &VertexRun,
        source: impl FnOnce(&VertexKernelKey) -> String,
    ) -> Result<Arc<Kernel>, EngineError> {
        if let Some(kernel) = place.get() {
            return Ok(Arc::clone(kernel));
        }
        let source = source(&self.vertex_key(&run.draw, &run.program));
        let kernel = self.gpu.kernel("run_vertex_programs", &source)?;
        Ok(Arc::clone(place.get_or_init(|| kernel)))
    }

    /// Compiles what follows the vertex stage, or finds it.
    pub(super) fn pixel_kernels(
        &mut self,
        draw: &Draw,
        program: &FragmentProgram,
    ) -> Result<PixelKernels, EngineError> {
        let (constants, tests_early) = (&program.constants, tests_early(draw, program));
        let counted = match self.is_counting() {
            true => counted_lookups(&Instructions::of_blocks(program), &draw.textures),
            false => [None; 16],
        };
        let mut program = FragmentKernelKey { counts: self.is_counting(), ..shade_quads::key(draw, program) };
        let sampled = program.sampled_units();
        let mut units = Vec::new();
        for unit in (0..16u8).filter(|unit| sampled >> unit & 1 != 0) {
            if let Some(Some(state)) = draw.textures.get(usize::from(unit)) {
                let key = TextureKey::new(state, self.heap.locate(state.window).bytes)?;
                let counts = counted[usize::from(unit)];
                program.unit_fetches |= u16::from(key.filters_integers) << unit;
                units.push((unit, TextureKey { counts, ..key }));
                program.counted_units |= u16::from(counts.is_some()) << unit;
            }
        }
        program.counted_words = counted_words(&units, Ellipses::Averaged);
        let flow_counts = program.flow_counts();
        let counting = self.is_counting().then(|| Counting {
            flow_vectors: flow_counts.div_ceil(4),
            tests_early,
            tells_faces: tells_faces(&draw.rop, &draw.targets),
        });
        let merge = MergeKey { counting, ..MergeKey::new(&draw.rop, &draw.targets)? };
        let copied_units = if draw.samples_its_targets(sampled) { sampled } else { 0 };
        if self.fuses && copied_units == 0 && flow_counts <= MOST_FLOW_COUNTS {
            let raster = RasterParameters::new(draw);
            let fetch_rounds = |unit: u8| match units.iter().find(|(number, _)| *number == unit) {
                Some((_, key)) => unit::most_rounds(key),
                None => QuadRounds::default(),
            };
            let is_triangles = draws_plain_triangles(draw, raster.flags);
            let mut merge = merge.clone();
            if self.pairs_pixels {
                pair_pixels(&mut merge, draw, &|window| self.heap.locate(window));
            }
            if let Some(key) =
                TileKernelKey::new(program.clone(), &raster, merge, &fetch_rounds, constants, is_triangles)
            {
                let rounds = key.rounds;
                let has_image = self.texel_image.as_ref().is_some_and(|image| image.fits(&self.heap));
                let (memory, imaged_units) =
                    if has_image { (TexelMemory::Image, sampled) } else { (TexelMemory::Written, 0) };
                let kernels = self.kernels_of_tiles((key, units, memory))?;
                return Ok(PixelKernels::Fused { kernels, rounds, imaged_units });
            }
        }
        let shaded_stride = shaded_stride(program.targets, program.sample_depths()) + flow_counts.div_ceil(4);
        let compile = |(program, units): &ShadeKey| {
            let unit_source = |unit: u8| Ok(unit_source(unit::source, units, unit));
            Ok(self.gpu.kernel("shade_quads", &shade_quads::source(program, &unit_source)?)?)
        };
        let shade = find_or_compile(&mut self.shade_kernels, (program, units), compile)?;
        let compile = |key: &MergeKey| Ok(self.gpu.kernel("merge_pixels", &merge_pixels::source(key))?);
        let merge = find_or_compile(&mut self.merge_kernels, merge, compile)?;
        Ok(PixelKernels::Split { shade, merge, shaded_stride, flow_counts, copied_units })
    }
}

impl Kernels {
    /// The kernels of whole tiles; the plain one only where it has been worth its compilation.
    fn kernels_of_tiles(&mut self, key: TileKey) -> Result<TileKernels, EngineError> {
        let gpu = &self.gpu;
        let compile = |(key, units, memory): &TileKey, interpolation| -> Result<_, EngineError> {
            let ellipses = match interpolation {
                Interpolation::Plain => Ellipses::Left,
                Interpolation::Exact => Ellipses::Counted,
            };
            let source = |unit, key: &_| unit::source_over(*memory, ellipses, unit, key);
            let unit_source = |unit: u8| Ok(unit_source(source, units, unit));
            let mut key = key.clone();
            key.fragment.counted_words = counted_words(units, ellipses);
            Ok(gpu.kernel("draw_tiles", &draw_tiles::source(&key, interpolation, &unit_source)?)?)
        };
        let exact =
            |key: &TileKey| Ok(TileKernels { plain: None, exact: compile(key, Interpolation::Exact)?, uses: 0 });
        let kernels = find_or_compile(&mut self.tile_kernels, key.clone(), exact)?;
        let uses = kernels.uses.saturating_add(1);
        let wanted = if key.0.rounds.ellipses == 0 { 1 } else { ELLIPTICAL_USES };
        let is_worth = kernels.plain.is_none() && key.0.has_plain() && uses > self.exact_uses.saturating_mul(wanted);
        let plain = if is_worth { Some(compile(&key, Interpolation::Plain)?) } else { kernels.plain };
        let kernels = TileKernels { plain, uses, ..kernels };
        self.tile_kernels.insert(key, kernels.clone());
        Ok(kernels)
    }
}

/// How many times more often a kernel with ellipses is used before the plain one, which is large and may end at the first quad,
/// is worth its compilation.
const ELLIPTICAL_USES: u32 = 8;

/// Which words of what fetches take the texts of units count.
fn counted_words(units: &[(u8, TextureKey)], ellipses: Ellipses) -> [u8; 16] {
    let mut words = [0; 16];
    units.iter().for_each(|(unit, key)| words[usize::from(*unit)] = unit::counted_words(key, ellipses));
    words
}

/// The text of a unit that a program samples.
fn unit_source(source: impl Fn(u8, &TextureKey) -> String, units: &[(u8, TextureKey)], unit: u8) -> String {
    match units.iter().find(|(number, _)| *number == unit) {
        Some((_, key)) => source(unit, key),
        None => shade_quads::disabled_texture_unit(unit),
    }
}

/// Most kernels of a stage that are kept.
pub(super) const KERNEL_LIMIT: usize = 1024;

/// The kernel of a key, compiled when it is new.
fn find_or_compile<K: Eq + Hash, V: Clone>(
    kernels: &mut HashMap<K, V>,
    key: K,
    compile: impl FnOnce(&K) -> Result<V, EngineError>,
) -> Result<V, EngineError> {
    if let Some(kernel) = kernels.get(&key) {
        return Ok(kernel.clone());
    }
    let kernel = compile(&key)?;
    // Programs come from strangers; a stream that never repeats one must not fill memory.
    if kernels.len() >= KERNEL_LIMIT {
        kernels.clear();
    }
    kernels.insert(key, kernel.clone());
    Ok(kernel)
}
