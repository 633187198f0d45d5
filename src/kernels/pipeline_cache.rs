//! Compiles the kernels of a draw, or finds them in the cache.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use super::context::Context;
use super::plan::draw_path::{PathOptions, PixelPlan, ShadeKey, SplitReason, TileKey};
use super::plan::draw_programs::{FragmentCode, VertexCode};
use super::plan::draw_sources::shade_source;
use super::plan::path_taken::{DrawPath, ExactReason};
use super::plan::run_vertex_programs;
use super::plan::vertex_dispatches::is_small;
use super::software::adapter_choices::AdapterChoices;
use super::tiles::draw_tiles::TileKernels;
use crate::gpu::Kernel;
use crate::pipeline::{Draw, EngineError, VertexStage};
use crate::recompiler::compute::{SimtGeometryKey, SimtPrograms, SimtVertexKey};
use crate::recompiler::rop::merge_pixels::{self, MergeKey};
use crate::recompiler::software::iteration_budget::QuadIterations;
use crate::recompiler::software::multi_draw::{PartVector, part_vectors, parts_source};
use crate::recompiler::tiles::key::TileWork;
use crate::recompiler::vertex::{self, ProgramTraits, VertexFetch, VertexKernelKey};
use crate::shader::vertex::VertexProgram;

/// Maximum number of cached kernels per stage.
const KERNEL_LIMIT: usize = 1024;

/// The kernels from rasterizer to output merger.
#[derive(Debug)]
pub(super) enum PixelKernels {
    /// One kernel for all stages.
    Fused {
        kernels: Arc<TileKernels>,
        limits: TileLimits,
        /// Whether the kernels leave out counts that can be derived from others.
        counts_partly: bool,
        /// Units that the kernels sample from a copy.
        imaged_units: u16,
    },
    /// One kernel for each stage.
    Split(SplitKernels),
}

/// What keeps the invocations of tile kernels within an adapter's loop iterations.
#[derive(Debug, Clone, Copy)]
pub(super) enum TileLimits {
    /// Invocations that draw tiles continue in other dispatches; the maximum number of iterations for shading a quad.
    Dispatches(QuadIterations),
    /// Batches for workgroups that draw tiles have at most this many primitives.
    Primitives(usize),
}

/// The kernels of separate stages.
#[derive(Debug)]
pub(super) struct SplitKernels {
    pub(super) shade: Arc<Kernel>,
    pub(super) merge: Arc<Kernel>,
    /// Vectors that shading stores per quad.
    pub(super) shaded_stride: u32,
    /// How many words of these vectors count the program's work for a quad.
    pub(super) flow_counts: u32,
    /// Units with memory that is copied first, because the draw also writes some of it.
    pub(super) copied_units: u16,
    /// Why it is not one kernel.
    reason: SplitReason,
}

impl PixelKernels {
    /// The path of the draw.
    pub(super) fn path(&self) -> DrawPath {
        let fast = match self {
            Self::Split(kernels) => return DrawPath::Split(kernels.reason),
            Self::Fused { kernels, limits, .. } => match (kernels.fast(), limits) {
                (Some(kernel), _) => Ok(kernel.number),
                (None, _) if kernels.has_fast_path() => Err(ExactReason::FewUses),
                (None, TileLimits::Primitives(_)) => Err(ExactReason::Workgroups),
                (None, TileLimits::Dispatches(rounds)) if rounds.clip_planes != 0 => Err(ExactReason::ClipPlanes),
                (None, TileLimits::Dispatches(_)) if kernels.runs_threads() => Err(ExactReason::Threads),
                (None, TileLimits::Dispatches(_)) => Err(ExactReason::DenormalConstants),
            },
        };
        DrawPath::Fused { fast }
    }
}

/// A vertex stage, and the parts of its key that dispatches need.
#[derive(Debug)]
pub(super) struct VertexKernel {
    pub(super) traits: ProgramTraits,
    pub(super) fetch: VertexFetch,
    /// Bit i: output register i is stored.
    pub(super) outputs: u16,
    /// The vectors of each draw in a multi-draw, if the program allows multi-draws.
    pub(super) part: Option<Vec<PartVector>>,
    /// The key of a SIMT program.
    simt: Option<Box<SimtVertexKey>>,
    /// The kernels for a single draw and for multi-draws; each is compiled on first use.
    alone: OnceLock<Arc<Kernel>>,
    multi_draw: OnceLock<Arc<Kernel>>,
    /// How often a draw that takes less time alone goes through the kernel for multi-draws, before another is compiled.
    exact_uses: u32,
    /// How often there was such a draw.
    uses: AtomicU32,
}

/// Compiled kernels, by key.
#[derive(Debug, Default)]
pub(super) struct PipelineCache {
    /// How many uses of a kernel precede the compilation of its fast path.
    exact_uses: u32,
    /// Which SIMT programs have kernels.
    pub(super) programs: SimtPrograms,
    tiles: HashMap<TileKey, Arc<TileKernels>>,
    vertex: HashMap<VertexKernelKey, Arc<VertexKernel>>,
    simt_vertex: HashMap<SimtVertexKey, Arc<VertexKernel>>,
    simt_geometry: HashMap<SimtGeometryKey, Arc<Kernel>>,
    shade: HashMap<ShadeKey, Arc<Kernel>>,
    merge: HashMap<MergeKey, Arc<Kernel>>,
}

impl PipelineCache {
    /// Creates an empty cache that compiles the fast path of a kernel after this many uses.
    pub(super) fn new(exact_uses: u32) -> Self {
        Self { exact_uses, ..Self::default() }
    }

    /// The vertex stage of a draw with later stages that read these output registers.
    pub(super) fn vertex_kernel(
        &mut self,
        context: &Context,
        draw: &Draw,
        program: &VertexCode,
        outputs: u16,
    ) -> Result<Arc<VertexKernel>, EngineError> {
        let exact_uses = self.exact_uses;
        let program = match (program, &draw.vertex) {
            (VertexCode::Vec4(program), _) => program,
            (VertexCode::Simt, stage) => {
                let key = simt_vertex_key(&mut self.programs, context, draw, stage, outputs)?;
                let new = |key: &SimtVertexKey| {
                    let traits = ProgramTraits::checked(key.attributes_read(), key.run_and_workgroup());
                    let kernel = VertexKernel::new(traits, &key.fetch, key.outputs, None, exact_uses);
                    Ok(Arc::new(VertexKernel { simt: Some(Box::new(key.clone())), ..kernel }))
                };
                return find_or_compile(&mut self.simt_vertex, key, new);
            }
        };
        let new = |key: &VertexKernelKey| {
            let traits = ProgramTraits::new(&key.program, key.has_runs);
            Ok(Arc::new(VertexKernel::new(traits, &key.fetch, key.outputs, part_vectors(key), exact_uses)))
        };
        find_or_compile(&mut self.vertex, vertex_key(context, draw, program, outputs), new)
    }

    /// Finds or compiles the kernel of a geometry program.
    pub(super) fn geometry_kernel(
        &mut self,
        context: &Context,
        key: SimtGeometryKey,
    ) -> Result<Arc<Kernel>, EngineError> {
        let compile = |key: &SimtGeometryKey| context.gpu.kernel_from("run_geometry_programs", || Ok(key.source()));
        find_or_compile(&mut self.simt_geometry, key, compile)
    }

    /// Finds or compiles the kernels behind the vertex stage.
    pub(super) fn pixel_kernels(
        &mut self,
        context: &Context,
        draw: &Draw,
        program: &FragmentCode,
        options: PathOptions,
    ) -> Result<PixelKernels, EngineError> {
        let gpu = &context.gpu;
        match PixelPlan::new(draw, program, options, &|window| context.locate(window))? {
            PixelPlan::Fused { key, imaged_units } => {
                let max_primitives = |limit| usize::try_from(key.0.max_primitives(limit)).unwrap_or(usize::MAX);
                let limits = match key.0.work {
                    TileWork::Invocation => TileLimits::Dispatches(key.0.rounds),
                    TileWork::Workgroup { .. } => {
                        TileLimits::Primitives(options.max_loop_iterations.map_or(usize::MAX, max_primitives))
                    }
                };
                let counts_partly = key.0.counts_partly();
                let new = |key: &TileKey| Ok(Arc::new(TileKernels::new(key.clone())));
                let kernels = find_or_compile(&mut self.tiles, *key, new)?;
                kernels.begin_use(gpu, self.exact_uses)?;
                Ok(PixelKernels::Fused { kernels, limits, counts_partly, imaged_units })
            }
            PixelPlan::Split { shade, merge, shaded_stride, flow_counts, copied_units, reason } => {
                tracing::trace!(%reason, "a draw takes separate stages");
                let compile = |key: &ShadeKey| gpu.kernel_from("shade_quads", || shade_source(key));
                let shade = find_or_compile(&mut self.shade, *shade, compile)?;
                let compile = |key: &MergeKey| gpu.kernel_from("merge_pixels", || Ok(merge_pixels::source(key)));
                let merge = find_or_compile(&mut self.merge, *merge, compile)?;
                Ok(PixelKernels::Split(SplitKernels { shade, merge, shaded_stride, flow_counts, copied_units, reason }))
            }
        }
    }
}

impl VertexKernel {
    fn new(
        traits: ProgramTraits,
        fetch: &VertexFetch,
        outputs: u16,
        part: Option<Vec<PartVector>>,
        exact_uses: u32,
    ) -> Self {
        let (alone, multi_draw, uses) = (OnceLock::new(), OnceLock::new(), AtomicU32::new(0));
        Self { traits, fetch: fetch.clone(), outputs, part, simt: None, alone, multi_draw, exact_uses, uses }
    }

    /// Whether a draw with this many workgroups goes through the kernel for multi-draws: if it is small, and the first
    /// times, so that programs that run a few times need one kernel. Counts the latter.
    pub(super) fn joins_multi_draw(&self, workgroups: usize) -> bool {
        self.part.as_ref().is_some_and(|part| {
            is_small(part.len(), workgroups) || self.uses.fetch_add(1, Ordering::Relaxed) < self.exact_uses
        })
    }

    /// The compiled stage for a single draw.
    pub(super) fn compiled_alone(
        &self,
        context: &Context,
        draw: &Draw,
        program: &VertexCode,
    ) -> Result<Arc<Kernel>, EngineError> {
        let source = || match program {
            VertexCode::Vec4(program) => Ok(vertex::source(&vertex_key(context, draw, program, self.outputs))),
            VertexCode::Simt => Ok(self.simt.as_ref().ok_or_else(needs_warps)?.source()),
        };
        compiled_once(&self.alone, context, source)
    }

    /// The same for multi-draws whose draws have these vectors.
    pub(super) fn compiled_multi_draw(
        &self,
        context: &Context,
        draw: &Draw,
        program: &VertexCode,
        part: &[PartVector],
    ) -> Result<Arc<Kernel>, EngineError> {
        let source = || match program {
            VertexCode::Vec4(program) => Ok(parts_source(&vertex_key(context, draw, program, self.outputs), part)),
            VertexCode::Simt => Err(needs_warps()),
        };
        compiled_once(&self.multi_draw, context, source)
    }
}

fn compiled_once(
    place: &OnceLock<Arc<Kernel>>,
    context: &Context,
    source: impl FnOnce() -> Result<String, EngineError>,
) -> Result<Arc<Kernel>, EngineError> {
    if let Some(kernel) = place.get() {
        return Ok(Arc::clone(kernel));
    }
    let kernel = context.gpu.kernel_from("run_vertex_programs", source)?;
    Ok(Arc::clone(place.get_or_init(|| kernel)))
}

fn simt_vertex_key(
    programs: &mut SimtPrograms,
    context: &Context,
    draw: &Draw,
    stage: &VertexStage,
    outputs: u16,
) -> Result<SimtVertexKey, EngineError> {
    let VertexStage::Simt(stage) = stage else { return Err(needs_warps()) };
    let read = stage.attributes_read();
    let fetch = run_vertex_programs::draw_fetch(draw, read, &|window| context.locate(window));
    let has_runs = AdapterChoices::of(context.gpu.summary()).has_runs;
    SimtVertexKey::new(programs, stage, &draw.elements, fetch, outputs, has_runs).ok_or_else(needs_warps)
}

fn needs_warps() -> EngineError {
    EngineError::Unsupported { what: "a vertex program that needs warps".to_owned() }
}

fn vertex_key(context: &Context, draw: &Draw, program: &VertexProgram, outputs: u16) -> VertexKernelKey {
    let has_runs = AdapterChoices::of(context.gpu.summary()).has_runs;
    run_vertex_programs::key(draw, program, outputs, has_runs, &|window| context.locate(window))
}

/// The kernel of a key; compiles it on first use.
fn find_or_compile<K: Eq + Hash, V: Clone>(
    kernels: &mut HashMap<K, V>,
    key: K,
    compile: impl FnOnce(&K) -> Result<V, EngineError>,
) -> Result<V, EngineError> {
    if let Some(kernel) = kernels.get(&key) {
        return Ok(kernel.clone());
    }
    let kernel = compile(&key)?;
    // Programs are untrusted input; a stream that never repeats one must not exhaust memory.
    if kernels.len() >= KERNEL_LIMIT {
        kernels.clear();
    }
    kernels.insert(key, kernel.clone());
    Ok(kernel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::test_programs::program;

    #[test]
    fn a_program_has_a_kernel_for_large_draws_once_they_are_frequent() {
        let traits = || ProgramTraits::new(&program(Vec::new()), true);
        let kernel = |part, exact_uses| VertexKernel::new(traits(), &VertexFetch::Immediate, 1, part, exact_uses);
        let vectors = vec![PartVector::Limits; 8];
        // Eight vectors for each of 32 workgroups are few enough.
        let rare = kernel(Some(vectors.clone()), 2);
        assert_eq!(
            [32, 33, 32, 33, 33, 32].map(|workgroups| rare.joins_multi_draw(workgroups)),
            [true, true, true, true, false, true]
        );
        assert!(!kernel(Some(vectors), 0).joins_multi_draw(33));
        assert!(!kernel(None, 2).joins_multi_draw(1), "the program allows no multi-draws");
    }
}
