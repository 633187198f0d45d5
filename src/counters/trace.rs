//! The trace of a draw: vertices, quads, texels and branches in the order of the chip, which models replay.

use std::collections::HashMap;

use super::{Counters, FlowStep, VertexEdges, VertexInstructions};
use crate::memory::{MemorySpace, MemoryWindow};
use crate::pipeline::Draw;
use crate::shader::fragment::FragmentProgram;
use crate::shader::simt::ProgramKind;
use crate::shader::vertex::VertexProgram;

/// The side, in pixels, of the tiles in which a rasterizer traverses a primitive.
// Unverified: the chip's own size; ATTILA, a simulator of such chips, uses the same.
pub const WALK_TILE: u32 = 8;

/// Base of the addresses of the window into system memory; those of video memory are below.
pub const GART_BASE: u32 = 1 << 31;

/// The address of a byte of a window in traces.
#[must_use]
pub const fn trace_address(window: MemoryWindow, offset: u32) -> u32 {
    let base = match window.space {
        MemorySpace::Vram => 0,
        MemorySpace::Gart => GART_BASE,
    };
    base | window.start.wrapping_add(offset)
}

/// The most texels that an engine's traces hold at a time; further ones are dropped.
pub const TEXEL_LIMIT: usize = 1 << 27;
/// The most quads of these traces.
pub const QUAD_LIMIT: usize = 1 << 24;
/// The most flow steps of programs.
pub const STEP_LIMIT: usize = 1 << 25;
/// The most fetched vertices.
pub const VERTEX_LIMIT: usize = 1 << 26;

/// Free capacity of a draw's trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceRoom {
    /// Texels.
    pub texels: usize,
    /// Quads.
    pub quads: usize,
    /// Flow steps of programs.
    pub steps: usize,
    /// Fetched vertices.
    pub vertices: usize,
}

impl TraceRoom {
    /// The capacity that other traces leave.
    #[must_use]
    pub fn beside(traces: &[TracedDraw]) -> Self {
        let sum = |of: fn(&DrawTrace) -> usize| traces.iter().map(|traced| of(&traced.trace)).sum::<usize>();
        Self {
            texels: TEXEL_LIMIT.saturating_sub(sum(|trace| trace.texels.len() + 4 * trace.lookups.len())),
            quads: QUAD_LIMIT.saturating_sub(sum(|trace| trace.quads.len())),
            steps: STEP_LIMIT.saturating_sub(sum(|trace| trace.steps.len())),
            vertices: VERTEX_LIMIT.saturating_sub(sum(|trace| trace.vertices.len())),
        }
    }
}

/// A quad of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TracedQuad {
    /// The primitive, as numbered in the draw.
    pub primitive: u32,
    /// Column of the left pixels; even.
    pub x: u16,
    /// Row of the upper pixels; even.
    pub y: u16,
    /// Bit i: pixel i is covered.
    pub covered: u8,
    /// Bit i: a sample of pixel i passed all tests.
    pub passed: u8,
    /// Whether the fragment program ran.
    pub is_shaded: bool,
    /// Least and greatest depth of covered pixels before shading, in the surface's format; zeros without a depth
    /// surface.
    pub depths: [u32; 2],
    /// Instructions that the program executed.
    pub instructions: u32,
    /// Branches at which pixels diverged.
    pub divergent: u32,
}

/// The cost of a texture fetch for the four pixels of a quad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuadFiltering {
    /// Samples of all pixels, as the counters count them; 64 at most.
    pub samples: u8,
    /// Steps of the most expensive pixel. A unit reads four texels per step: a nearest or bilinear sample takes
    /// one step, a sample between two slices of a volume two, and a convolution of n texels n / 4 rounded up.
    pub steps: u8,
}

/// The texels that a texture unit read for a quad.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedLookup {
    /// The quad, as numbered in the draw's trace.
    pub quad: u32,
    /// The unit.
    pub unit: u8,
    /// The cost for its four pixels.
    pub filtered: QuadFiltering,
    /// Its first texel.
    pub first_texel: u32,
    /// How many it reads.
    pub texels: u32,
}

/// A trace event: a quad reached a branch or entered a block of its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedStep {
    /// The quad, as numbered in the draw's trace.
    pub quad: u32,
    /// The branch or block, as an index into [`DrawTrace::places`].
    pub place: u32,
    /// The active pixels.
    pub active: u8,
    /// For a branch, the active pixels that take it.
    pub taken: u8,
}

/// An instruction that a warp executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedInstruction {
    /// Its number in the program.
    pub instruction: u32,
    /// The threads that executed it: active ones whose predicate held.
    pub threads: u32,
    /// The texture unit, if it fetches.
    pub unit: u8,
    /// The quads that fetch, and the steps of each one's most expensive thread, summed ([`QuadFiltering::steps`]).
    pub fetching_quads: u8,
    /// See `fetching_quads`.
    pub filter_steps: u16,
}

/// A warp of threads of one program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedWarp {
    /// The kind of the program.
    pub kind: ProgramKind,
    /// Threads that began.
    pub threads: u8,
    /// The end of its instructions in [`TracedWarps::instructions`]; they begin where those of the warp before end.
    pub end: u32,
    /// Of fragments, the first quad, as numbered in the draw's trace; else the number of the warp among those of its kind.
    pub place: u32,
}

/// The warps of a draw with SIMT programs: those of vertices, then of primitives, then of fragments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TracedWarps {
    /// The warps.
    pub warps: Vec<TracedWarp>,
    /// Their instructions, warp by warp.
    pub instructions: Vec<TracedInstruction>,
}

impl TracedWarps {
    /// Each warp with its instructions.
    pub fn iter(&self) -> impl Iterator<Item = (&TracedWarp, &[TracedInstruction])> {
        let starts = std::iter::once(0).chain(self.warps.iter().map(|warp| warp.end as usize));
        self.warps.iter().zip(starts).map(|(warp, start)| (warp, &self.instructions[start..warp.end as usize]))
    }
}

/// The programs of a traced draw over registers of four components, and what they executed.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedVec4 {
    /// Its vertex program.
    pub vertex_program: VertexProgram,
    /// Its fragment program.
    pub fragment_program: FragmentProgram,
    /// What the vertex processor executed.
    pub vertex_instructions: VertexInstructions,
    /// The ways of its vertices through the blocks of the vertex program.
    pub vertex_edges: VertexEdges,
    /// How often quads entered each block of the fragment program, by number.
    pub entered: Vec<u64>,
}

/// What the programs of a draw executed.
#[derive(Debug, Clone, PartialEq)]
pub enum TracedPrograms {
    /// Programs over registers of four components.
    Vec4(Box<TracedVec4>),
    /// SIMT programs, which the draw holds.
    Simt(TracedWarps),
}

/// A draw with its programs, its counters and its trace.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedDraw {
    /// The draw.
    pub draw: Draw,
    /// What its programs executed.
    pub programs: TracedPrograms,
    /// Its counters.
    pub counters: Counters,
    /// Whether depth and stencil are tested before shading.
    pub tests_early: bool,
    /// Whether a clear, a copy or an image was executed since the previous draw.
    pub follows_writes: bool,
    /// Its quads and lookups.
    pub trace: DrawTrace,
}

impl TracedDraw {
    /// Its programs over registers of four components, if it has such.
    #[must_use]
    pub fn vec4(&self) -> Option<&TracedVec4> {
        if let TracedPrograms::Vec4(programs) = &self.programs { Some(programs) } else { None }
    }

    /// Its warps, if it has SIMT programs.
    #[must_use]
    pub const fn warps(&self) -> Option<&TracedWarps> {
        if let TracedPrograms::Simt(warps) = &self.programs { Some(warps) } else { None }
    }
}

/// The trace of a draw.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DrawTrace {
    /// Quads, primitive by primitive, tile by tile of [`WALK_TILE`], row by row.
    pub quads: Vec<TracedQuad>,
    /// Lookups, in the order of their quads.
    pub lookups: Vec<TracedLookup>,
    /// The first address that each texel was read from; system memory starts at [`GART_BASE`].
    pub texels: Vec<u32>,
    /// The flow steps of quads, in the order of quads; each step follows the one that leads to it.
    pub steps: Vec<TracedStep>,
    /// The branches and blocks of these steps; different loop iterations and different calls have entries of their
    /// own. Each holds the number of the block that begins there; `None` for branches.
    pub places: Vec<Option<u32>>,
    /// The vertices missing in the post-transform cache, in the order in which they are fetched, without the base
    /// index.
    pub vertices: Vec<u32>,
    /// Whether the trace is incomplete.
    pub is_cut_off: bool,
}

impl DrawTrace {
    /// The number of the quad of a primitive at a place, once quads are sorted.
    #[must_use]
    pub fn find_quad(&self, primitive: u32, [x, y]: [u16; 2]) -> Option<u32> {
        let wanted = walk_key(&TracedQuad { primitive, x, y, ..TracedQuad::default() });
        let found = self.quads.binary_search_by_key(&wanted, walk_key).ok()?;
        u32::try_from(found).ok()
    }

    /// Sorts quads into the order in which a rasterizer traverses them, and lookups accordingly.
    pub fn sort(&mut self) {
        let key = walk_key;
        let mut order: Vec<u32> = (0..).take(self.quads.len()).collect();
        order.sort_by_key(|&quad| key(&self.quads[quad as usize]));
        let mut places = vec![0; order.len()];
        for (place, quad) in (0..).zip(&order) {
            places[*quad as usize] = place;
        }
        self.quads = order.iter().map(|quad| self.quads[*quad as usize]).collect();
        self.lookups.iter_mut().for_each(|lookup| lookup.quad = places[lookup.quad as usize]);
        self.steps.iter_mut().for_each(|step| step.quad = places[step.quad as usize]);
        // The sort is stable: lookups and steps of a quad keep the program's order.
        self.lookups.sort_by_key(|lookup| lookup.quad);
        self.steps.sort_by_key(|step| step.quad);
    }
}

/// The place of a quad in the order in which a rasterizer traverses them.
fn walk_key(quad: &TracedQuad) -> impl Ord + use<> {
    let tile = |position: u16| u32::from(position) / WALK_TILE;
    (quad.primitive, tile(quad.y), tile(quad.x), quad.y, quad.x)
}

/// Numbers the branches and blocks of a draw's flow.
#[derive(Debug, Default)]
pub struct FlowPlaces {
    /// Numbers by the entry of the enclosing block, and the position in that block.
    numbers: HashMap<(Option<u32>, u32), u32>,
}

impl FlowPlaces {
    /// Adds the steps of the last quad to a trace with a limited capacity.
    pub fn add_to(&mut self, trace: &mut DrawTrace, steps: &[FlowStep], limit: usize) {
        if trace.steps.len() + steps.len() > limit {
            trace.is_cut_off = true;
            return;
        }
        let quad = u32::try_from(trace.quads.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let first = trace.steps.len();
        for step in steps {
            let parent = step.parent.map(|parent| trace.steps[first + parent as usize].place);
            let next = u32::try_from(trace.places.len()).unwrap_or(u32::MAX);
            let place = *self.numbers.entry((parent, step.place)).or_insert(next);
            if place == next {
                trace.places.push(step.block);
            }
            trace.steps.push(TracedStep { quad, place, active: step.active, taken: step.taken });
        }
    }
}

/// What texture units read for a quad.
#[derive(Debug, Default)]
pub struct TexelNotes {
    texels: Vec<u32>,
    /// Unit, its work, and the end of its texels.
    lookups: Vec<(u8, QuadFiltering, u32)>,
}

impl TexelNotes {
    /// Notes a texel of the lookup that follows.
    pub fn texel(&mut self, address: u32) {
        self.texels.push(address);
    }

    /// Notes that a unit read the texels since the last lookup, and its work.
    pub fn lookup(&mut self, unit: u8, filtered: QuadFiltering) {
        let end = u32::try_from(self.texels.len()).unwrap_or(u32::MAX);
        self.lookups.push((unit, filtered, end));
    }

    /// Moves the notes to a trace that may hold so many texels, for its last quad; drops them where that was not shaded.
    pub fn add_to(&mut self, trace: &mut DrawTrace, is_shaded: bool, limit: usize) {
        let Self { texels, lookups } = self;
        // A lookup that reads nothing takes as much room as four texels.
        let fits = trace.texels.len() + texels.len() + 4 * (trace.lookups.len() + lookups.len()) <= limit;
        trace.is_cut_off |= is_shaded && !fits;
        if is_shaded && fits {
            let quad = u32::try_from(trace.quads.len().saturating_sub(1)).unwrap_or(u32::MAX);
            let base = u32::try_from(trace.texels.len()).unwrap_or(u32::MAX);
            let mut first = 0;
            for &(unit, filtered, end) in lookups.iter() {
                let (first_texel, texels) = (base + first, end - first);
                trace.lookups.push(TracedLookup { quad, unit, filtered, first_texel, texels });
                first = end;
            }
            trace.texels.extend(texels.iter());
        }
        texels.clear();
        lookups.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quads_are_walked_tile_by_tile_within_a_primitive() {
        let quad = |primitive, x, y| TracedQuad { primitive, x, y, ..TracedQuad::default() };
        let filtered = QuadFiltering { samples: 4, steps: 1 };
        let lookup = |quad| TracedLookup { quad, unit: 0, filtered, first_texel: quad, texels: 1 };
        let mut trace = DrawTrace {
            quads: vec![quad(1, 0, 0), quad(0, 8, 0), quad(0, 2, 2), quad(0, 0, 2), quad(0, 6, 0), quad(0, 0, 8)],
            lookups: (0..6).map(lookup).collect(),
            steps: [1, 1, 4].map(|quad| TracedStep { quad, place: quad, active: 15, taken: 1 }).to_vec(),
            ..DrawTrace::default()
        };
        trace.sort();
        let places: Vec<_> = trace.quads.iter().map(|quad| (quad.primitive, quad.x, quad.y)).collect();
        assert_eq!(places, [(0, 6, 0), (0, 0, 2), (0, 2, 2), (0, 8, 0), (0, 0, 8), (1, 0, 0)]);
        let texels: Vec<_> = trace.lookups.iter().map(|lookup| (lookup.quad, lookup.first_texel)).collect();
        assert_eq!(texels, [(0, 4), (1, 3), (2, 2), (3, 1), (4, 5), (5, 0)]);
        let steps: Vec<_> = trace.steps.iter().map(|step| (step.quad, step.place)).collect();
        assert_eq!(steps, [(0, 4), (3, 1), (3, 1)]);
    }

    #[test]
    fn places_are_told_apart_by_rounds_and_calls() {
        let block = |parent, position, round, number| FlowStep {
            parent,
            place: FlowStep::block(position, round),
            block: Some(number),
            active: 15,
            taken: 0,
        };
        let branch = |parent, taken| FlowStep { parent, place: FlowStep::branch(0), block: None, active: 15, taken };
        // Two loop iterations with a branch in each, then the second quad with one iteration.
        let rounds = [block(None, 3, 0, 1), branch(Some(0), 15), block(None, 3, 1, 1), branch(Some(2), 7)];
        let mut trace = DrawTrace::default();
        let mut places = FlowPlaces::default();
        for steps in [&rounds[..], &rounds[..2]] {
            trace.quads.push(TracedQuad::default());
            places.add_to(&mut trace, steps, 6);
        }
        assert_eq!(trace.places, [Some(1), None, Some(1), None]);
        let steps: Vec<_> = trace.steps.iter().map(|step| (step.quad, step.place, step.taken)).collect();
        assert_eq!(steps, [(0, 0, 0), (0, 1, 15), (0, 2, 0), (0, 3, 7), (1, 0, 0), (1, 1, 15)]);
        assert!(!trace.is_cut_off);
        places.add_to(&mut trace, &rounds[..1], 6);
        assert!(trace.is_cut_off && trace.steps.len() == 6);
    }

    #[test]
    fn notes_belong_to_the_last_quad() {
        let mut notes = TexelNotes::default();
        let [bilinear, trilinear] = [1, 2].map(|steps| QuadFiltering { samples: 4 * steps, steps });
        let mut trace = DrawTrace { quads: vec![TracedQuad::default()], ..DrawTrace::default() };
        for is_shaded in [false, true] {
            notes.texel(16);
            notes.texel(20);
            notes.lookup(3, bilinear);
            notes.texel(64);
            notes.lookup(1, trilinear);
            notes.add_to(&mut trace, is_shaded, 11);
        }
        assert_eq!(trace.texels, [16, 20, 64]);
        let lookup =
            |unit, filtered, first_texel, texels| TracedLookup { quad: 0, unit, filtered, first_texel, texels };
        assert_eq!(trace.lookups, [lookup(3, bilinear, 0, 2), lookup(1, trilinear, 2, 1)]);
        assert!(!trace.is_cut_off);
        notes.texel(80);
        notes.lookup(0, bilinear);
        notes.add_to(&mut trace, true, 11);
        assert!(trace.is_cut_off && trace.texels.len() == 3 && trace.lookups.len() == 2);
    }
}
