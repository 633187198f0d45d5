//! Writes a profile in the trace event format, which <https://ui.perfetto.dev> and `chrome://tracing` show.

use std::ops::Range;

use serde::Serialize;
use serde_json::{Value, json};

use super::rows::{DrawRow, KernelRow, Profile};
use crate::gpu::{HostSpan, HostWork, KernelPass};
use crate::kernels::ProfiledDraw;

/// The process of all events.
const PROCESS: u32 = 1;
/// Its tracks.
const HOST: u32 = 1;
const DEVICE: u32 = 2;

/// The timed play as events: complete events (`X`) on the tracks of host and device, and metadata that names the tracks.
///
/// Categories: `draw` on the host, one event for each draw; `record`, `kernel cache` and `submission` for other work of the
/// host; `draws` on the device, one event for draws that are drawn together; `kernel` inside it, and between the draws.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    display_time_unit: &'static str,
    trace_events: Vec<Event>,
}

/// An event; times are in microseconds, with whole nanoseconds.
#[derive(Debug, Serialize)]
struct Event {
    name: String,
    cat: &'static str,
    ph: &'static str,
    pid: u32,
    tid: u32,
    ts: f64,
    dur: f64,
    args: Value,
}

impl Event {
    /// A complete event; its time is in nanoseconds.
    fn complete(name: String, cat: &'static str, tid: u32, time: &Range<f64>, args: Value) -> Self {
        let [start, end] = [time.start.round(), time.end.round()];
        Self { name, cat, ph: "X", pid: PROCESS, tid, ts: start / 1e3, dur: (end - start) / 1e3, args }
    }

    /// Names the process or a track.
    fn title(what: &str, tid: u32, name: &str) -> Self {
        let args = json!({ "name": name });
        Self { ph: "M", ..Self::complete(what.to_owned(), "__metadata", tid, &(0.0..0.0), args) }
    }
}

impl Profile {
    /// The timed play as a trace. `name` is that of the stream.
    #[must_use]
    pub fn trace(&self, name: &str) -> Trace {
        let mut events = vec![
            Event::title("process_name", HOST, name),
            Event::title("thread_name", HOST, "host"),
            Event::title("thread_name", DEVICE, &format!("device: {}", self.adapter)),
        ];
        events.extend(self.timings.spans.iter().filter_map(|span| self.host_event(span)));
        let mut end = 0.0;
        for passes in self.timings.passes.chunk_by(|left, right| left.owner == right.owner) {
            let (row, begin) = (passes[0].owner.and_then(|draw| self.row(draw)), passes[0].time.start.max(end));
            let inner: Vec<_> = passes.iter().map(|pass| kernel_event(row, pass, &mut end)).collect();
            events.extend(row.map(|row| draws_event(row, &(begin..end))));
            events.extend(inner);
        }
        Trace { display_time_unit: "ms", trace_events: events }
    }

    fn row(&self, draw: usize) -> Option<&DrawRow> {
        self.draws.binary_search_by_key(&draw, |row| row.draw).ok().map(|index| &self.draws[index])
    }

    fn host_event(&self, span: &HostSpan) -> Option<Event> {
        let row = span.owner.and_then(|draw| self.row(draw));
        let (name, cat, args) = match &span.work {
            HostWork::Command(ProfiledDraw::DRAW) => {
                let row = row?;
                (draw_name(&[row.draw]), "draw", json!(row))
            }
            HostWork::Command(what) => {
                (format!("{what} {}", draw_name(&row?.drawn())), "record", json!({ "draws": row?.drawn() }))
            }
            HostWork::Kernel { kernel, is_compiled, .. } => {
                let what = if *is_compiled { "compile" } else { "find" };
                (format!("{what} {kernel}"), "kernel cache", json!({}))
            }
            HostWork::Submission => ("submit and wait".to_owned(), "submission", json!({})),
            HostWork::Readback => ("read back".to_owned(), "submission", json!({})),
        };
        Some(Event::complete(name, cat, HOST, &span.time, args))
    }
}

/// The event of a pass. It begins after `end`, the end of the pass before it: events of a track that overlap are not shown,
/// and some devices overlap passes.
fn kernel_event(row: Option<&DrawRow>, pass: &KernelPass, end: &mut f64) -> Event {
    let path = row.and_then(|row| row.path_of(pass));
    let kernel = KernelRow::title(&pass.kernel, path);
    let name = row.map_or_else(|| kernel.clone(), |row| format!("{}: {kernel}", draw_name(&row.drawn())));
    let begin = pass.time.start.max(*end);
    *end = pass.time.end.max(begin);
    let args = json!({ "kernel": pass.kernel, "path": path, "number": pass.number });
    Event::complete(name, "kernel", DEVICE, &(begin..*end), args)
}

/// The event around the passes of a draw and of those drawn together with it.
fn draws_event(row: &DrawRow, time: &Range<f64>) -> Event {
    let draws = row.drawn();
    let args = json!({ "draws": draws, "path": row.path_text });
    Event::complete(draw_name(&draws), "draws", DEVICE, time, args)
}

/// Names one draw, or draws that are drawn together, by number.
fn draw_name(draws: &[usize]) -> String {
    match draws {
        [draw] => format!("draw {draw}"),
        [first, .., last] => format!("draws {first} to {last}"),
        [] => String::new(),
    }
}
