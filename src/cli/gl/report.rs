//! Prints what came of each connection, as lines or as one JSON object.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use curie::live::{Ended, LiveError, Recorded, RecordingError, WorkCounts};
use curie::plural::counted;
use curie::present::{Channel, Picture, write_png};
use curie::replay::Surface;
use serde_json::{Value, json};

use crate::cli::failure::Failure;
use crate::cli::message;
use crate::cli::output::print_line;

/// Collects what came of the connections.
#[derive(Debug)]
pub(super) struct Report {
    engine: String,
    is_json: bool,
    connections: Vec<Value>,
    total: WorkCounts,
    has_failed: bool,
    /// Why standard output could not be written. Programs run on.
    unprinted: Option<Failure>,
    /// The surfaces of the last connection that drew.
    surfaces: Vec<Surface>,
    /// The files of the recordings.
    recordings: Vec<PathBuf>,
}

impl Report {
    pub(super) const fn new(engine: String, is_json: bool) -> Self {
        let total = WorkCounts { submissions: 0, draws: 0, clears: 0, methods: 0, frames: 0, reports: 0 };
        Self {
            engine,
            is_json,
            connections: Vec::new(),
            total,
            has_failed: false,
            unprinted: None,
            surfaces: Vec::new(),
            recordings: Vec::new(),
        }
    }

    /// The name of the engine.
    pub(super) fn engine(&self) -> &str {
        &self.engine
    }

    /// Whether a connection ended before the program closed it, or its recording does not hold everything.
    pub(super) const fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Whether the program submitted work to the chip.
    pub(super) const fn has_drawn(&self) -> bool {
        self.total.submissions > 0
    }

    /// The frames that the program marked.
    pub(super) const fn frames(&self) -> u32 {
        self.total.frames
    }

    /// Adds a connection that has ended, and prints its lines.
    pub(super) fn connection(
        &mut self,
        number: u32,
        process: Option<u32>,
        lasted: Duration,
        ended: Option<Ended>,
        error: Option<&LiveError>,
    ) {
        let name = match process {
            Some(process) => format!("connection {number} (process {process})"),
            None => format!("connection {number}"),
        };
        let recording_error = ended.as_ref().and_then(|ended| ended.recording.as_ref()?.error.as_ref());
        self.has_failed |= error.is_some() || recording_error.is_some();
        let counts = ended.as_ref().map(|ended| ended.counts).unwrap_or_default();
        self.total.submissions += counts.submissions;
        self.total.draws += counts.draws;
        self.total.clears += counts.clears;
        self.total.methods += counts.methods;
        self.total.reports += counts.reports;
        self.total.frames = self.total.frames.saturating_add(counts.frames);
        if self.is_json {
            self.connections.push(connection_json(number, process, lasted, ended.as_ref(), error));
        } else {
            if ended.is_some() {
                message::line(format_args!("{name}: {}", counts_line(counts, lasted)));
            }
            for line in ended.iter().flat_map(|ended| &ended.outcome.anomalies) {
                message::note(line);
            }
            for line in ended.iter().flat_map(|ended| &ended.failures) {
                message::warning(format_args!("{name}: {line}"));
            }
            if let Some(recording) = ended.as_ref().and_then(|ended| ended.recording.as_ref()) {
                match &recording.error {
                    None => message::line(format_args!("{name}: recorded to {}", recording.path.display())),
                    Some(error) => message::error(format_args!("{name}: {error}")),
                }
            }
            if let Some(error) = error {
                message::error(format_args!("{name}: {error}"));
            }
            for surface in ended.iter().flat_map(|ended| &ended.outcome.surfaces) {
                let printed = print_line(surface.hash_line());
                self.unprinted = self.unprinted.take().or(printed.err());
            }
        }
        let is_whole = |recorded: &&Recorded| !matches!(recorded.error, Some(RecordingError::File { .. }));
        let recorded = ended.as_ref().and_then(|ended| ended.recording.as_ref()).filter(is_whole);
        self.recordings.extend(recorded.map(|recorded| recorded.path.clone()));
        if let Some(ended) = ended.filter(|ended| !ended.outcome.surfaces.is_empty()) {
            self.surfaces = ended.outcome.surfaces;
        }
    }

    /// Drops what a server without an end does not need.
    pub(super) fn forget(&mut self) {
        self.surfaces.clear();
        self.recordings.clear();
        for connection in self.connections.drain(..) {
            message::line(connection);
        }
    }

    /// Prints what came of the program.
    ///
    /// # Errors
    /// When standard output cannot be written, or could not be before.
    pub(super) fn end(&mut self, lasted: Duration, status: ExitStatus) -> Result<(), Failure> {
        if !self.is_json {
            return self.unprinted.take().map_or(Ok(()), Err);
        }
        let mut object = json!({
            "engine": self.engine,
            "status": status.code(),
            "signal": status.signal(),
            "seconds": lasted.as_secs_f64(),
            "connections": self.connections,
        });
        add_counts(&mut object, self.total);
        print_line(object)
    }

    /// The files of the recordings.
    pub(super) fn recordings(&self) -> &[PathBuf] {
        &self.recordings
    }

    /// The picture of the last connection that drew.
    pub(super) fn last_picture(&self) -> Option<Picture> {
        color_picture(&self.surfaces)
    }
}

/// Writes the picture of the first color surface.
pub(super) fn write_picture(path: &Path, surfaces: &[Surface]) -> Result<(), Failure> {
    let picture = color_picture(surfaces);
    let picture = picture.ok_or_else(|| format!("{}: no color surface is bound", path.display()))?;
    Ok(write_png(path, &picture)?)
}

fn color_picture(surfaces: &[Surface]) -> Option<Picture> {
    let surface = surfaces.iter().find(|surface| surface.name == "color0")?;
    Picture::of_surface(surface, Channel::Color)
}

/// Counts with what they count.
fn named(counts: WorkCounts) -> [(u64, &'static str); 6] {
    let WorkCounts { submissions, draws, clears, methods, frames, reports } = counts;
    [
        (submissions, "submission"),
        (draws, "draw"),
        (clears, "clear"),
        (methods, "method"),
        (reports, "report"),
        (frames.into(), "frame"),
    ]
}

fn counts_line(counts: WorkCounts, lasted: Duration) -> String {
    let seconds = lasted.as_secs_f64();
    format!("{} in {seconds:.2} s", named(counts).map(|(count, noun)| counted(count, noun)).join(", "))
}

fn add_counts(object: &mut Value, counts: WorkCounts) {
    for (count, noun) in named(counts) {
        object[format!("{noun}s")] = count.into();
    }
}

fn connection_json(
    number: u32,
    process: Option<u32>,
    lasted: Duration,
    ended: Option<&Ended>,
    error: Option<&LiveError>,
) -> Value {
    let mut object = json!({
        "connection": number,
        "process": process,
        "seconds": lasted.as_secs_f64(),
        "error": error.map(ToString::to_string),
    });
    if let Some(Ended { counts, outcome, failures, recording }) = ended {
        add_counts(&mut object, *counts);
        object["surfaces"] = outcome.surfaces.iter().map(crate::cli::play::surface_json).collect();
        object["anomalies"] = outcome.anomalies.clone().into();
        object["failures"] = failures.clone().into();
        object["recording"] = recording.as_ref().map(|recorded| recorded.path.display().to_string()).into();
        let recording_error = recording.as_ref().and_then(|recorded| recorded.error.as_ref());
        object["recording_error"] = recording_error.map(ToString::to_string).into();
    }
    object
}
