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
use crate::counters::{Counter, Counters, LookupCounts, count_threads};
use crate::memory::{GuestMemory, MemoryWindow};
use crate::pipeline::front_end::assemble_primitives::Primitive;
use crate::pipeline::front_end::raster_parameters::RasterParameters;
use crate::pipeline::launch::WARP_THREADS;
use crate::pipeline::primitive_setup::PrimitiveSetup;
use crate::pipeline::{
    Draw, EngineError, QuadInputs, ShadedVertex, SimtFragmentStage, SimtGeometryStage, SimtVertexStage, TextureState,
};

/// Warps that run at once; counters do not depend on it.
const WARPS: usize = 1 << 9;
/// Quads of a warp.
const WARP_QUADS: usize = WARP_THREADS as usize / 4;

/// Counts the run of vertices with these indices.
pub(super) fn count_vertices(
    counters: &mut Counters,
    memory: &GuestMemory,
    draw: &Draw,
    stage: &SimtVertexStage,
    indices: &[u32],
) -> Result<(), EngineError> {
    for indices in indices.chunks(WARPS * WARP_THREADS as usize) {
        let launch = vertex_launch(memory, draw, stage, indices);
        count_threads(counters, &launch, &run_threads_observed(&launch, (memory, &Unobserved))?);
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
) -> Result<(), EngineError> {
    let threads = WARPS * WARP_THREADS as usize;
    for (primitives, first) in primitives.chunks(threads).zip((first..).step_by(threads)) {
        let launch = primitive_launch(draw, stage, vertices, primitives, first);
        count_threads(counters, &launch, &run_threads_observed(&launch, (memory, &Unobserved))?);
    }
    Ok(())
}

/// Counts the threads of shaded quads.
#[derive(Debug, Default)]
pub(super) struct FragmentThreads {
    /// Quads that do not fill a warp yet.
    pending: PendingQuads,
    fetches: FetchCounts,
}

impl FragmentThreads {
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
            if self.pending.len() == WARPS * WARP_QUADS {
                self.run(stage, &draw.textures, texels)?;
            }
        }
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
            let report = run_threads_observed(&launch, (texels, &self.fetches))?;
            count_threads(&mut self.fetches.taken.get_mut().counters, &launch, &report);
        }
        Ok(())
    }

    /// The counters of all threads.
    pub(super) fn counters(self) -> Counters {
        self.fetches.taken.into_inner().counters
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
}

impl DrawObserver for FetchCounts {
    fn read_texel(&self, _: MemoryWindow, _: u32) {
        self.taken.borrow_mut().current += LookupCounts::TEXEL;
    }

    fn sample_texture(&self, taken: LookupCounts) {
        self.taken.borrow_mut().current += taken;
    }

    fn finish_threads(&self, units: [u8; 2], threads: u32) {
        let Taken { current, counters } = &mut *self.taken.borrow_mut();
        let LookupCounts { samples, texels, trilinear, anisotropic } = std::mem::take(current);
        let Some(unit) = self.units.iter().take(16).position(|own| *own == units) else { return };
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
