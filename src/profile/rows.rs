//! Turns timed plays into one row per draw: its path, its kernels and their state in the cache, times and counts.

use serde::Serialize;

use crate::counters::{Counter, Counters};
use crate::gpu::{HostSpan, HostWork, KernelPass, Timings};
use crate::kernels::{DrawPath, ProfiledDraw};

/// The draws of a stream with their times and counts. Times are in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    /// The adapter that the kernels ran on.
    pub adapter: String,
    /// The time of all kernels on the device, those of other commands included.
    pub device_milliseconds: f64,
    /// The time of all draws on the host.
    pub host_milliseconds: f64,
    /// The time to compile all kernels.
    pub compile_milliseconds: f64,
    /// The draws, in the order of the stream unless sorted.
    pub draws: Vec<DrawRow>,
    /// The kernels of other commands, such as clears and copies, longest first.
    pub others: Vec<KernelRow>,
    /// What the timed play did when.
    #[serde(skip)]
    pub(super) timings: Timings,
}

/// A draw. Times are in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DrawRow {
    /// Its number, from 0, as `--statistics` numbers draws.
    pub draw: usize,
    /// The number of its frame; `None` before the first frame.
    pub frame: Option<u32>,
    /// The primitives that it assembles.
    pub primitive: &'static str,
    /// The kernels that it went through: `fused`, `separate`, `merged` (those of an earlier draw) or `none`.
    pub path: &'static str,
    /// The path as text, with the reason why it is not a faster one.
    pub path_text: String,
    /// The draws that were drawn together with it: the first one if that is an earlier one, else those that follow.
    pub together_with: Vec<usize>,
    /// Why it did not merge with the draw before it, if that waited for more.
    pub separation: Option<String>,
    /// The time of its kernels on the device; `None` for a draw that has none of its own.
    pub device_milliseconds: Option<f64>,
    /// The time of the host, without compilation, submissions, and waits for the device.
    pub host_milliseconds: f64,
    /// The time that the host took to compile kernels which earlier draws had not used.
    pub compile_milliseconds: f64,
    /// Its kernels, longest first.
    pub kernels: Vec<KernelRow>,
    /// Its counts, if the counting kernels accept the same draws.
    #[serde(flatten)]
    pub counts: Option<DrawCounts>,
    #[serde(skip)]
    taken: DrawPath,
}

/// A kernel of a draw, or of other commands. Times are in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelRow {
    /// Its name.
    pub name: String,
    /// `fast` or `exact`, for kernels that have both paths.
    pub path: Option<&'static str>,
    /// Its time on the device.
    pub milliseconds: f64,
    /// How often it was dispatched, without work included.
    pub passes: usize,
    /// How many kernels of this name were compiled for the draw; 0 if all were found in the cache.
    pub compiled: usize,
    /// How long that took on the host.
    pub compile_milliseconds: f64,
}

/// What a draw did, by its counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DrawCounts {
    /// 2×2 quads with at least one covered pixel.
    pub quads: u64,
    /// Pixels that primitives cover.
    pub fragments: u64,
    /// Bytes of indices, attributes, color, depth and stencil that were read; texels are not among them.
    pub bytes_read: u64,
    /// Bytes of color, depth and stencil that were written.
    pub bytes_written: u64,
}

/// The orders of draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By number.
    Draw,
    /// Longest time on the device first.
    Device,
    /// Longest time on the host first.
    Host,
    /// Most quads first.
    Quads,
}

/// One timed play.
#[derive(Debug)]
pub(super) struct Play {
    pub(super) draws: Vec<ProfiledDraw>,
    /// The frame of each draw.
    pub(super) frames: Vec<Option<u32>>,
    pub(super) timings: Timings,
}

impl DrawCounts {
    /// The counts among these counters.
    pub(super) fn new(counters: &Counters) -> Self {
        let sum = |counted: &[Counter]| counted.iter().map(|counter| counters.total(*counter)).sum();
        Self {
            quads: counters.total(Counter::Quads),
            fragments: counters.total(Counter::Fragments),
            bytes_read: sum(&[
                Counter::IndexBytes,
                Counter::AttributeBytes,
                Counter::ColorReadBytes,
                Counter::ZetaReadBytes,
            ]),
            bytes_written: sum(&[Counter::ColorWrittenBytes, Counter::ZetaWrittenBytes]),
        }
    }
}

impl Profile {
    /// Joins the play that compiled kernels, the one that was measured, and counts by draw.
    pub(super) fn new(adapter: String, compiling: &Play, measured: Play, counts: &[DrawCounts]) -> Self {
        let Play { draws, frames, timings } = measured;
        let counts = (counts.len() == draws.len()).then_some(counts);
        let mut rows: Vec<_> = draws
            .iter()
            .enumerate()
            .map(|(number, draw)| DrawRow {
                frame: frames.get(number).copied().flatten(),
                counts: counts.map(|counts| counts[number]),
                ..DrawRow::new(number, draw)
            })
            .collect();
        for (number, draw) in draws.iter().enumerate() {
            if let DrawPath::Merged { first } = draw.path {
                rows[first].together_with.push(number);
            }
        }
        let mut others = Vec::new();
        for pass in &timings.passes {
            let row = pass.owner.and_then(|draw| rows.get_mut(draw));
            let path = row.as_ref().and_then(|row| row.path_of(pass));
            let kernels = row.map_or(&mut others, |row| &mut row.kernels);
            let kernel = KernelRow::find(kernels, &pass.kernel, path);
            kernel.milliseconds += (pass.time.end - pass.time.start) / 1e6;
            kernel.passes += 1;
        }
        for row in rows.iter_mut().filter(|row| !row.kernels.is_empty()) {
            row.device_milliseconds = Some(total(row.kernels.iter().map(|kernel| kernel.milliseconds)));
        }
        for_own_times(&timings.spans, |span, own| {
            let row = span.owner.and_then(|draw| rows.get_mut(draw));
            if let (HostWork::Command(_), Some(row)) = (&span.work, row) {
                row.host_milliseconds += own / 1e6;
            }
        });
        for span in &compiling.timings.spans {
            let HostWork::Kernel { kernel, number, is_compiled: true } = &span.work else { continue };
            let draw = span.owner.and_then(|draw| compiling.draws.get(draw));
            let path = draw.and_then(|draw| draw.path.of_kernel(kernel, *number));
            let row = span.owner.and_then(|draw| rows.get_mut(draw));
            let kernel = KernelRow::find(row.map_or(&mut others, |row| &mut row.kernels), kernel, path);
            kernel.compiled += 1;
            kernel.compile_milliseconds += (span.time.end - span.time.start) / 1e6;
        }
        let longest_first = |kernels: &mut Vec<KernelRow>| {
            kernels.sort_by(|left, right| right.milliseconds.total_cmp(&left.milliseconds));
        };
        longest_first(&mut others);
        for row in &mut rows {
            longest_first(&mut row.kernels);
            row.compile_milliseconds = total(row.kernels.iter().map(|kernel| kernel.compile_milliseconds));
        }
        let empty = Self {
            adapter,
            device_milliseconds: 0.0,
            host_milliseconds: 0.0,
            compile_milliseconds: 0.0,
            draws: rows,
            others,
            timings,
        };
        empty.summed()
    }

    /// The same with the sums of its rows.
    fn summed(self) -> Self {
        let sum = |time: &dyn Fn(&DrawRow) -> f64| total(self.draws.iter().map(time));
        let others = |time: &dyn Fn(&KernelRow) -> f64| total(self.others.iter().map(time));
        let device = others(&|kernel| kernel.milliseconds) + sum(&|row| row.device_milliseconds.unwrap_or(0.0));
        let compile = others(&|kernel| kernel.compile_milliseconds) + sum(&|row| row.compile_milliseconds);
        let host = sum(&|row| row.host_milliseconds);
        Self { device_milliseconds: device, host_milliseconds: host, compile_milliseconds: compile, ..self }
    }

    /// Only the draws of a frame, without the kernels of other commands; `None` if it has no draws.
    #[must_use]
    pub fn of_frame(mut self, frame: u32) -> Option<Self> {
        self.draws.retain(|row| row.frame == Some(frame));
        let range = self.draws.first()?.draw..=self.draws.last()?.draw;
        let is_inside = |owner: Option<usize>| owner.is_some_and(|draw| range.contains(&draw));
        self.timings.passes.retain(|pass| is_inside(pass.owner));
        self.timings.spans.retain(|span| is_inside(span.owner));
        self.others.clear();
        Some(self.summed())
    }

    /// The `most` first draws in an order; draws that are equal in it keep the order of the stream.
    #[must_use]
    pub fn sorted(&self, order: Order, most: usize) -> Vec<&DrawRow> {
        let mut rows: Vec<_> = self.draws.iter().collect();
        let key = |row: &DrawRow| match order {
            Order::Draw => 0.0,
            Order::Device => row.device_milliseconds.unwrap_or(0.0),
            Order::Host => row.host_milliseconds,
            Order::Quads => row.counts.map_or(0.0, |counts| counts.quads as f64),
        };
        rows.sort_by(|left, right| key(right).total_cmp(&key(left)));
        rows.truncate(most);
        rows
    }

    /// Whether draws have counts.
    #[must_use]
    pub fn has_counts(&self) -> bool {
        self.draws.iter().all(|row| row.counts.is_some())
    }
}

impl DrawRow {
    /// A row without times.
    fn new(number: usize, draw: &ProfiledDraw) -> Self {
        let (path, together_with) = match draw.path {
            DrawPath::Nothing => ("none", Vec::new()),
            DrawPath::Host => ("reference", Vec::new()),
            DrawPath::Merged { first } => ("merged", vec![first]),
            DrawPath::Fused { .. } => ("fused", Vec::new()),
            DrawPath::Split(_) => ("separate", Vec::new()),
        };
        Self {
            draw: number,
            frame: None,
            primitive: draw.primitive.name(),
            path,
            path_text: draw.path.to_string(),
            together_with,
            separation: draw.separation.map(|reason| reason.to_string()),
            device_milliseconds: None,
            host_milliseconds: 0.0,
            compile_milliseconds: 0.0,
            kernels: Vec::new(),
            counts: None,
            taken: draw.path,
        }
    }

    /// The path of one of its passes, `fast` or `exact`, if the kernel has both.
    pub(super) fn path_of(&self, pass: &KernelPass) -> Option<&'static str> {
        self.taken.of_kernel(&pass.kernel, pass.number)
    }

    /// The numbers of the draws that its kernels draw: its own first.
    pub(super) fn drawn(&self) -> Vec<usize> {
        [self.draw].into_iter().chain(self.together_with.iter().copied()).collect()
    }
}

impl KernelRow {
    /// The row of a kernel, added if there is none.
    fn find<'a>(rows: &'a mut Vec<Self>, name: &str, path: Option<&'static str>) -> &'a mut Self {
        let found = rows.iter().position(|row| row.name == name && row.path == path);
        let index = found.unwrap_or(rows.len());
        if found.is_none() {
            let name = name.to_owned();
            rows.push(Self { name, path, milliseconds: 0.0, passes: 0, compiled: 0, compile_milliseconds: 0.0 });
        }
        &mut rows[index]
    }

    /// Its name, with the path if there are two.
    pub(super) fn title(name: &str, path: Option<&str>) -> String {
        path.map_or_else(|| name.to_owned(), |path| format!("{name}, {path} path"))
    }
}

/// The sum of times. That of none is 0, where the standard library's is −0.
fn total(times: impl Iterator<Item = f64>) -> f64 {
    times.fold(0.0, |sum, time| sum + time)
}

/// Calls `each` with each span and its time without the spans inside it, in nanoseconds.
fn for_own_times(spans: &[HostSpan], mut each: impl FnMut(&HostSpan, f64)) {
    // Spans that are not inside another one so far; they come in the order of their ends.
    let mut outer: Vec<&HostSpan> = Vec::new();
    for span in spans {
        let mut own = span.time.end - span.time.start;
        while let Some(inner) = outer.pop_if(|inner| inner.time.start >= span.time.start) {
            own -= inner.time.end - inner.time.start;
        }
        outer.push(span);
        each(span, own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{Separation, SplitReason};
    use crate::pipeline::PrimitiveType;

    const FUSED: DrawPath = DrawPath::Fused { fast: Ok(2) };

    /// Draws 0 and 1 merge, draw 2 takes separate kernels; a clear comes first. Times are in nanoseconds.
    fn play(paths: [DrawPath; 3]) -> Play {
        let draw = |path| {
            let separation = matches!(path, DrawPath::Split(_)).then_some(Separation::PixelState);
            ProfiledDraw { primitive: PrimitiveType::Triangles, path, separation }
        };
        let pass = |kernel: &str, number, owner, time| KernelPass { kernel: kernel.to_owned(), number, owner, time };
        let span = |work, owner, time| HostSpan { work, owner, time };
        let kernel = |number, is_compiled| HostWork::Kernel { kernel: "draw_tiles".to_owned(), number, is_compiled };
        let passes = vec![
            pass("fill_surface", 1, None, 0.0..1e6),
            pass("draw_tiles", 2, Some(0), 1e6..4e6),
            pass("draw_tiles", 3, Some(0), 4e6..5e6),
            // A device may overlap passes.
            pass("shade_quads", 4, Some(2), 4.5e6..6e6),
        ];
        let spans = vec![
            span(kernel(2, true), Some(0), 2e6..5e6),
            span(HostWork::Command(ProfiledDraw::DRAW), Some(0), 1e6..6e6),
            span(HostWork::Command(ProfiledDraw::DRAW), Some(1), 6e6..7e6),
            span(kernel(3, false), Some(0), 9e6..9.5e6),
            span(HostWork::Command(ProfiledDraw::RECORD), Some(0), 9e6..10e6),
            span(HostWork::Submission, Some(2), 10e6..12e6),
            span(HostWork::Command(ProfiledDraw::DRAW), Some(2), 8e6..13e6),
        ];
        let frames = vec![Some(0), Some(0), Some(1)];
        Play { draws: paths.map(draw).to_vec(), frames, timings: Timings { passes, spans } }
    }

    fn profile() -> Profile {
        let play = || play([FUSED, DrawPath::Merged { first: 0 }, DrawPath::Split(SplitReason::SamplesItsTargets)]);
        let counts = [3, 5, 4].map(|quads| DrawCounts { quads, fragments: 0, bytes_read: 0, bytes_written: 0 });
        Profile::new("an adapter".to_owned(), &play(), play(), &counts)
    }

    #[test]
    fn times_belong_to_the_draw_that_they_are_for() {
        let profile = profile();
        let times = profile.draws.iter().map(|row| (row.device_milliseconds, row.host_milliseconds));
        // Without compilation, lookups, submissions, and the recording of other draws.
        assert_eq!(times.collect::<Vec<_>>(), [(Some(4.0), 2.5), (None, 1.0), (Some(1.5), 2.0)]);
        assert_eq!(profile.draws.iter().map(|row| row.compile_milliseconds).collect::<Vec<_>>(), [3.0, 0.0, 0.0]);
        let kernels =
            |row: &DrawRow| row.kernels.iter().map(|row| (row.path, row.milliseconds, row.compiled)).collect();
        let kernels: Vec<Vec<_>> = profile.draws.iter().map(kernels).collect();
        assert_eq!(kernels[0], [(Some("fast"), 3.0, 1), (Some("exact"), 1.0, 0)]);
        assert_eq!((&kernels[1][..], &kernels[2][..]), (&[][..], &[(None, 1.5, 0)][..]));
        let sums = (profile.device_milliseconds, profile.host_milliseconds, profile.compile_milliseconds);
        assert_eq!(sums, (6.5, 5.5, 3.0));
    }

    #[test]
    fn rows_say_what_merged_and_why_not() {
        let [first, second, third] = &profile().draws[..] else { panic!("three draws") };
        assert_eq!((&first.together_with[..], &second.together_with[..]), (&[1][..], &[0][..]));
        assert_eq!(third.path_text, "separate kernels: the draw samples its own targets");
        assert_eq!(third.separation.as_deref(), Some("its pixel state differs"));
    }

    #[test]
    fn draws_have_an_order_and_a_frame() {
        let order = |order| profile().sorted(order, 2).into_iter().map(|row| row.draw).collect::<Vec<_>>();
        assert_eq!(
            [Order::Draw, Order::Device, Order::Host, Order::Quads].map(order),
            [[0, 1], [0, 2], [0, 2], [1, 2]]
        );
        let last = profile().of_frame(1).expect("it has a draw");
        assert_eq!((last.draws.len(), last.device_milliseconds, last.host_milliseconds), (1, 1.5, 2.0));
        assert_eq!(last.timings.passes.len(), 1);
        assert_eq!(profile().of_frame(2), None);
    }

    #[test]
    fn other_counts_than_draws_are_left_out() {
        let play = || play([FUSED; 3]);
        assert!(!Profile::new(String::new(), &play(), play(), &[]).has_counts());
        assert!(profile().has_counts());
    }

    #[test]
    fn events_of_the_device_do_not_overlap() {
        let trace = serde_json::to_value(profile().trace("a stream")).expect("it is plain data");
        let events = trace["traceEvents"].as_array().expect("a list");
        let of = |category: &str| -> Vec<_> {
            let events = events.iter().filter(|event| event["cat"] == category);
            events.map(|event| (event["name"].as_str(), event["ts"].as_f64(), event["dur"].as_f64())).collect()
        };
        let event = |name, start, length| (Some(name), Some(start), Some(length));
        assert_eq!(of("draws"), [event("draws 0 to 1", 1e3, 4e3), event("draw 2", 5e3, 1e3)]);
        assert_eq!(
            of("kernel")[2..],
            [event("draws 0 to 1: draw_tiles, exact path", 4e3, 1e3), event("draw 2: shade_quads", 5e3, 1e3)]
        );
        assert_eq!(of("draw").len(), 3);
    }
}
