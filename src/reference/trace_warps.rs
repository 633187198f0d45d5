//! Records the warps of a draw with SIMT programs, and what their texture fetches read.

use crate::counters::trace::{DrawTrace, QuadFiltering, TracedInstruction, TracedLookup, TracedWarp, TracedWarps};
use crate::pipeline::launch::{Launch, TraceStep};
use crate::shader::simt::ProgramKind;

/// The fetch of a quad of a warp.
#[derive(Debug, Clone)]
pub(super) struct QuadFetch {
    /// The number of the quad in its warp.
    pub(super) quad: u8,
    /// The texture unit.
    pub(super) unit: u8,
    /// The cost for its threads.
    pub(super) filtered: QuadFiltering,
    /// The addresses of the texels that it read.
    pub(super) texels: Vec<u32>,
}

/// The place of a quad in a draw.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuadPlace {
    /// The primitive, as numbered in the draw.
    pub(super) primitive: u32,
    /// Column and row of the upper left pixel.
    pub(super) position: [u16; 2],
}

/// Records warps in the order in which they run.
#[derive(Debug)]
pub(super) struct WarpRecorder {
    warps: TracedWarps,
    /// The places of the first quads of warps of fragments.
    places: Vec<QuadPlace>,
    /// What quads have fetched.
    fetches: Vec<(QuadPlace, QuadFetch)>,
    fetched_texels: usize,
    /// Room for instructions and texels.
    room: [usize; 2],
    is_cut_off: bool,
}

impl WarpRecorder {
    /// Records at most as many instructions, and texels.
    pub(super) fn new(room: [usize; 2]) -> Self {
        Self {
            warps: TracedWarps::default(),
            places: Vec::new(),
            fetches: Vec::new(),
            fetched_texels: 0,
            room,
            is_cut_off: false,
        }
    }

    /// Begins a launch of vertices, primitives or fragments, whose quads have these places; returns the number of its first warp.
    pub(super) fn begin(&mut self, launch: &Launch, quads: &[QuadPlace]) -> usize {
        let first = self.warps.warps.len();
        let kind = launch.threads.kind();
        let number = self.warps.warps.iter().filter(|warp| warp.kind == kind).count();
        let threads = launch.threads.count().unwrap_or(0);
        let end = u32::try_from(self.warps.instructions.len()).unwrap_or(u32::MAX);
        for (warp, place) in (0..threads.div_ceil(32)).zip(number..) {
            let threads = u8::try_from((threads - 32 * warp).min(32)).unwrap_or(32);
            let place = u32::try_from(place).unwrap_or(u32::MAX);
            self.warps.warps.push(TracedWarp { kind, threads, end, place });
        }
        self.places.extend(quads.iter().step_by(8));
        first
    }

    /// Adds a step of a launch whose first warp has this number, and what it fetched for its quads.
    pub(super) fn step(&mut self, first_warp: usize, step: &TraceStep, fetches: Vec<QuadFetch>, quads: &[QuadPlace]) {
        if self.warps.instructions.len() >= self.room[0] {
            self.is_cut_off = true;
            return;
        }
        let block = usize::try_from(step.block).unwrap_or(usize::MAX);
        let unit = fetches.first().map_or(0, |fetch| fetch.unit);
        let steps = fetches.iter().map(|fetch| u16::from(fetch.filtered.steps)).sum();
        self.warps.instructions.push(TracedInstruction {
            instruction: u32::try_from(step.instruction).unwrap_or(u32::MAX),
            threads: step.executing,
            unit,
            fetching_quads: u8::try_from(fetches.len()).unwrap_or(u8::MAX),
            filter_steps: steps,
        });
        // The warps of a launch run one after the other.
        let end = u32::try_from(self.warps.instructions.len()).unwrap_or(u32::MAX);
        if let Some(warp) = self.warps.warps.get_mut(first_warp + block) {
            warp.end = end;
        }
        for fetch in fetches {
            let Some(place) = quads.get(8 * block + usize::from(fetch.quad)) else { continue };
            // A lookup that reads nothing takes as much room as four texels.
            let texels = fetch.texels.len() + 4;
            if self.fetched_texels + texels > self.room[1] {
                self.is_cut_off = true;
                continue;
            }
            self.fetched_texels += texels;
            self.fetches.push((*place, fetch));
        }
    }

    /// The warps; their lookups become those of the quads of a trace that is sorted.
    pub(super) fn finish(self, trace: &mut DrawTrace) -> TracedWarps {
        let Self { mut warps, places, fetches, is_cut_off, .. } = self;
        trace.is_cut_off |= is_cut_off;
        let number = |place: QuadPlace| trace.find_quad(place.primitive, place.position);
        let mut lookups: Vec<_> =
            fetches.into_iter().filter_map(|(place, fetch)| Some((number(place)?, fetch))).collect();
        // A warp without instructions ends where the one before does.
        let mut end = 0;
        for warp in &mut warps.warps {
            end = end.max(warp.end);
            warp.end = end;
        }
        let fragments = warps.warps.iter_mut().filter(|warp| warp.kind == ProgramKind::Fragment);
        for (warp, place) in fragments.zip(places) {
            warp.place = number(place).unwrap_or(0);
        }
        // The sort is stable: lookups of a quad keep the program's order.
        lookups.sort_by_key(|(quad, _)| *quad);
        for (quad, QuadFetch { unit, filtered, texels, .. }) in lookups {
            let [first_texel, count] =
                [trace.texels.len(), texels.len()].map(|length| u32::try_from(length).unwrap_or(u32::MAX));
            trace.lookups.push(TracedLookup { quad, unit, filtered, first_texel, texels: count });
            trace.texels.extend(texels);
        }
        warps
    }
}
