//! Turns the misses of quads into clocks of a texture pipe that requests lines long before it needs them.
//!
//! The pipe follows Igehy, Eldridge and Proudfoot, "Prefetching in a Texture Cache Architecture" (1998). A quad's
//! tags are checked, one new tag per clock. Its misses enter the request FIFO, and the quad enters the fragment
//! FIFO. Memory answers in any order. The reorder buffer commits lines to the cache in the order of the requests,
//! and only while the quad that wants them is the oldest in the fragment FIFO, so that no line is evicted before
//! older quads have read it. A quad leaves once all its lines are there.
//!
//! Each event has the clock in which it happens, counted from 1; every clock is the latest of those that it waits
//! for. The events of a request are `push` (into the request FIFO), `issue` (to memory, with a slot in the reorder
//! buffer) and `commit` (to the cache); those of a quad are `tag` (into the fragment FIFO) and `leave`. A slot
//! that is freed in one clock can be taken in the next.

use bytemuck::{Pod, Zeroable};

use super::ParameterError;
use super::texture_cache::{TextureCacheResult, TextureTrace, order_of};

/// The greatest depth of a queue.
pub const MAX_DEPTH: u32 = 1 << 16;

/// The least depth of queues if memory has no latency; it covers the clocks between the pipe's stages.
const STAGE_DEPTH: u32 = 64;

/// A texture pipe and its share of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PrefetchParameters {
    /// Quads in the fragment FIFO, 1 to [`MAX_DEPTH`].
    pub fragment_fifo: u32,
    /// Requests in the request FIFO, 1 to [`MAX_DEPTH`].
    pub request_fifo: u32,
    /// Lines in the reorder buffer, including those on their way from memory, 1 to [`MAX_DEPTH`].
    pub reorder_slots: u32,
    /// Clocks from a request to its line, 0 to 65535.
    pub latency: u32,
    /// The most additional clocks that a line may take, 0 to 65535. Lines then arrive in another order than
    /// requested.
    pub jitter: u32,
    /// Bytes of a line, 1 to 65535.
    pub line_bytes: u32,
    /// Bytes that memory sends in `memory_clocks`, 1 to 65535.
    pub memory_bytes: u32,
    /// The clocks in which memory sends `memory_bytes`, 1 to 65535.
    pub memory_clocks: u32,
}

impl Default for PrefetchParameters {
    fn default() -> Self {
        // The fragment FIFO: some 256 quads are in flight in a pipe, a guess of "3DCenter, NV40 technology explained".
        // Unverified: other depths and the latency. Memory: a quarter of 35.2 GB/s at 425 MHz (GPU Gems 2, chapter 30).
        Self {
            fragment_fifo: 256,
            request_fifo: 32,
            reorder_slots: 128,
            latency: 250,
            jitter: 0,
            line_bytes: 64,
            memory_bytes: 352,
            memory_clocks: 17,
        }
    }
}

impl PrefetchParameters {
    /// Checks every field.
    ///
    /// # Errors
    /// With the first field that is out of its range.
    pub fn check(&self) -> Result<(), ParameterError> {
        let depths = [
            ("fragment_fifo", self.fragment_fifo),
            ("request_fifo", self.request_fifo),
            ("reorder_slots", self.reorder_slots),
        ];
        for (field, depth) in depths {
            ParameterError::unless((1..=MAX_DEPTH).contains(&depth), field, depth, "from 1 to 65536")?;
        }
        for (field, clocks) in [("latency", self.latency), ("jitter", self.jitter)] {
            ParameterError::unless(clocks <= 65_535, field, clocks, "at most 65535")?;
        }
        let sizes = [
            ("line_bytes", self.line_bytes),
            ("memory_bytes", self.memory_bytes),
            ("memory_clocks", self.memory_clocks),
        ];
        for (field, size) in sizes {
            ParameterError::unless((1..=65_535).contains(&size), field, size, "from 1 to 65535")?;
        }
        Ok(())
    }

    /// The same pipe with memory that answers at once, at the same bandwidth.
    #[must_use]
    pub fn without_latency(&self) -> Self {
        Self {
            fragment_fifo: self.fragment_fifo.max(STAGE_DEPTH),
            request_fifo: self.request_fifo.max(STAGE_DEPTH),
            reorder_slots: self.reorder_slots.max(STAGE_DEPTH),
            latency: 0,
            jitter: 0,
            ..*self
        }
    }

    /// Additional clocks of a request.
    fn jitter_of(&self, request: u32) -> u64 {
        // The upper half of a multiplicative hash, scaled.
        let hash = request.wrapping_mul(0x9e37_79b1) >> 16;
        (u64::from(hash) * (u64::from(self.jitter) + 1)) >> 16
    }
}

/// A trace event: the load of a lookup on the pipe.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct QuadWork {
    /// Lines that it misses.
    pub misses: u16,
    /// Clocks to read and filter its texels; 0 counts as 1.
    pub clocks: u16,
}

/// Returns the loads of a pipe's lookups, in the order of a result.
///
/// # Panics
/// Never for the trace that the result is of.
#[must_use]
pub fn quads_of_pipe(trace: &TextureTrace, result: &TextureCacheResult, pipe: u16) -> Vec<QuadWork> {
    let order = order_of(&trace.lookups, &trace.streams, result.order);
    let of_pipe = order.into_iter().filter(|number| trace.lookups[*number as usize].pipe == pipe);
    let work = of_pipe.map(|number| {
        let misses = result.lookup_misses.get(number as usize).copied().unwrap_or(0);
        let misses = u16::try_from(misses).unwrap_or(u16::MAX);
        QuadWork { misses, clocks: trace.lookups[number as usize].clocks }
    });
    work.collect()
}

/// How long a pipe takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrefetchResult {
    /// The pipe.
    pub parameters: PrefetchParameters,
    /// Clocks until the last quad has left.
    pub cycles: u64,
    /// Clocks with memory that answers at once.
    pub cycles_without_latency: u64,
}

/// Runs quads through a pipe, with latency and without.
///
/// # Errors
/// When a parameter is out of its range.
///
/// ```
/// use curie_statistics::prefetch::{PrefetchParameters, QuadWork, simulate};
/// let quads = vec![QuadWork { misses: 0, clocks: 1 }; 1000];
/// // The first quad leaves in clock 2, and one in each clock that follows.
/// assert_eq!(simulate(&quads, &PrefetchParameters::default()).unwrap().cycles, 1001);
/// ```
pub fn simulate(quads: &[QuadWork], parameters: &PrefetchParameters) -> Result<PrefetchResult, ParameterError> {
    parameters.check()?;
    Ok(PrefetchResult {
        parameters: *parameters,
        cycles: cycles(quads, parameters),
        cycles_without_latency: cycles(quads, &parameters.without_latency()),
    })
}

/// The latest clocks so far. Clock 0 precedes everything.
fn cycles(quads: &[QuadWork], parameters: &PrefetchParameters) -> u64 {
    let mut leaves = vec![0u64; parameters.fragment_fifo as usize];
    let mut issues = vec![0u64; parameters.request_fifo as usize];
    let mut commits = vec![0u64; parameters.reorder_slots as usize];
    let (mut push, mut issue, mut commit, mut tag, mut leave) = (0u64, 0u64, 0u64, 0u64, 0u64);
    let mut memory = Memory::default();
    let mut request = 0usize;
    for (number, quad) in quads.iter().enumerate() {
        let clocks = u64::from(quad.clocks.max(1));
        for _ in 0..quad.misses {
            let [issue_slot, commit_slot] = [request % issues.len(), request % commits.len()];
            push = (push + 1).max(tag + 1).max(issues[issue_slot] + 1);
            let ready = (push + 1).max(issue + 1).max(commits[commit_slot] + 1);
            issue = memory.issue(ready, parameters);
            let number = u32::try_from(request & 0xffff_ffff).expect("32 bits");
            let arrival = issue + u64::from(parameters.latency) + parameters.jitter_of(number);
            commit = (arrival + 1).max(commit + 1).max(leave);
            issues[issue_slot] = issue;
            commits[commit_slot] = commit;
            request += 1;
        }
        let leave_slot = number % leaves.len();
        tag = (tag + clocks).max(leaves[leave_slot] + 1);
        leave = (leave + clocks).max(tag + 1);
        if quad.misses > 0 {
            tag = tag.max(push);
            leave = leave.max(tag + 1).max(commit + 1);
        }
        leaves[leave_slot] = leave;
    }
    leave
}

/// Until when memory is busy with requested lines: a clock and a fraction of `1 / memory_bytes`.
#[derive(Debug, Clone, Copy, Default)]
struct Memory {
    clock: u64,
    fraction: u64,
}

impl Memory {
    /// The clock in which a request that is ready in this one is issued.
    fn issue(&mut self, ready: u64, parameters: &PrefetchParameters) -> u64 {
        if self.clock < ready {
            *self = Self { clock: ready, fraction: 0 };
        }
        let issue = self.clock + u64::from(self.fraction > 0);
        let unit = u64::from(parameters.memory_bytes);
        let end = self.fraction + u64::from(parameters.line_bytes) * u64::from(parameters.memory_clocks);
        *self = Self { clock: self.clock + end / unit, fraction: end % unit };
        issue
    }
}

/// An upper bound of a pipe's clocks for these quads: the sum of all that any event can wait for.
#[must_use]
pub fn max_cycles(quads: &[QuadWork], parameters: &PrefetchParameters) -> u64 {
    let transfer = u64::from(parameters.line_bytes) * u64::from(parameters.memory_clocks);
    let transfer = transfer / u64::from(parameters.memory_bytes) + 1;
    let request = transfer + u64::from(parameters.latency) + u64::from(parameters.jitter) + 6;
    let of_quad = |quad: &QuadWork| u64::from(quad.misses) * request + 2 * u64::from(quad.clocks.max(1)) + 3;
    quads.iter().map(of_quad).sum()
}

#[cfg(test)]
#[path = "prefetch_tests.rs"]
mod tests;
