//! Counts what the stages of draws do: assigns each draw its slots in the counter buffer, and turns the counts read
//! back into its [`Counters`].

use super::context::Context;
use super::geometry_cache::DrawGeometry;
use super::pipeline_cache::SplitKernels;
use super::plan::count_places::{CAPACITY, CountPlace, STRIPES};
use super::plan::draw_programs::{CountedPrograms, StraightPrograms};
use super::plan::vec4_stages::vertex_stage;
use super::plan::vertex_sources::vertex_windows;
use super::stages::assembled::{Assembled, CountedPrimitives};
use super::stages::count_quads::{CountedQuads, count_quads, max_quads};
use super::stages::count_rejects::RejectStage;
use super::stages::geometry::{GeometryStage, QuadLists};
use crate::counters::{
    self, CountedProgram, Counter, Counters, CountingOptions, ElementCounts, StageCounts, StraightProgram,
    VertexExecution, VertexInstructions,
};
use crate::gpu::{DeviceError, Gpu, Recording};
use crate::pipeline::front_end::fetch_indices::fetch_indices;
use crate::pipeline::launch::QUAD_THREADS;
use crate::pipeline::{Draw, EngineError, PipelineStatistics};
use crate::reference::vertex_paths::vertex_path;
use crate::shader::vertex::VertexProgram;

/// Bytes in front of the counts: the counter of passing samples.
const HEAD_BYTES: u64 = 16;
/// The largest program, in blocks, that is counted: an invocation scans its quads once for every four blocks.
const MAX_BLOCKS: usize = 8192;

/// The counter buffer and the counted draws.
#[derive(Debug)]
pub(super) struct DrawCounting {
    /// The counter of passing samples, then the counts of draws.
    counters: wgpu::Buffer,
    /// Draw counting, if enabled.
    counted: Option<CountedDraws>,
    /// What stages have done for the chip's reports, once one of these asked.
    pub(super) statistics: Option<PipelineStatistics>,
    rejects: RejectStage,
}

#[derive(Debug)]
struct CountedDraws {
    options: CountingOptions,
    /// Draws with counts that are not read back yet.
    pending: Vec<PendingDraw>,
    next: u32,
    done: Vec<Counters>,
}

/// A draw with counts on the device.
#[derive(Debug)]
struct PendingDraw {
    counting: counters::DrawCounting,
    /// The threads of a SIMT program: what those of vertices do, and the program of fragments.
    threads: Option<(Box<Counters>, StraightProgram)>,
    /// Index of the first count.
    first: u32,
    /// Whether a tile kernel leaves out counts that can be derived from others.
    counts_partly: bool,
}

impl DrawCounting {
    /// Creates a counter of passing samples only.
    pub(super) fn new(gpu: &Gpu) -> Result<Self, EngineError> {
        let counters = gpu.buffer("counters", HEAD_BYTES)?;
        Ok(Self { counters, counted: None, statistics: None, rejects: RejectStage::default() })
    }

    /// The counter buffer; the counter of passing samples comes first.
    pub(super) const fn counters(&self) -> &wgpu::Buffer {
        &self.counters
    }

    /// The counting inputs for the stages of merged draws, if the first draw has a place.
    pub(super) const fn of_draws(&self, place: Option<CountPlace>, draws: usize) -> DrawCounts<'_> {
        DrawCounts { counters: &self.counters, place, draws }
    }

    /// Records the count of the pixels that the scissor and window clips reject from the primitives of merged draws.
    pub(super) fn count_rejects(
        &mut self,
        context: &mut Context,
        geometry: &GeometryStage,
        draw: &Draw,
        assembled: &Assembled<'_>,
        place: Option<CountPlace>,
    ) -> Result<(), DeviceError> {
        let Some(place) = place else { return Ok(()) };
        let Context { gpu, recording, .. } = context;
        let counted = (&self.counters, place.first, place.stride);
        self.rejects.count(gpu, recording, geometry, draw, assembled, counted)
    }

    /// The properties of the chip that counting depends on, if draws are counted.
    pub(super) fn options(&self) -> Option<CountingOptions> {
        self.counted.as_ref().map(|counted| counted.options)
    }

    /// Whether draws are counted.
    pub(super) const fn is_counting(&self) -> bool {
        self.counted.is_some()
    }

    /// Starts counting draws.
    pub(super) fn start(&mut self, context: &mut Context, options: CountingOptions) -> Result<(), EngineError> {
        let counters = context.gpu.buffer("counters", HEAD_BYTES + u64::from(STRIPES * CAPACITY) * 8)?;
        context.recording.copy((&self.counters, 0), (&counters, 0), HEAD_BYTES);
        self.counters = counters;
        self.counted = Some(CountedDraws { options, pending: Vec::new(), next: 0, done: Vec::new() });
        Ok(())
    }

    /// Records the reset of the counter of passing samples.
    pub(super) fn reset_samples(&self, context: &mut Context) {
        context.recording.clear(&self.counters, 0, HEAD_BYTES);
    }

    /// Whether another draw's counts fit behind the earlier ones, if its fragment program is that of the draw at `place`.
    pub(super) fn has_room(&self, place: CountPlace) -> bool {
        self.counted.as_ref().is_some_and(|counted| place.has_room(counted.next))
    }

    /// Begins to count a draw; `None` if draws are not counted.
    pub(super) fn begin(
        &mut self,
        context: &mut Context,
        draw: &Draw,
        programs: Option<CountedPrograms<'_>>,
        geometry: &DrawGeometry,
        counts_partly: bool,
    ) -> Result<Option<CountPlace>, EngineError> {
        let Some(elements) = geometry.elements.as_ref().filter(|_| self.is_counting()) else { return Ok(None) };
        let programs = programs.expect("other counted draws run on the host");
        let executed = match &programs {
            CountedPrograms::Vec4(program, _) => vertex_instructions(context, draw, program, elements)?,
            CountedPrograms::Straight(_) => VertexInstructions::default(),
        };
        let primitives = geometry.primitives();
        let program = match &programs {
            CountedPrograms::Vec4(_, program) => CountedProgram::Vec4(program),
            CountedPrograms::Straight(programs) => CountedProgram::StraightThreads(programs.lookups),
        };
        let counting = counters::DrawCounting::new(draw, program, elements, &executed, primitives);
        let threads = match programs {
            CountedPrograms::Vec4(..) => None,
            CountedPrograms::Straight(StraightPrograms { vertex, fragment, .. }) => {
                let mut counters = Counters::default();
                // Other draws never start.
                if primitives != 0 && !draw.raster.clip.is_empty() {
                    vertex.count(&mut counters, elements.misses);
                }
                Some((Box::new(counters), fragment))
            }
        };
        if counting.blocks() > MAX_BLOCKS {
            let (size, limit) = (counting.blocks() as u64, MAX_BLOCKS as u64);
            return Err(EngineError::TooLarge { what: "number of blocks of a counted fragment program", size, limit });
        }
        let stride = u32::try_from(StageCounts::words(counting.program_words())).expect("they are few");
        if self.counted.as_ref().is_some_and(|counted| counted.next + stride > CAPACITY) {
            self.collect(context)?;
        }
        let tests_early = counting.tests_early();
        Ok(self.counted.as_mut().map(|counted| {
            let first = counted.next;
            counted.next += stride;
            counted.pending.push(PendingDraw { counting, threads, first, counts_partly });
            CountPlace { first, stride, tests_early }
        }))
    }

    /// Adds the passing samples and the counters of a draw that ran elsewhere, behind those of all earlier draws.
    pub(super) fn add(
        &mut self,
        context: &mut Context,
        samples: u32,
        counters: Vec<Counters>,
    ) -> Result<(), EngineError> {
        let Context { gpu, recording, .. } = &mut *context;
        if samples != 0 {
            let mut earlier = [0u32; 1];
            gpu.read_back(recording, &self.counters, 0, bytemuck::cast_slice_mut(&mut earlier))?;
            recording.upload(&self.counters, 0, bytemuck::bytes_of(&earlier[0].wrapping_add(samples)))?;
        }
        if !counters.is_empty() {
            self.collect(context)?;
        }
        if let Some(counted) = &mut self.counted {
            counted.done.extend(counters);
        }
        Ok(())
    }

    /// Takes the counters of all draws up to now.
    pub(super) fn take(&mut self, context: &mut Context) -> Result<Vec<Counters>, EngineError> {
        self.collect(context)?;
        Ok(self.counted.as_mut().map(|counted| std::mem::take(&mut counted.done)).unwrap_or_default())
    }

    /// Reads back the counts of pending draws.
    fn collect(&mut self, context: &mut Context) -> Result<(), EngineError> {
        let Some(counted) = &mut self.counted else { return Ok(()) };
        if counted.next == 0 {
            return Ok(());
        }
        let Context { gpu, recording, .. } = context;
        let count = counted.next as usize;
        let bytes = u64::from(counted.next) * 8;
        let gathered = gpu.buffer("gathered counts", u64::from(STRIPES) * bytes)?;
        for stripe in 0..u64::from(STRIPES) {
            let place = HEAD_BYTES + stripe * u64::from(CAPACITY) * 8;
            recording.copy((&self.counters, place), (&gathered, stripe * bytes), bytes);
            recording.clear(&self.counters, place, bytes);
        }
        let mut stripes = vec![0u64; STRIPES as usize * count];
        gpu.read_back(recording, &gathered, 0, bytemuck::cast_slice_mut(&mut stripes))?;
        let (sums, others) = stripes.split_at_mut(count);
        for stripe in others.chunks(count) {
            sums.iter_mut().zip(stripe).for_each(|(sum, word)| *sum += word);
        }
        let words = &*sums;
        for PendingDraw { counting, threads, first, counts_partly } in counted.pending.drain(..) {
            let (first, program) = (first as usize, counting.program_words());
            let stages = words[first..first + StageCounts::words(program)].to_vec();
            let stages = StageCounts::from_words(stages, program);
            let mut counters = counting.finish_kernels(stages, counts_partly);
            if let Some((vertices, fragments)) = threads {
                counters += &*vertices;
                let quads = counters.total(Counter::ShadedQuads);
                fragments.count(&mut counters, u64::from(QUAD_THREADS) * quads);
            }
            counted.done.push(counters);
        }
        counted.next = 0;
        Ok(())
    }
}

/// What the vertex processor executes for the elements of a draw.
fn vertex_instructions(
    context: &mut Context,
    draw: &Draw,
    program: &VertexProgram,
    elements: &ElementCounts,
) -> Result<VertexInstructions, EngineError> {
    let stage = vertex_stage(draw);
    let execution = VertexExecution::new(program, stage.instruction_limit);
    let mut vertices = Vec::new();
    if !execution.is_same_for_all() {
        // Vertex kernels count no blocks: the reference traces each vertex on the host, with attributes from there.
        vertices = fetch_indices(context.memory.host(), draw)?.unique;
        for window in vertex_windows(draw, &vertices) {
            context.download(window)?;
        }
    }
    Ok(execution.of_draw(elements, None, &mut |position| {
        vertex_path(context.memory.host(), draw, stage, program, vertices[position])
    }))
}

/// The counting inputs for the stages of merged draws; empty if the draws are not counted.
#[derive(Clone, Copy)]
pub(super) struct DrawCounts<'a> {
    /// The buffer of [`DrawCounting::counters`].
    pub(super) counters: &'a wgpu::Buffer,
    place: Option<CountPlace>,
    draws: usize,
}

impl<'a> DrawCounts<'a> {
    /// Index of the first draw's first count.
    pub(super) fn first(self) -> u32 {
        self.place.map_or(0, |place| place.first)
    }

    /// The counting inputs for the geometry stages on the fused path.
    pub(super) fn primitives(self) -> Option<CountedPrimitives<'a>> {
        self.place.map(|place| CountedPrimitives::new(place, self.counters, self.draws))
    }

    /// The same on the split path, which counts quads by rounds.
    pub(super) fn primitives_in_rounds(self, gpu: &Gpu, kernels: &SplitKernels) -> Option<CountedPrimitives<'a>> {
        let vectors = [kernels.shaded_stride, kernels.flow_counts.div_ceil(4)];
        self.primitives().map(|counted| CountedPrimitives { max_quads: max_quads(gpu, vectors), ..counted })
    }

    /// Records the count of a round of shaded and merged quads.
    pub(super) fn count_quads(
        self,
        gpu: &Gpu,
        recording: &mut Recording,
        kernels: &SplitKernels,
        shaded: &wgpu::Buffer,
        quads: &QuadLists<'_>,
    ) -> Result<(), DeviceError> {
        let Some(place) = self.place else { return Ok(()) };
        let quads = CountedQuads {
            counters: self.counters,
            shaded,
            groups: quads.groups,
            max_quads: quads.max_quads,
            stride: kernels.shaded_stride,
            flow_counts: kernels.flow_counts,
        };
        count_quads(gpu, recording, place, &quads)
    }
}
