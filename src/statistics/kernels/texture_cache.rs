//! Runs the texture cache model on a device: one invocation per cache, which is the first level of a pipe or the
//! second level of one of many shapes.

use bytemuck::{Pod, Zeroable};

use super::texture_lines::{LineRanks, line_ranks};
use super::{GROUP, ModelError, ROUNDS, dispatches, read_back};
use crate::gpu::{Bound, DeviceError, Gpu, Kernel};
use crate::kernels::linear_workgroups;
use crate::statistics::ParameterError;
use crate::statistics::lru::{LruLists, Slot};
use crate::statistics::texture_cache::{
    CacheCounts, CacheParameters, LevelCounts, LookupStream, QuadLookup, QuadOrder, SweepCase, TextureCacheParameters,
    TextureCacheResult, TextureTrace, check_lookups, order_of,
};

const REPLAY_TEXTURE_CACHE: &str = include_str!("../../../wgsl/models/replay_texture_cache.wgsl");

/// The pipe of a second-level cache, as in the kernel.
const ALL_PIPES: u32 = u32::MAX;

/// Size of tables in bytes above which further shapes go into further groups of dispatches.
const GROUP_BYTES: u64 = 48 << 20;

/// The alignment of address windows: the longest line.
const WINDOW_BYTES: u32 = 4096;

/// A trace whose lookups and texels are on the device; [`TextureTrace`] describes them.
#[derive(Debug, Clone, Copy)]
pub struct TextureTraceBuffers<'a> {
    /// The lookups, which the host reads back to sort them.
    pub lookups: &'a wgpu::Buffer,
    /// Number of lookups.
    pub lookup_count: u32,
    /// Addresses of texels, all inside the window.
    pub texels: &'a wgpu::Buffer,
    /// Number of texels.
    pub texel_count: u32,
    /// Draws and units of the lookups.
    pub streams: &'a [LookupStream],
    /// The lowest address that texels may have.
    pub window_start: u32,
    /// The size of the window from there on.
    pub window_bytes: u32,
}

/// A cache in the kernel's layout.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct CacheReplay {
    line_shift: u32,
    sets: u32,
    ways: u32,
    set_lists: u32,
    full_list: u32,
    ranks: u32,
    places: u32,
    pipe: u32,
    counts: u32,
    taken_marks: u32,
    made_marks: u32,
}

/// The first parameters of `replay_texture_cache`; caches follow.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct TextureCacheRun {
    cache_count: u32,
    lookup_count: u32,
    rounds: u32,
    window: u32,
}

/// Runs the caches over a trace on the device; returns the first bytes of the lines fetched from memory, in order.
///
/// # Errors
/// As [`crate::statistics::texture_cache::simulate`], and when the device fails.
///
/// # Panics
/// Never: a case has a result.
pub fn simulate_filling(
    gpu: &Gpu,
    trace: &TextureTraceBuffers<'_>,
    case: &SweepCase,
) -> Result<(TextureCacheResult, Vec<u32>), ModelError> {
    let mut outcomes = run_cases(gpu, trace, std::slice::from_ref(case))?;
    let Outcome { result, marks } = outcomes.pop().expect("there is a result for each case");
    let lookups = read_back::<QuadLookup>(gpu, trace.lookups, trace.lookup_count as usize)?;
    let texels = read_back::<u32>(gpu, trace.texels, trace.texel_count as usize)?;
    let walked = order_of(&lookups, trace.streams, case.order).into_iter().flat_map(|number| {
        let lookup = &lookups[number as usize];
        &texels[lookup.first_texel as usize..][..lookup.texel_count as usize]
    });
    let line_mask = !(case.parameters.memory_line_bytes() - 1);
    let fills = walked.zip(0usize..).filter(|(_, at)| marks[at / 32] >> (at % 32) & 1 != 0);
    Ok((result, fills.map(|(address, _)| address & line_mask).collect()))
}

/// Runs the caches over a host trace as [`simulate_filling`] does.
///
/// # Errors
/// As [`simulate_filling`].
pub fn fill_from_host(
    gpu: &Gpu,
    trace: &TextureTrace,
    case: &SweepCase,
) -> Result<(TextureCacheResult, Vec<u32>), ModelError> {
    with_buffers(gpu, trace, |buffers| simulate_filling(gpu, buffers, case))
}

/// Runs every case over a host trace; results are in the order of the cases.
///
/// # Errors
/// As [`simulate_filling`].
pub fn sweep(gpu: &Gpu, trace: &TextureTrace, cases: &[SweepCase]) -> Result<Vec<TextureCacheResult>, ModelError> {
    with_buffers(gpu, trace, |buffers| sweep_buffers(gpu, buffers, cases))
}

/// Uploads a trace.
fn with_buffers<T>(
    gpu: &Gpu,
    trace: &TextureTrace,
    run: impl FnOnce(&TextureTraceBuffers<'_>) -> Result<T, ModelError>,
) -> Result<T, ModelError> {
    let count = |count: usize| {
        let error = ParameterError { field: "texels", value: count as u64, expected: "fewer than 2^32 in a trace" };
        u32::try_from(count).map_err(|_| error)
    };
    let window_start = trace.texels.iter().min().copied().unwrap_or(0);
    let window_bytes = (trace.texels.iter().max().copied().unwrap_or(0) - window_start).saturating_add(1);
    run(&TextureTraceBuffers {
        lookups: &gpu.buffer_with("lookups", bytemuck::cast_slice(&trace.lookups))?,
        lookup_count: count(trace.lookups.len())?,
        texels: &gpu.buffer_with("texels", bytemuck::cast_slice(&trace.texels))?,
        texel_count: count(trace.texels.len())?,
        streams: &trace.streams,
        window_start,
        window_bytes,
    })
}

/// Runs every case over a trace on the device; results are in the order of the cases.
///
/// # Errors
/// As [`simulate_filling`].
pub fn sweep_buffers(
    gpu: &Gpu,
    trace: &TextureTraceBuffers<'_>,
    cases: &[SweepCase],
) -> Result<Vec<TextureCacheResult>, ModelError> {
    Ok(run_cases(gpu, trace, cases)?.into_iter().map(|outcome| outcome.result).collect())
}

/// Results of a case.
#[derive(Debug, Clone)]
struct Outcome {
    result: TextureCacheResult,
    /// A bit for each texel in order: whether its line comes from memory.
    marks: Vec<u32>,
}

fn run_cases(gpu: &Gpu, trace: &TextureTraceBuffers<'_>, cases: &[SweepCase]) -> Result<Vec<Outcome>, ModelError> {
    for case in cases {
        case.parameters.check()?;
    }
    let TextureTraceBuffers { texel_count, lookup_count, .. } = *trace;
    let holds = u64::from(texel_count) * 4 <= trace.texels.size();
    ParameterError::unless(holds, "texel_count", texel_count, "inside the buffer")?;
    let holds = u64::from(lookup_count) * size_of::<QuadLookup>() as u64 <= trace.lookups.size();
    ParameterError::unless(holds, "lookup_count", lookup_count, "inside the buffer")?;
    let lookups = read_back::<QuadLookup>(gpu, trace.lookups, lookup_count as usize)?;
    let pipes = cases.iter().map(|case| case.parameters.pipes).min().unwrap_or(0);
    if !cases.is_empty() {
        check_lookups(&lookups, texel_count.into(), trace.streams.len(), pipes)?;
    }
    let window = trace.window_start / WINDOW_BYTES * WINDOW_BYTES;
    let bytes = u64::from(trace.window_start - window) + u64::from(trace.window_bytes);
    let mut lines: Vec<u32> = cases.iter().flat_map(levels).map(|cache| cache.line_bytes.trailing_zeros()).collect();
    lines.sort_unstable();
    lines.dedup();
    let ranks = line_ranks(gpu, (trace.texels, texel_count), (window, bytes), &lines)?;
    let sweep = Sweep { gpu, trace, lines, ranks, window };
    let mut results: Vec<Option<Outcome>> = vec![None; cases.len()];
    let mut orders: Vec<QuadOrder> = Vec::new();
    for case in cases {
        if !orders.contains(&case.order) {
            orders.push(case.order);
        }
    }
    for order in orders {
        let numbers: Vec<usize> = (0..cases.len()).filter(|number| cases[*number].order == order).collect();
        let walked: Vec<_> = numbers.iter().map(|number| cases[*number]).collect();
        for (number, result) in numbers.iter().zip(sweep.run(&lookups, order, &walked)?) {
            results[*number] = Some(result);
        }
    }
    Ok(results.into_iter().flatten().collect())
}

/// The caches of a case, one of each kind.
fn levels(case: &SweepCase) -> impl Iterator<Item = CacheParameters> {
    std::iter::once(case.parameters.first).chain(case.parameters.second)
}

/// Inputs that all cases share.
struct Sweep<'a> {
    gpu: &'a Gpu,
    trace: &'a TextureTraceBuffers<'a>,
    /// Lengths of lines as base-2 logarithms, ascending.
    lines: Vec<u32>,
    /// The ranks for each length.
    ranks: Vec<LineRanks>,
    window: u32,
}

/// Tables of the caches in progress at once, in words or entries.
#[derive(Debug, Default)]
struct Tables {
    slots: Vec<Slot>,
    places: u32,
    counts: u32,
    marks: u32,
    first: Vec<CacheReplay>,
    second: Vec<CacheReplay>,
}

impl Tables {
    fn bytes(&self) -> u64 {
        16 * self.slots.len() as u64
            + 8 * u64::from(self.places)
            + 16 * u64::from(self.counts)
            + 4 * u64::from(self.marks)
    }
}

impl Sweep<'_> {
    /// Runs the cases of one order.
    fn run(&self, lookups: &[QuadLookup], order: QuadOrder, cases: &[SweepCase]) -> Result<Vec<Outcome>, ModelError> {
        let numbers = order_of(lookups, self.trace.streams, order);
        let walked: Vec<_> = numbers.iter().map(|number| lookups[*number as usize]).collect();
        let walk = Walk {
            sweep: self,
            kernel: &*self.gpu.kernel("replay_texture_cache", REPLAY_TEXTURE_CACHE)?,
            buffer: &self.gpu.buffer_with("lookups in order", bytemuck::cast_slice(&walked))?,
            lookups: &walked,
            numbers: &numbers,
            texels: walked.iter().map(|lookup| lookup.texel_count).sum(),
        };
        let mut results = Vec::new();
        let mut rest = cases;
        while !rest.is_empty() {
            let mut tables = Tables::default();
            let mut taken = 0;
            while taken < rest.len() && (taken == 0 || tables.bytes() < GROUP_BYTES) {
                self.add(&mut tables, &rest[taken].parameters, walk.texels);
                taken += 1;
            }
            let (group, others) = rest.split_at(taken);
            results.extend(walk.run(&tables, group)?);
            rest = others;
        }
        Ok(results)
    }

    /// Adds the caches of a case to the tables.
    fn add(&self, tables: &mut Tables, parameters: &TextureCacheParameters, texels: u32) {
        let (first_marks, words) = (tables.marks, texels.div_ceil(32));
        tables.marks += words;
        for pipe in 0..parameters.pipes {
            let cache = self.cache(tables, &parameters.first, (pipe, first_marks, first_marks));
            tables.first.push(cache);
        }
        if let Some(second) = &parameters.second {
            let cache = self.cache(tables, second, (ALL_PIPES, first_marks, tables.marks));
            tables.marks += words;
            tables.second.push(cache);
        }
    }

    fn cache(
        &self,
        tables: &mut Tables,
        shape: &CacheParameters,
        (pipe, taken_marks, made_marks): (u32, u32, u32),
    ) -> CacheReplay {
        let at = |count: usize| u32::try_from(count).expect("a group of caches has some megabytes");
        let line_shift = shape.line_bytes.trailing_zeros();
        let set_lists = at(tables.slots.len());
        tables.slots.extend_from_slice(LruLists::new(shape.sets(), shape.ways).slots());
        let full_list = at(tables.slots.len());
        tables.slots.extend_from_slice(LruLists::new(1, shape.lines()).slots());
        let length = self.lines.iter().position(|shift| *shift == line_shift).expect("all lengths of lines are here");
        let ranks = at(self.ranks[..length].iter().map(|ranks| ranks.ranks.len()).sum());
        let (places, counts) = (tables.places, tables.counts);
        // The device refuses tables that are too large when their buffers are created.
        tables.places = tables.places.saturating_add(self.ranks[length].lines);
        tables.counts = tables.counts.saturating_add(1).saturating_add(at(self.trace.streams.len()));
        let (sets, ways) = (shape.sets(), shape.ways);
        CacheReplay {
            line_shift,
            sets,
            ways,
            set_lists,
            full_list,
            ranks,
            places,
            pipe,
            counts,
            taken_marks,
            made_marks,
        }
    }
}

/// Lookups in one order.
struct Walk<'a> {
    sweep: &'a Sweep<'a>,
    kernel: &'a Kernel,
    /// The lookups in order.
    buffer: &'a wgpu::Buffer,
    lookups: &'a [QuadLookup],
    /// Which lookups of the trace they are.
    numbers: &'a [u32],
    /// Texels of all of them.
    texels: u32,
}

impl Walk<'_> {
    /// Runs the cases that the tables were made for.
    fn run(&self, tables: &Tables, cases: &[SweepCase]) -> Result<Vec<Outcome>, ModelError> {
        let Sweep { gpu, ranks, .. } = self.sweep;
        let ranks: Vec<[u32; 2]> = ranks.iter().flat_map(|ranks| ranks.ranks.iter().copied()).collect();
        let slots = gpu.buffer_with("recency lists", bytemuck::cast_slice(&tables.slots))?;
        let ranks = gpu.buffer_with("ranks of lines", bytemuck::cast_slice(&ranks))?;
        let places = gpu.buffer("places of lines", 8 * u64::from(tables.places))?;
        let counts = gpu.buffer("counts of caches", 16 * u64::from(tables.counts))?;
        let marks = gpu.buffer("marks of misses", 4 * u64::from(tables.marks))?;
        let bindings: [(u32, Bound<'_>); 7] = [
            (30, (&slots).into()),
            (31, self.buffer.into()),
            (32, self.sweep.trace.texels.into()),
            (33, (&ranks).into()),
            (34, (&places).into()),
            (35, (&counts).into()),
            (36, (&marks).into()),
        ];
        // One iteration per lookup and per texel of the pipe.
        let pipe_texels = |pipe: u32| -> u64 {
            self.lookups
                .iter()
                .filter(|lookup| u32::from(lookup.pipe) == pipe)
                .map(|lookup| u64::from(lookup.texel_count))
                .sum()
        };
        let pipes = cases.iter().map(|case| case.parameters.pipes).max().unwrap_or(0);
        let max_texels = (0..pipes).map(pipe_texels).max().unwrap_or(0);
        self.dispatch(&tables.first, &bindings, max_texels)?;
        self.dispatch(&tables.second, &bindings, self.texels.into())?;
        let counts = read_back::<[u32; 4]>(gpu, &counts, tables.counts as usize)?;
        let marks = read_back::<u32>(gpu, &marks, tables.marks as usize)?;
        let (mut first, mut second) = (tables.first.iter(), tables.second.iter());
        let results = cases.iter().map(|case| {
            let mut streams = vec![LevelCounts::default(); self.sweep.trace.streams.len()];
            let first: Vec<_> = first.by_ref().take(case.parameters.pipes as usize).collect();
            for (number, stream) in streams.iter_mut().enumerate() {
                for cache in &first {
                    stream.first += counts_of(&counts, cache, number);
                }
            }
            let marks_of =
                |cache: &CacheReplay| &marks[cache.made_marks as usize..][..self.texels.div_ceil(32) as usize];
            let first_marks = marks_of(first[0]);
            let mut last_marks = first_marks;
            if case.parameters.second.is_some() {
                let cache = second.next().expect("each case with a second level added one");
                last_marks = marks_of(cache);
                for (number, stream) in streams.iter_mut().enumerate() {
                    stream.second = counts_of(&counts, cache, number);
                }
            }
            let lookup_misses = self.lookup_misses(first_marks);
            let result = TextureCacheResult { parameters: case.parameters, order: case.order, streams, lookup_misses };
            Outcome { result, marks: last_marks.to_vec() }
        });
        Ok(results.collect())
    }

    fn dispatch(&self, caches: &[CacheReplay], bindings: &[(u32, Bound<'_>)], texels: u64) -> Result<(), DeviceError> {
        let gpu = self.sweep.gpu;
        let lookup_count = u32::try_from(self.lookups.len()).expect("the trace was counted");
        let cache_count = u32::try_from(caches.len()).expect("a group of caches has some megabytes");
        let run = TextureCacheRun { cache_count, lookup_count, rounds: ROUNDS, window: self.sweep.window };
        let mut block = bytemuck::bytes_of(&run).to_vec();
        block.extend_from_slice(bytemuck::cast_slice(caches));
        let mut recording = gpu.record();
        for _ in 0..dispatches(texels + u64::from(lookup_count)) {
            let run = recording.store_changed("texture caches", &block)?;
            let bindings: Vec<_> = bindings.iter().copied().chain([(14, (&run).into())]).collect();
            recording.dispatch(self.kernel, &bindings, linear_workgroups(cache_count, GROUP));
            if recording.is_full() {
                gpu.flush(&mut recording)?;
            }
        }
        gpu.submit(recording)
    }

    /// Marks of each lookup, as the trace numbers lookups.
    fn lookup_misses(&self, marks: &[u32]) -> Vec<u32> {
        let mut misses = vec![0; self.lookups.len()];
        let mut at = 0;
        for (number, lookup) in self.numbers.iter().zip(self.lookups) {
            let end = at + lookup.texel_count;
            while at < end {
                let bits = (end - at).min(32 - at % 32);
                let word = marks[(at / 32) as usize] >> (at % 32);
                misses[*number as usize] += (word << (32 - bits)).count_ones();
                at += bits;
            }
        }
        misses
    }
}

/// The counts of a stream.
fn counts_of(counts: &[[u32; 4]], cache: &CacheReplay, stream: usize) -> CacheCounts {
    let [hits, cold, capacity, conflict] = counts[cache.counts as usize + 1 + stream].map(u64::from);
    CacheCounts { hits, cold, capacity, conflict }
}

#[cfg(test)]
#[path = "texture_cache_tests.rs"]
mod tests;
