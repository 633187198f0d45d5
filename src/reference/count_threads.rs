//! Counts what the Tesla processor does for a draw: runs the threads of its SIMT programs once more, in the warps that
//! statistics define.
//!
//! The vertices that miss the post-transform cache, the primitives and the shaded quads of a draw fill warps in their order:
//! quads primitive by primitive, row by row. How an engine forms warps to draw has no effect on counters.
//!
//! Sources: Lindholm et al., IEEE Micro 28(2), for warps of 32 threads of one kind, and of eight quads.
// Unverified: the order of quads, and that a warp may hold quads of several primitives.

use std::cell::RefCell;

use super::compute::run_primitives::primitive_launch;
use super::compute::run_vertices::{run_threads_observed, vertex_launch};
use super::compute::shade_quads::PendingQuads;
use super::observer::{DrawObserver, Unobserved};
use super::raster::rasterize_tiles::CoveredQuad;
use super::trace_warps::{QuadFetch, QuadPlace, WarpRecorder};
use crate::counters::trace::{QuadFiltering, trace_address};
use crate::counters::{Counter, Counters, LookupCounts, count_threads};
use crate::memory::{GuestMemory, MemoryWindow};
use crate::pipeline::front_end::assemble_primitives::Primitive;
use crate::pipeline::front_end::raster_parameters::RasterParameters;
use crate::pipeline::launch::{Launch, LaunchReport, TraceStep, WARP_THREADS};
use crate::pipeline::primitive_setup::PrimitiveSetup;
use crate::pipeline::{
    Draw, EngineError, QuadInputs, ShadedVertex, SimtFragmentStage, SimtGeometryStage, SimtVertexStage, TextureState,
};

/// Warps that run at once; counters do not depend on it.
const WARPS: usize = 1 << 9;
/// Quads of a warp.
const WARP_QUADS: usize = WARP_THREADS as usize / 4;

/// Runs the threads of a launch whose quads have these places; records their warps if there is a recorder. `take` returns what
/// the last instruction fetched.
fn run_recorded(
    launch: &Launch,
    texels: (&GuestMemory, &dyn DrawObserver),
    quads: &[QuadPlace],
    recorder: Option<&mut WarpRecorder>,
    take: &dyn Fn() -> Vec<QuadFetch>,
) -> Result<LaunchReport, EngineError> {
    let Some(recorder) = recorder else { return run_threads_observed(launch, texels, None) };
    let first = recorder.begin(launch, quads);
    let mut steps = |step: TraceStep| recorder.step(first, &step, take(), quads);
    run_threads_observed(launch, texels, Some(&mut steps))
}

/// Counts the run of vertices with these indices.
pub(super) fn count_vertices(
    counters: &mut Counters,
    memory: &GuestMemory,
    draw: &Draw,
    stage: &SimtVertexStage,
    indices: &[u32],
    mut recorder: Option<&mut WarpRecorder>,
) -> Result<(), EngineError> {
    for indices in indices.chunks(WARPS * WARP_THREADS as usize) {
        let launch = vertex_launch(memory, draw, stage, indices);
        let report = run_recorded(&launch, (memory, &Unobserved), &[], recorder.as_deref_mut(), &Vec::new)?;
        count_threads(counters, &launch, &report);
    }
    Ok(())
}

/// Counts the run of the geometry program on primitives over these vertices; `first` is the number of the first one.
pub(super) fn count_primitives(
    counters: &mut Counters,
    memory: &GuestMemory,
    draw: &Draw,
    stage: &SimtGeometryStage,
    (vertices, primitives): (&[ShadedVertex], &[Primitive]),
    first: u32,
    mut recorder: Option<&mut WarpRecorder>,
) -> Result<(), EngineError> {
    let threads = WARPS * WARP_THREADS as usize;
    for (primitives, first) in primitives.chunks(threads).zip((first..).step_by(threads)) {
        let launch = primitive_launch(draw, stage, vertices, primitives, first);
        let report = run_recorded(&launch, (memory, &Unobserved), &[], recorder.as_deref_mut(), &Vec::new)?;
        count_threads(counters, &launch, &report);
    }
    Ok(())
}

/// Counts the threads of shaded quads.
#[derive(Debug, Default)]
pub(super) struct FragmentThreads {
    /// Quads that do not fill a warp yet.
    pending: PendingQuads,
    /// Their places, if warps are recorded.
    places: Vec<QuadPlace>,
    /// Primitives of the batches so far.
    primitives: u32,
    fetches: FetchCounts,
    recorder: Option<WarpRecorder>,
}

impl FragmentThreads {
    /// Records their warps, too.
    pub(super) fn recorded(recorder: Option<WarpRecorder>) -> Self {
        let taken = Taken { is_recorded: recorder.is_some(), ..Taken::default() };
        let fetches = FetchCounts { taken: RefCell::new(taken), ..FetchCounts::default() };
        Self { fetches, recorder, ..Self::default() }
    }

    /// Adds the quads of a batch of primitives, in any order.
    pub(super) fn add(
        &mut self,
        (draw, stage): (&Draw, &SimtFragmentStage),
        parameters: &RasterParameters<'_>,
        vertices: &[ShadedVertex],
        (setups, numbers): (&[PrimitiveSetup], &[u32]),
        mut quads: Vec<(CoveredQuad, QuadInputs)>,
        texels: &GuestMemory,
    ) -> Result<(), EngineError> {
        quads.sort_by_key(|(quad, _)| (quad.record, quad.y, quad.x));
        for (quad, inputs) in &quads {
            self.pending.push(stage, parameters, vertices, (setups, numbers), (quad, inputs));
            if self.recorder.is_some() {
                let position = [inputs.x, inputs.y].map(|pixel| u16::try_from(pixel).unwrap_or(u16::MAX));
                self.places.push(QuadPlace { primitive: self.primitives + quad.record, position });
            }
            if self.pending.len() == WARPS * WARP_QUADS {
                self.run(stage, &draw.textures, texels)?;
            }
        }
        self.primitives += u32::try_from(setups.len()).unwrap_or(u32::MAX);
        Ok(())
    }

    /// Runs the quads that were added.
    pub(super) fn run(
        &mut self,
        stage: &SimtFragmentStage,
        textures: &[Option<TextureState>],
        texels: &GuestMemory,
    ) -> Result<(), EngineError> {
        let count = self.pending.len();
        if count != 0 {
            self.fetches.units.clone_from(&stage.units);
            let launch = self.pending.launch(stage, textures, count);
            let take = || std::mem::take(&mut self.fetches.taken.borrow_mut().fetched);
            let texels: (_, &dyn DrawObserver) = (texels, &self.fetches);
            let report = run_recorded(&launch, texels, &self.places, self.recorder.as_mut(), &take)?;
            self.places.clear();
            count_threads(&mut self.fetches.taken.get_mut().counters, &launch, &report);
        }
        Ok(())
    }

    /// The counters of all threads, and the recorder of their warps.
    pub(super) fn finish(self) -> (Counters, Option<WarpRecorder>) {
        (self.fetches.taken.into_inner().counters, self.recorder)
    }
}

/// Counts fetches by the units of a draw.
#[derive(Debug, Default)]
struct FetchCounts {
    /// The numbers of the texture and of the sampler of each unit.
    units: Vec<[u8; 2]>,
    taken: RefCell<Taken>,
}

/// What was fetched.
#[derive(Debug, Default)]
struct Taken {
    /// Of the instruction that is executed.
    current: LookupCounts,
    counters: Counters,
    /// Whether fetches of quads are recorded.
    is_recorded: bool,
    /// The texels of the thread that fetches, and the threads of the instruction that have fetched.
    texels: Vec<u32>,
    thread: ThreadFetch,
    threads: Vec<ThreadFetch>,
    /// What the quads of the instruction fetched.
    fetched: Vec<QuadFetch>,
}

/// What a thread fetched.
#[derive(Debug, Clone, Copy, Default)]
struct ThreadFetch {
    /// The end of its texels.
    end: usize,
    samples: u32,
    steps: u32,
}

impl Taken {
    /// Groups the fetches of threads, in ascending order, by quads.
    fn group(&mut self, unit: u8, threads: u32) {
        let byte = |number| u8::try_from(number).unwrap_or(u8::MAX);
        let (mut first, mut next) = (0, self.threads.drain(..));
        for quad in 0..8 {
            let count = (threads >> (4 * quad) & 15).count_ones() as usize;
            let (mut filtered, mut end) = ([0, 0], first);
            for thread in next.by_ref().take(count) {
                filtered = [filtered[0] + thread.samples, filtered[1].max(thread.steps)];
                end = thread.end;
            }
            if count != 0 {
                let texels = self.texels.get(first..end).unwrap_or_default().to_vec();
                let filtered = QuadFiltering { samples: byte(filtered[0]), steps: byte(filtered[1]) };
                self.fetched.push(QuadFetch { quad: byte(quad), unit, filtered, texels });
            }
            first = end;
        }
        drop(next);
        self.texels.clear();
    }
}

impl DrawObserver for FetchCounts {
    fn read_texel(&self, window: MemoryWindow, offset: u32) {
        let taken = &mut *self.taken.borrow_mut();
        taken.current += LookupCounts::TEXEL;
        if taken.is_recorded && offset < window.bytes {
            taken.texels.push(trace_address(window, offset));
        }
    }

    fn sample_texture(&self, counts: LookupCounts) {
        let taken = &mut *self.taken.borrow_mut();
        taken.current += counts;
        taken.thread.samples += counts.samples;
    }

    fn filter_steps(&self, steps: u32) {
        self.taken.borrow_mut().thread.steps += steps;
    }

    fn finish_pixel(&self) {
        let taken = &mut *self.taken.borrow_mut();
        let thread = std::mem::take(&mut taken.thread);
        if taken.is_recorded {
            taken.threads.push(ThreadFetch { end: taken.texels.len(), ..thread });
        }
    }

    fn finish_threads(&self, units: [u8; 2], threads: u32) {
        let taken = &mut *self.taken.borrow_mut();
        let unit = self.units.iter().take(16).position(|own| *own == units);
        if taken.is_recorded {
            taken.group(unit.and_then(|unit| u8::try_from(unit).ok()).unwrap_or(0), threads);
        }
        let Taken { current, counters, .. } = taken;
        let LookupCounts { samples, texels, trilinear, anisotropic } = std::mem::take(current);
        let Some(unit) = unit else { return };
        let quads = (threads | threads >> 1 | threads >> 2 | threads >> 3) & 0x1111_1111;
        counters.add(Counter::TextureInstructions, quads.count_ones().into());
        for (counter, amount) in [
            (Counter::Lookups, threads.count_ones()),
            (Counter::TextureSamples, samples),
            (Counter::Texels, texels),
            (Counter::Trilinear, trilinear),
            (Counter::Anisotropic, anisotropic),
        ] {
            counters.add_to(counter, unit, amount.into());
        }
    }
}
