//! Measures how long kernels run on the device, with timestamps around their passes, and what the host does meanwhile.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

/// Queries of one set, the most that every device supports: a beginning and an end per pass.
const QUERIES: u32 = wgpu::QUERY_SET_MAX_QUERIES;

/// The time of one kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StageTime {
    /// Nanoseconds on the device, over all passes.
    pub nanoseconds: f64,
    /// Passes.
    pub passes: u64,
}

/// A pass of a kernel on the device.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelPass {
    /// The kernel.
    pub kernel: String,
    /// The compiled kernel: [`Kernel::number`](super::Kernel::number).
    pub number: u64,
    /// The owner when the pass was recorded.
    pub owner: Option<usize>,
    /// When it ran, in nanoseconds since the clock started.
    pub time: Range<f64>,
}

/// What the host does in a span of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostWork {
    /// Work that a user of the clock names.
    Command(&'static str),
    /// The text of a kernel is generated and the kernel is found, or compiled.
    Kernel {
        /// Its name.
        kernel: String,
        /// The compiled kernel: [`Kernel::number`](super::Kernel::number).
        number: u64,
        /// Whether it was compiled.
        is_compiled: bool,
    },
    /// A submission, and the wait for its passes if it has any.
    Submission,
    /// A submission, the wait for its end, and the copy of a buffer from the device.
    Readback,
}

/// A span of time of the host. Spans are nested or apart.
#[derive(Debug, Clone, PartialEq)]
pub struct HostSpan {
    /// The work.
    pub work: HostWork,
    /// The owner of the work.
    pub owner: Option<usize>,
    /// When it was done, in nanoseconds since the clock started.
    pub time: Range<f64>,
}

/// What a clock measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timings {
    /// Passes in the order of submission.
    pub passes: Vec<KernelPass>,
    /// Spans of the host in the order of their ends.
    pub spans: Vec<HostSpan>,
}

impl Timings {
    /// The time of each kernel, over all its passes.
    #[must_use]
    pub fn by_kernel(&self) -> BTreeMap<String, StageTime> {
        let mut times: BTreeMap<String, StageTime> = BTreeMap::new();
        for pass in &self.passes {
            let time = times.entry(pass.kernel.clone()).or_default();
            time.nanoseconds += pass.time.end - pass.time.start;
            time.passes += 1;
        }
        times
    }
}

/// Times kernels and the host while it is running; shared by the measuring device and its users.
#[derive(Debug, Default)]
pub struct StageClock {
    is_running: AtomicBool,
    log: Mutex<Log>,
}

#[derive(Debug)]
struct Log {
    started: Instant,
    owner: Option<usize>,
    timings: Timings,
    /// The device's first timestamp: zero of the times of passes.
    first_tick: Option<u64>,
    /// What to add to the times of passes.
    offset: f64,
}

impl Default for Log {
    fn default() -> Self {
        let timings = Timings::default();
        Self { started: Instant::now(), owner: None, timings, first_tick: None, offset: f64::INFINITY }
    }
}

impl Log {
    /// Nanoseconds since the start.
    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64() * 1e9
    }
}

impl StageClock {
    /// Starts from zero: passes recorded from now on are timed, and each submission waits for its times.
    pub fn start(&self) {
        *self.log() = Log::default();
        self.is_running.store(true, Ordering::Relaxed);
    }

    /// Stops, and returns the times since the start.
    ///
    /// The device has a clock of its own. It is set so that no pass ends after the host saw its end: passes may appear
    /// later than they were, by at most the shortest time that the host took to notice the end of a submission.
    #[must_use]
    pub fn stop(&self) -> Timings {
        self.is_running.store(false, Ordering::Relaxed);
        let Log { mut timings, offset, .. } = std::mem::take(&mut *self.log());
        for KernelPass { time, .. } in &mut timings.passes {
            *time = (time.start + offset).max(0.0)..(time.end + offset).max(0.0);
        }
        timings
    }

    /// Says on whose behalf passes are recorded and the host works from now on; returns the owner before.
    pub fn set_owner(&self, owner: Option<usize>) -> Option<usize> {
        std::mem::replace(&mut self.log().owner, owner)
    }

    /// Nanoseconds since the start.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.log().now()
    }

    /// Adds a span of the host from `begin` until now.
    pub fn add_span(&self, work: HostWork, begin: f64) {
        let mut log = self.log();
        let (owner, time) = (log.owner, begin..log.now());
        log.timings.spans.push(HostSpan { work, owner, time });
    }

    pub(super) fn is_running(&self) -> bool {
        self.is_running.load(Ordering::Relaxed)
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().expect("no holder panics")
    }

    /// Adds the passes of one query set, whose end the host saw at `seen`; `ticks` are pairs of timestamps, `period`
    /// nanoseconds per tick.
    fn add(&self, passes: &[RecordedPass], ticks: &[[u64; 2]], period: f32, seen: f64) {
        let mut log = self.log();
        for (RecordedPass { kernel, number, owner }, ticks) in passes.iter().zip(ticks) {
            let first = *log.first_tick.get_or_insert(ticks[0]);
            let [begin, end] =
                ticks.map(|tick| tick.checked_signed_diff(first).unwrap_or(0) as f64 * f64::from(period));
            // Clocks of some devices step back between passes; negative times count as zero.
            let time = begin..end.max(begin);
            log.offset = log.offset.min(seen - time.end);
            log.timings.passes.push(KernelPass { kernel: kernel.clone(), number: *number, owner: *owner, time });
        }
    }
}

/// A pass whose timestamps are not read yet.
#[derive(Debug)]
struct RecordedPass {
    kernel: String,
    number: u64,
    owner: Option<usize>,
}

/// The timestamps of one recording.
#[derive(Debug, Default)]
pub(super) struct PassTimes {
    /// Query sets with their passes, two queries each.
    sets: Vec<(wgpu::QuerySet, Vec<RecordedPass>)>,
    resolved: Vec<wgpu::Buffer>,
}

impl PassTimes {
    /// Whether no pass was recorded.
    pub(super) const fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The set and the first of the two queries of the next pass.
    pub(super) fn next(
        &mut self,
        device: &wgpu::Device,
        (kernel, number): (&str, u64),
        clock: Option<&StageClock>,
    ) -> (wgpu::QuerySet, u32) {
        let is_full = self.sets.last().is_none_or(|(_, passes)| passes.len() as u64 * 2 == u64::from(QUERIES));
        if is_full {
            let descriptor =
                wgpu::QuerySetDescriptor { label: Some("passes"), ty: wgpu::QueryType::Timestamp, count: QUERIES };
            self.sets.push((device.create_query_set(&descriptor), Vec::new()));
        }
        let (set, passes) = self.sets.last_mut().expect("one was just made where there was none");
        let owner = clock.and_then(|clock| clock.log().owner);
        passes.push(RecordedPass { kernel: kernel.to_owned(), number, owner });
        let first = u32::try_from(passes.len() * 2 - 2).expect("a set has few queries");
        (set.clone(), first)
    }

    /// Records the transfer of timestamps to buffers.
    pub(super) fn resolve(&mut self, device: &wgpu::Device, encoder: &mut wgpu::CommandEncoder) {
        for (set, passes) in &self.sets {
            let size = passes.len() as u64 * 16;
            let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
            let descriptor =
                wgpu::BufferDescriptor { label: Some("timestamps"), size, usage, mapped_at_creation: false };
            let buffer = device.create_buffer(&descriptor);
            let queries = u32::try_from(passes.len() * 2).expect("a set has few queries");
            encoder.resolve_query_set(set, 0..queries, &buffer, 0);
            self.resolved.push(buffer);
        }
    }

    /// Reads the times of passes that are done with `download` and adds them to a clock.
    pub(super) fn read<E>(
        &self,
        clock: &StageClock,
        period: f32,
        mut download: impl FnMut(&wgpu::Buffer, &mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let seen = clock.now();
        for ((_, passes), buffer) in self.sets.iter().zip(&self.resolved) {
            let mut ticks = vec![[0u64; 2]; passes.len()];
            download(buffer, bytemuck::cast_slice_mut(&mut ticks))?;
            clock.add(passes, &ticks, period, seen);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes<const N: usize>(kernels: [&str; N]) -> [RecordedPass; N] {
        kernels.map(|kernel| RecordedPass { kernel: kernel.to_owned(), number: 0, owner: Some(7) })
    }

    #[test]
    fn passes_of_a_kernel_add_up() {
        let clock = StageClock::default();
        clock.start();
        clock.add(&passes(["shade", "merge", "shade"]), &[[10, 30], [30, 31], [50, 40]], 2.0, 1e9);
        let times = clock.stop().by_kernel();
        assert_eq!(times["shade"], StageTime { nanoseconds: 40.0, passes: 2 });
        assert_eq!(times["merge"], StageTime { nanoseconds: 2.0, passes: 1 });
        assert_eq!(clock.stop(), Timings::default());
    }

    #[test]
    fn no_pass_ends_after_the_host_saw_it() {
        let clock = StageClock::default();
        clock.start();
        // A timestamp that a float does not hold.
        let first = (1 << 60) + 1;
        clock.add(&passes(["shade"]), &[[first, first + 10]], 1.0, 150.0);
        clock.add(&passes(["merge"]), &[[first + 20, first + 40]], 1.0, 160.0);
        let times: Vec<_> = clock.stop().passes.into_iter().map(|pass| (pass.owner, pass.time)).collect();
        assert_eq!(times, [(Some(7), 120.0..130.0), (Some(7), 140.0..160.0)]);
    }

    #[test]
    fn spans_have_the_owner_of_their_end() {
        let clock = StageClock::default();
        clock.start();
        assert_eq!(clock.set_owner(Some(3)), None);
        let begin = clock.now();
        clock.add_span(HostWork::Command("record"), begin);
        assert_eq!(clock.set_owner(None), Some(3));
        let [span] = &clock.stop().spans[..] else { panic!("one span") };
        assert_eq!((&span.work, span.owner, span.time.start), (&HostWork::Command("record"), Some(3), begin));
        assert!(span.time.end >= begin);
    }
}
