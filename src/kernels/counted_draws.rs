//! Counts what the stages of draws do on the device: which words a draw's counts have, and the counters that come of them.

use super::engine::Kernels;
use super::joined_draws::vertex_windows;
use super::kept_draws::{KeptDraws, ResolvedDraw};
use crate::counters::{Counters, CountingOptions, DrawCounting, StageCount, StageCounts, VertexExecution};
use crate::counting::CountingEngine;
use crate::gpu::{Bound, DeviceError, Gpu, Recording};
use crate::pipeline::front_end::fetch_indices::fetch_indices;
use crate::pipeline::{Draw, EngineError};
use crate::reference::counted_draw::draw_counting;
use crate::shader::fragment::FragmentProgram;
use crate::shader::vertex::VertexProgram;

const COUNT_QUADS: &str = include_str!("../../wgsl/fragment/count_quads.wgsl");

/// Counts that a stripe of the buffer holds before they are read back; the longest programs have fewer blocks.
const CAPACITY: u32 = 1 << 16;
/// Stripes of the buffer, which add up: tiles far from each other add to different ones, as processors take long to add to the same
/// memory.
const STRIPES: u32 = 8;
/// Bytes before the counts: the counter of passing samples.
pub(super) const HEAD_BYTES: u64 = 16;
/// Records or quads that one invocation counts, where there are enough for so many invocations.
const LEAST_SHARE: u32 = 8;
/// Rounds of loops that an invocation counts quads in.
const MOST_ROUNDS: u64 = 50_000;
/// Quads that always make a round: those of a tile.
const LEAST_QUADS: u32 = 256;
/// Most blocks of a program that are counted: an invocation walks through its quads once for every four.
const MOST_BLOCKS: usize = 8192;
/// Most workgroups of a kernel that counts.
const MOST_GROUPS: u32 = 64;

/// Draws that are counted.
#[derive(Debug)]
pub(super) struct CountedDraws {
    options: CountingOptions,
    /// Draws whose counts are not read back yet.
    pending: Vec<PendingDraw>,
    next: u32,
    done: Vec<Counters>,
}

/// A draw whose counts are on the device.
#[derive(Debug)]
struct PendingDraw {
    counting: DrawCounting,
    /// The first count.
    first: u32,
    /// Whether a kernel of whole tiles counts.
    in_tiles: bool,
}

/// Where the counts of a draw are.
#[derive(Debug, Clone, Copy)]
pub(super) struct CountPlace {
    /// The first.
    pub(super) first: u32,
    /// Counts of the draw.
    pub(super) stride: u32,
    tests_early: bool,
}

/// The counts of draws that are drawn as one, as geometry stages take them.
#[derive(Debug, Clone, Copy)]
pub struct CountedRecords<'a> {
    pub(super) counters: &'a wgpu::Buffer,
    /// The first count of the first draw, counts of each draw, counts of a stripe, stripes.
    pub(super) places: [u32; 4],
    /// How many draws.
    pub(super) draws: usize,
    /// Most quads of a round.
    pub(super) most_quads: u32,
}

/// A round of shaded quads.
pub(super) struct CountedQuads<'a> {
    pub(super) counters: &'a wgpu::Buffer,
    pub(super) shaded: &'a wgpu::Buffer,
    /// Workgroups of shading, then the number of quads.
    pub(super) groups: &'a wgpu::Buffer,
    pub(super) most_quads: u32,
    /// Vectors of a quad.
    pub(super) stride: u32,
    /// Counts of what its program did that it ends with.
    pub(super) flow_counts: u32,
}

impl Kernels {
    /// Whether draws are counted.
    pub(super) const fn is_counting(&self) -> bool {
        self.counted.is_some()
    }

    /// What counting knows of the chip, where draws are counted.
    pub(super) fn counting_options(&self) -> Option<CountingOptions> {
        self.counted.as_ref().map(|counted| counted.options)
    }

    /// Whether the counts of a further draw fit with those before it, for a fragment program as that of a draw at `place`.
    pub(super) fn has_count_room(&self, place: CountPlace) -> bool {
        self.counted.as_ref().is_some_and(|counted| counted.next + place.stride <= CAPACITY)
    }

    /// Begins to count a draw; `None` where draws are not counted.
    pub(super) fn begin_count(
        &mut self,
        draw: &Draw,
        programs: (&VertexProgram, &FragmentProgram),
        resolved: &ResolvedDraw,
        in_tiles: bool,
    ) -> Result<Option<CountPlace>, EngineError> {
        let Some(elements) = resolved.elements.as_ref().filter(|_| self.is_counting()) else { return Ok(None) };
        let execution = VertexExecution::new(programs.0, draw.vertex.instruction_limit);
        let mut vertices = Vec::new();
        if !execution.is_same_for_all() {
            // The host follows each vertex, and finds its attributes in its memory.
            vertices = fetch_indices(self.heap.host(), draw)?.unique;
            for window in vertex_windows(draw, &vertices) {
                self.heap.download(&self.gpu, &mut self.recording, window)?;
            }
        }
        let (memory, primitives) = (self.heap.host(), resolved.primitives());
        let counting = draw_counting(memory, draw, programs, &execution, (elements, &vertices), primitives);
        if counting.blocks() > MOST_BLOCKS {
            let (size, limit) = (counting.blocks() as u64, MOST_BLOCKS as u64);
            return Err(EngineError::TooLarge { what: "number of blocks of a counted fragment program", size, limit });
        }
        let words = u32::try_from(StageCounts::words(counting.program_words())).expect("they are few");
        if self.counted.as_ref().is_some_and(|counted| counted.next + words > CAPACITY) {
            self.collect_counts()?;
        }
        let tests_early = counting.tests_early();
        Ok(self.counted.as_mut().map(|counted| {
            let first = counted.next;
            counted.next += words;
            counted.pending.push(PendingDraw { counting, first, in_tiles });
            CountPlace { first, stride: words, tests_early }
        }))
    }

    /// Reads back the counts of draws so far.
    fn collect_counts(&mut self) -> Result<(), EngineError> {
        let Some(counted) = &mut self.counted else { return Ok(()) };
        if counted.next == 0 {
            return Ok(());
        }
        let count = counted.next as usize;
        let bytes = u64::from(counted.next) * 8;
        let gathered = self.gpu.buffer("gathered counts", u64::from(STRIPES) * bytes)?;
        for stripe in 0..u64::from(STRIPES) {
            let place = HEAD_BYTES + stripe * u64::from(CAPACITY) * 8;
            self.recording.copy((&self.counters, place), (&gathered, stripe * bytes), bytes);
            self.recording.clear(&self.counters, place, bytes);
        }
        let mut stripes = vec![0u64; STRIPES as usize * count];
        self.gpu.read_back(&mut self.recording, &gathered, 0, bytemuck::cast_slice_mut(&mut stripes))?;
        let (sums, others) = stripes.split_at_mut(count);
        for stripe in others.chunks(count) {
            sums.iter_mut().zip(stripe).for_each(|(sum, word)| *sum += word);
        }
        let words = &*sums;
        for PendingDraw { counting, first, in_tiles } in counted.pending.drain(..) {
            let (first, program) = (first as usize, counting.program_words());
            let stages = words[first..first + StageCounts::words(program)].to_vec();
            let stages = StageCounts::from_words(stages, program);
            counted.done.push(counting.finish_kernels(stages, in_tiles));
        }
        counted.next = 0;
        Ok(())
    }
}

impl CountingEngine for Kernels {
    fn start_counting(&mut self, options: CountingOptions) -> Result<(), EngineError> {
        self.draw_waiting()?;
        let counters = self.gpu.buffer("counters", HEAD_BYTES + u64::from(STRIPES * CAPACITY) * 8)?;
        self.recording.copy((&self.counters, 0), (&counters, 0), HEAD_BYTES);
        self.counters = counters;
        // What the post-transform cache made of them depends on the options.
        self.kept_draws = KeptDraws::default();
        self.counted = Some(CountedDraws { options, pending: Vec::new(), next: 0, done: Vec::new() });
        Ok(())
    }

    fn take_counters(&mut self) -> Result<Vec<Counters>, EngineError> {
        self.draw_waiting()?;
        self.collect_counts()?;
        Ok(self.counted.as_mut().map(|counted| std::mem::take(&mut counted.done)).unwrap_or_default())
    }
}

impl CountPlace {
    /// The place as set-up takes it, of so many draws that are drawn as one.
    pub(super) const fn records(self, counters: &wgpu::Buffer, draws: usize) -> CountedRecords<'_> {
        CountedRecords { counters, places: [self.first, self.stride, CAPACITY, STRIPES], draws, most_quads: u32::MAX }
    }

    /// Most quads of a round, where shaded quads have so many vectors, the last of them counts of flow.
    pub(super) fn most_quads(gpu: &Gpu, [stride, flow_vectors]: [u32; 2]) -> u32 {
        // Their buffer is made twice as long at most.
        let bound = gpu.summary().max_binding_bytes / (2 * 16 * u64::from(stride));
        let counted = u64::from(64 * MOST_GROUPS) * (MOST_ROUNDS / u64::from(flow_vectors + 1));
        u32::try_from(bound.min(counted)).unwrap_or(u32::MAX).max(LEAST_QUADS)
    }

    /// Records the count of a round of quads.
    pub(super) fn count_quads(
        self,
        gpu: &Gpu,
        recording: &mut Recording,
        quads: &CountedQuads<'_>,
    ) -> Result<(), DeviceError> {
        let kernel = gpu.kernel_of("count_quads", 0, || format!("{}{COUNT_QUADS}", places()))?;
        let flow_vectors = quads.flow_counts.div_ceil(4);
        let tests_early = u32::from(self.tests_early);
        let parameters = [self.first, quads.stride, flow_vectors, quads.flow_counts, tests_early, 0, 0, 0];
        let parameters = recording.store(bytemuck::cast_slice(&parameters))?;
        let bindings = [
            (9, Bound::from(quads.groups)),
            (13, quads.shaded.into()),
            (14, (&parameters).into()),
            (15, quads.counters.into()),
        ];
        recording.dispatch(&kernel, &bindings, groups(quads.most_quads));
        Ok(())
    }
}

const fn groups(elements: u32) -> [u32; 3] {
    let groups = elements.div_ceil(64 * LEAST_SHARE);
    [if groups > MOST_GROUPS { MOST_GROUPS } else { groups }, 1, 1]
}

/// The text that declares how a kernel of set-up counts primitives, to be put behind its own.
pub(super) fn primitive_counts(counts: bool) -> String {
    if counts {
        format!("\n{}\nimport package::setup::primitive_counts::count_primitives;\n", places())
    } else {
        "\nimport package::setup::no_primitive_counts::count_primitives;\n".to_owned()
    }
}

/// The places of counts as constants of WGSL.
pub(super) fn places() -> String {
    use StageCount::{
        Clipped, Culled, Fragments, Killed, PassingFragments, PassingQuads, Quads, Rejected, Samples, ScissorRejects,
        SetUp, UniformTaken, WindowClipRejects,
    };
    let places = [
        ("CULLED", Culled),
        ("REJECTED", Rejected),
        ("SET_UP", SetUp),
        ("CLIPPED", Clipped),
        ("QUADS", Quads),
        ("FRAGMENTS", Fragments),
        ("SAMPLES", Samples),
        ("KILLED", Killed),
        ("PASSING_QUADS", PassingQuads),
        ("PASSING_FRAGMENTS", PassingFragments),
        ("SCISSOR_REJECTS", ScissorRejects),
        ("WINDOW_CLIP_REJECTS", WindowClipRejects),
        ("FLOW", UniformTaken),
    ];
    places.iter().map(|(name, count)| format!("const {name}: u32 = {}u; ", *count as u32)).collect()
}
