//! Runs a case on an engine and compares what it gives with what is expected.

use std::cell::OnceCell;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use super::case::{Case, Engine, Expected, Pixel, Stream, Subject};
use super::compare::number;
use super::{CheckError, compare_pictures, difference_picture, open_stream, program};
use crate::counters::Counters;
use crate::engine::{EngineChoice, EngineSource};
use crate::gpu::AdapterChoice;
use crate::kernels::KernelOptions;
use crate::machine::open_for;
use crate::present::{Channel, Picture, read_png, write_png};
use crate::replay::{Outcome, Player, ReplayOptions, Step, Surface, hexadecimal};
use crate::statistics::Collector;
use crate::statistics::models::any_counting_options;

/// Uses of a state before its fast path is compiled; a case plays its stream once.
const EXACT_USES: u32 = 256;

/// Options of checks besides their files.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// The engines, instead of those of the case.
    pub engines: Option<Vec<Engine>>,
    /// The folder for the pictures of a difference.
    pub output: Option<PathBuf>,
}

/// The engines of a run; the kernels are opened when a case first needs them.
#[derive(Debug)]
pub struct Engines {
    adapter: AdapterChoice,
    reference: OnceCell<EngineSource>,
    kernels: OnceCell<EngineSource>,
}

impl Engines {
    /// Engines whose kernels run on an adapter.
    #[must_use]
    pub const fn new(adapter: AdapterChoice) -> Self {
        Self { adapter, reference: OnceCell::new(), kernels: OnceCell::new() }
    }

    /// An engine.
    ///
    /// # Errors
    /// When the adapter does not exist or fails the self-test.
    pub fn get(&self, engine: Engine) -> Result<&EngineSource, CheckError> {
        let (cell, choice) = match engine {
            Engine::Reference => (&self.reference, EngineChoice::Reference),
            Engine::Kernels => (&self.kernels, EngineChoice::Kernels),
        };
        if let Some(source) = cell.get() {
            return Ok(source);
        }
        let options = KernelOptions { exact_uses: EXACT_USES, ..KernelOptions::default() };
        let source = EngineSource::open(choice, &self.adapter, options).map_err(|error| CheckError::run(&error))?;
        Ok(cell.get_or_init(|| source))
    }
}

/// The result of a case on an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    /// The case.
    pub case: String,
    /// The engine.
    pub engine: Engine,
    /// What differs from what is expected; none if the case passes.
    pub differences: Vec<String>,
    /// What the case gave, by name: surfaces, readbacks, counters, results.
    pub values: Vec<(String, String)>,
    /// How long it took.
    pub time: Duration,
}

/// Runs a case on its engines.
#[must_use]
pub fn check(case: &Case, engines: &Engines, options: &CheckOptions) -> Vec<CheckResult> {
    let on = |engine: &Engine| {
        let start = Instant::now();
        let label = format!("{}-{}", file_name(&case.name), engine.name());
        let (differences, values) = match observe(case, *engine, engines) {
            Ok(observed) => (observed.differences(case, options.output.as_deref(), &label), observed.values(case)),
            Err(error) => (vec![error.to_string()], Vec::new()),
        };
        CheckResult { case: case.name.clone(), engine: *engine, differences, values, time: start.elapsed() }
    };
    options.engines.as_ref().unwrap_or(&case.engines).iter().map(on).collect()
}

/// A name as a part of the name of a file, another one for each name: if letters are replaced, a hash follows.
#[must_use]
pub fn file_name(name: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    let plain = name.replace(|letter| !is_plain(letter), "_");
    if plain == name {
        return plain;
    }
    let hash = hexadecimal(&Sha256::digest(name.as_bytes()));
    format!("{plain}-{}", &hash[..8])
}

/// What a case gave.
#[derive(Debug)]
pub(super) enum Observed {
    /// A stream: what was bound and read, and what was counted if the case asks for it.
    Stream(Outcome, Option<Box<Counters>>),
    /// The lines of a program's registers.
    Program(Vec<String>),
}

/// Runs a case on one engine.
pub(super) fn observe(case: &Case, engine: Engine, engines: &Engines) -> Result<Observed, CheckError> {
    let engine = engines.get(engine)?;
    match &case.subject {
        Subject::Program(program) => program::run(case, program, engine).map(Observed::Program),
        Subject::Stream(stream) => play(case, stream, engine),
    }
}

fn play(case: &Case, stream: &Stream, engine: &EngineSource) -> Result<Observed, CheckError> {
    let named = |error: &dyn std::error::Error| CheckError::content(&stream.path, error);
    let capture = open_stream(&stream.path, stream.options)?;
    let header = &capture.header;
    let options = ReplayOptions {
        until: stream.until,
        until_draw: stream.until_draw,
        readbacks: case.expected.readbacks.is_some(),
        strict: false,
    };
    let mut engine = engine.engine((header.vram_bytes, header.gart_bytes)).map_err(|error| named(&error))?;
    let machine = match (case.expected.counters.is_empty(), case.machine.as_deref()) {
        (false, machine) => open_for(machine, header).map(Some),
        // A machine that is named must run the stream.
        (true, Some(machine)) => open_for(Some(machine), header).map(|_| None),
        (true, None) => Ok(None),
    };
    let machine = machine.map_err(|error| named(&error))?;
    let mut player = Player::new(&capture, &options).map_err(|error| named(&error))?;
    let mut counters = None;
    if let Some(machine) = machine {
        player = player.by_frames();
        let collector = Collector::new(engine.as_mut(), any_counting_options(&machine));
        let mut collector = collector.map_err(|error| named(&error))?;
        while let Some(step) = player.step(&mut collector).map_err(|error| named(&error))? {
            if let Step::FrameEnd(frame) = step {
                collector.close_frame(frame, player.counts()).map_err(|error| named(&error))?;
            }
        }
        counters = Some(Box::new(collector.finish().total()));
    } else {
        while player.step(engine.as_mut()).map_err(|error| named(&error))?.is_some() {}
    }
    if !player.is_stopped() && (stream.until.is_some() || stream.until_draw.is_some()) {
        let message = "the stream ends before the submission or draw where the case stops".to_owned();
        return Err(CheckError::Content { path: stream.path.clone(), message });
    }
    Ok(Observed::Stream(player.outcome(engine.as_mut()).map_err(|error| named(&error))?, counters))
}

impl Observed {
    /// What differs from the expectations of a case. Pictures of differences are written into a folder, and their names
    /// begin with the label.
    fn differences(&self, case: &Case, output: Option<&Path>, label: &str) -> Vec<String> {
        let expected = &case.expected;
        if expected.is_empty() {
            return vec!["the case expects nothing; --bless fills in what the reference gives".to_owned()];
        }
        match self {
            Self::Program(lines) => {
                let expected = expected.results.as_deref().unwrap_or_default();
                compare_lines("results", expected, lines).into_iter().collect()
            }
            Self::Stream(outcome, counters) => {
                let mut differences = compare_outcome(case, outcome, output, label);
                if let Some(counters) = counters {
                    differences.extend(compare_counters(expected, counters));
                }
                differences
            }
        }
    }

    /// What the case gave, by name.
    fn values(&self, case: &Case) -> Vec<(String, String)> {
        let digest = |lines: &[String]| {
            let hash = Sha256::digest(lines.join("\n").as_bytes());
            format!("{} lines sha256:{}", lines.len(), hexadecimal(&hash))
        };
        match self {
            Self::Program(lines) => vec![("results".to_owned(), digest(lines))],
            Self::Stream(outcome, counters) => {
                let surfaces = outcome.surfaces.iter().map(|surface| (surface.name.clone(), surface.summary()));
                let mut values: Vec<_> = surfaces.collect();
                if case.expected.readbacks.is_some() {
                    values.push(("readbacks".to_owned(), digest(&readback_lines(outcome))));
                }
                if let Some(counters) = counters {
                    let counted = case.expected.counters.iter().map(|(name, counter, element, _)| {
                        (name.clone(), count(counters, *counter, *element).to_string())
                    });
                    values.extend(counted);
                }
                values
            }
        }
    }
}

/// The value of a counter or one of its elements.
pub(super) fn count(counters: &Counters, counter: crate::counters::Counter, element: Option<usize>) -> u64 {
    match element {
        None => counters.total(counter),
        Some(element) => counters.elements(counter)[element],
    }
}

/// The lines of all readbacks.
pub(super) fn readback_lines(outcome: &Outcome) -> Vec<String> {
    outcome.readbacks.iter().map(crate::replay::Readback::hash_line).collect()
}

fn compare_counters(expected: &Expected, counters: &Counters) -> Vec<String> {
    let differs = |(name, counter, element, expected): &(String, _, _, u64)| {
        let actual = count(counters, *counter, *element);
        (actual != *expected).then(|| format!("counter {name}: {actual} instead of {expected}"))
    };
    expected.counters.iter().filter_map(differs).collect()
}

/// The first of the lines that differs.
pub(super) fn compare_lines(what: &str, expected: &[String], actual: &[String]) -> Option<String> {
    let normal = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let pair = |index: usize| [expected, actual].map(|lines| lines.get(index).map(|line| normal(line)));
    let index = (0..expected.len().max(actual.len())).find(|index| {
        let [expected, actual] = pair(*index);
        expected != actual
    })?;
    let [expected, actual] = pair(index).map(|line| line.unwrap_or_else(|| "nothing".to_owned()));
    Some(format!("{what}, line {}: '{actual}' instead of '{expected}'", index + 1))
}

/// Compares the surfaces, readbacks, pixels and picture of a stream with the expectations of a case. Pictures of
/// differences are written into a folder, and their names begin with the label.
#[must_use]
pub fn compare_outcome(case: &Case, outcome: &Outcome, output: Option<&Path>, label: &str) -> Vec<String> {
    let Subject::Stream(stream) = &case.subject else { return vec!["the case is not of a stream".to_owned()] };
    let expected = &case.expected;
    let mut differences = Vec::new();
    let writer = PictureWriter { folder: output, label };
    let find = |name: &str| outcome.surfaces.iter().find(|surface| surface.name == name);
    let picture = expected.picture.as_deref().and_then(|path| compare_picture(stream, path, outcome, &writer));
    // The difference of the picture says more.
    let shown = picture.as_ref().map(|_| surface_of(&stream.surface).0);
    for (name, hash) in &expected.surfaces {
        let Some(surface) = find(name) else {
            differences.push(format!("{name}: not bound instead of {hash}"));
            continue;
        };
        let summary = surface.summary();
        if !is_summary(hash, &summary) {
            let written = if shown == Some(name) { String::new() } else { writer.actual(surface, stream.flip) };
            differences.push(format!("{name}: {summary} instead of {hash}{written}"));
        }
    }
    differences.extend(picture);
    if let Some(expected) = &expected.readbacks {
        differences.extend(compare_lines("readbacks", expected, &readback_lines(outcome)));
    }
    differences.extend(expected.pixels.iter().filter_map(|pixel| compare_pixel(pixel, find(&pixel.surface))));
    differences
}

/// Whether an expected hash is that of a surface; it may lack the size and format.
pub(super) fn is_summary(expected: &str, summary: &str) -> bool {
    let expected = expected.split_whitespace().collect::<Vec<_>>().join(" ");
    expected == summary || summary.rsplit(' ').next() == Some(expected.as_str())
}

/// The surface and channel of what a case shows.
pub(super) fn surface_of(shown: &str) -> (&str, Channel) {
    match shown {
        "depth" => ("zeta", Channel::Depth),
        "stencil" => ("zeta", Channel::Stencil),
        color => (color, Channel::Color),
    }
}

/// The picture that a case shows; none if the surface is not bound.
pub(super) fn picture_of(stream: &Stream, outcome: &Outcome) -> Option<Picture> {
    let (name, channel) = surface_of(&stream.surface);
    let surface = outcome.surfaces.iter().find(|surface| surface.name == name)?;
    let picture = Picture::of_surface(surface, channel)?;
    Some(if stream.flip { picture.flipped() } else { picture })
}

fn compare_picture(stream: &Stream, path: &Path, outcome: &Outcome, writer: &PictureWriter<'_>) -> Option<String> {
    let shown = &stream.surface;
    let Some(actual) = picture_of(stream, outcome) else {
        return Some(format!("picture: no surface '{shown}' is bound"));
    };
    let expected = match read_png(path) {
        Ok(expected) => expected,
        Err(error) => return Some(format!("picture: {error}{}", writer.pictures(&actual, shown, None))),
    };
    let found = match compare_pictures(&expected, &actual) {
        Ok(None) => return None,
        Ok(Some(found)) => found.describe(),
        Err(sizes) => sizes,
    };
    Some(format!("picture {}: {found}{}", path.display(), writer.pictures(&actual, shown, Some(&expected))))
}

fn compare_pixel(pixel: &Pixel, surface: Option<&Surface>) -> Option<String> {
    let Pixel { surface: name, x, y, value } = pixel;
    let actual = surface.and_then(|surface| pixel_value(surface, *x, *y));
    match actual {
        Some(actual) if actual.eq_ignore_ascii_case(value) => None,
        Some(actual) => Some(format!("pixel ({x}, {y}) of {name}: {actual} instead of {value}")),
        None => Some(format!("pixel ({x}, {y}) of {name}: there is none instead of {value}")),
    }
}

/// The value of a pixel, a hexadecimal number; none outside the surface.
pub(super) fn pixel_value(surface: &Surface, x: u32, y: u32) -> Option<String> {
    let bytes = surface.format.bytes() as usize;
    let index = y as usize * surface.width as usize + x as usize;
    let is_inside = x < surface.width && y < surface.height;
    surface.rows.chunks_exact(bytes).nth(index).filter(|_| is_inside).map(number)
}

/// Writes the pictures of a difference.
struct PictureWriter<'a> {
    folder: Option<&'a Path>,
    label: &'a str,
}

impl PictureWriter<'_> {
    /// Writes the actual picture where only the expected hash is known, and says so.
    fn actual(&self, surface: &Surface, flip: bool) -> String {
        let (shown, channel) = match surface.name.as_str() {
            "zeta" => ("depth", Channel::Depth),
            color => (color, Channel::Color),
        };
        let Some(picture) = Picture::of_surface(surface, channel) else { return String::new() };
        let picture = if flip { picture.flipped() } else { picture };
        match self.folder {
            Some(_) => self.pictures(&picture, shown, None) + "; only the hash of the expected one is known",
            None => String::new(),
        }
    }

    /// Writes the actual picture, and beside it the expected one and the difference where there is one; returns words that
    /// say so.
    fn pictures(&self, actual: &Picture, shown: &str, expected: Option<&Picture>) -> String {
        let Some(folder) = self.folder else { return String::new() };
        let mut text = String::new();
        let mut write = |kind: &str, picture: &Picture| {
            let path = folder.join(format!("{}-{shown}-{kind}.png", self.label));
            let written = std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()));
            let written = written.and_then(|()| write_png(&path, picture).map_err(|error| error.to_string()));
            let _ = match written {
                Ok(()) => write!(text, "; {kind}: {}", path.display()),
                Err(error) => write!(text, "; {error}"),
            };
        };
        write("actual", actual);
        if let Some(expected) = expected {
            write("expected", expected);
            if (expected.width, expected.height) == (actual.width, actual.height) {
                write("difference", &difference_picture(expected, actual));
            }
        }
        text
    }
}
