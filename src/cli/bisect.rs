//! `curie bisect`: finds the first draw of a stream after which two engines, options, machines or builds differ.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;
use curie::capture::Capture;
use curie::check::{
    Finding, Place, StreamOptions, SurfaceDifference, bisect, compare_numbers, compare_pictures, compare_surfaces,
    open_stream, search, write,
};
use curie::counting::CountingEngine;
use curie::engine::{EngineChoice, open};
use curie::gpu::AdapterChoice;
use curie::plural;
use curie::present::{Channel, Picture, read_png};
use curie::replay::{Outcome, Player, ReplayOptions, replay};
use curie::statistics::models::any_counting_options;
use curie::statistics::{Statistics, collect};

use super::counting::{progress_bar, with_progress};
use super::failure::Failure;
use super::open_machine::open_machine;
use super::output::{print_line, with_status};
use super::play::KernelArguments;
use super::render::size;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The capture or scene (folder or .ron file)
    #[arg(value_name = "CAPTURE|SCENE")]
    stream: PathBuf,
    /// How one side runs, as one text of options of `replay`: --engine, --adapter, --path, --tile-size, --batch,
    /// --exact-uses, --machine
    #[arg(long, value_name = "OPTIONS", default_value = "--engine reference", allow_hyphen_values = true)]
    a: String,
    /// How the other side runs [default: --engine kernels; with --other-curie, the same as --a]
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    b: Option<String>,
    /// The other side is this build of curie
    #[arg(long, value_name = "PATH")]
    other_curie: Option<PathBuf>,
    /// With --other-curie, compare after each draw, which also finds what later draws overwrite
    #[arg(long, requires = "other_curie")]
    each: bool,
    /// The frame of a scene, from 0
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..1_000_000))]
    frame: u32,
    /// Width and height of a scene [default: its own]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    size: Option<(u32, u32)>,
    /// Print one JSON object instead of lines
    #[arg(long)]
    json: bool,
}

/// How a side runs.
#[derive(Debug, Clone, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Side {
    #[arg(long, default_value = "reference")]
    engine: EngineChoice,
    #[arg(long, default_value = "best")]
    adapter: AdapterChoice,
    #[command(flatten)]
    kernels: KernelArguments,
    #[arg(long)]
    machine: Option<String>,
}

impl Side {
    /// Reads the options of a side.
    fn read(option: &str, text: &str) -> Result<Self, Failure> {
        Self::try_parse_from(text.split_whitespace()).map_err(|error| {
            let message = error.to_string();
            let line = message.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            format!("{option} '{text}': {line}").into()
        })
    }

    fn open(&self, capture: &Capture) -> Result<Box<dyn CountingEngine>, Failure> {
        let sizes = (capture.header.vram_bytes, capture.header.gart_bytes);
        let opened = open(self.engine, &self.adapter, self.kernels.options(), sizes)?;
        match opened.fallback {
            // Two sides on the same engine would agree.
            Some(reason) => Err(format!("the kernels cannot run, name --engine reference instead: {reason}").into()),
            None => Ok(opened.engine),
        }
    }

    /// Plays up to a draw, or to the end.
    fn play(&self, capture: &Capture, until_draw: Option<u64>) -> Result<Outcome, Failure> {
        let options = ReplayOptions { until_draw, ..ReplayOptions::default() };
        Ok(replay(capture, self.open(capture)?.as_mut(), &options, &mut |_, _| {})?)
    }

    /// The counters of each draw on the side's machine.
    fn count(&self, capture: &Capture, name: &str) -> Result<Statistics, Failure> {
        let machine = open_machine(self.machine.as_deref(), name, capture)?;
        let options = ReplayOptions::default();
        let counting = any_counting_options(&machine);
        Ok(collect(capture, self.open(capture)?.as_mut(), &options, counting, &mut |_, _| {})?.1)
    }
}

/// A difference and the draw that it belongs to.
#[derive(Debug, serde::Serialize)]
struct Found {
    /// The number of the draw; none for another command, and for memory at the end.
    draw: Option<u64>,
    #[serde(flatten)]
    finding: Finding,
    /// Whether an earlier difference may exist that later draws overwrite.
    may_be_later: bool,
}

/// Runs the subcommand. The exit status is 0 if both sides agree, 1 if they differ.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let name = arguments.stream.display().to_string();
    let left = Side::read("--a", &arguments.a)?;
    let other = arguments.other_curie.as_ref().map_or("--engine kernels", |_| arguments.a.as_str());
    let other = arguments.b.as_deref().unwrap_or(other);
    let options = StreamOptions { frame: arguments.frame, size: arguments.size };
    let capture = open_stream(&arguments.stream, options)?;
    let found = match &arguments.other_curie {
        Some(program) => other_build(&capture, &left, program, other, arguments.each)?,
        None => {
            let right = Side::read("--b", other)?;
            let found = side_by_side(&capture, [&left, &right])?;
            match (found, left.machine.is_some() || right.machine.is_some()) {
                (None, true) => counted(&capture, &name, [&left, &right])?,
                (found, _) => found,
            }
        }
    };
    let Some(found) = found else {
        let draws = draws(&capture, &left)?;
        let printed = print_line(match arguments.json {
            true => serde_json::json!({ "differs": false, "draws": draws }).to_string(),
            false => format!("no difference in {}", plural::counted(draws, "draw")),
        });
        return with_status(printed, ExitCode::SUCCESS);
    };
    let printed = if arguments.json {
        let mut json = serde_json::to_value(&found)?;
        json["differs"] = true.into();
        print_line(json)
    } else {
        print_found(&found)
    };
    with_status(printed, ExitCode::FAILURE)
}

fn print_found(found: &Found) -> Result<(), Failure> {
    let Found { draw, finding: Finding { place, surfaces, others }, may_be_later } = found;
    let at = place.map(|place| {
        let Place { submission, record, method, .. } = place;
        format!(" in submission {submission} (record {record}, method {method})")
    });
    let at = at.unwrap_or_default();
    match (draw, place) {
        (Some(draw), _) => print_line(format_args!("the first difference is after draw {draw}{at}"))?,
        (None, Some(Place { command, draws, .. })) => {
            let draws = plural::counted(draws, "draw");
            print_line(format_args!("the first difference is after a {command}, {draws} from the start,{at}"))?;
        }
        (None, None) => print_line("memory differs at the end, and no command wrote the difference")?,
    }
    surfaces.iter().try_for_each(|surface| print_line(surface.describe()))?;
    others.iter().try_for_each(print_line)?;
    if *may_be_later {
        print_line("an earlier difference may be overwritten; the draw before this one agrees")?;
    }
    Ok(())
}

/// Plays both sides in this process: command by command, and if these agree, as a whole.
fn side_by_side(capture: &Capture, sides: [&Side; 2]) -> Result<Option<Found>, Failure> {
    let [mut left, mut right] = [sides[0].open(capture)?, sides[1].open(capture)?];
    let finding = with_progress(None, |progress| {
        bisect(capture, [left.as_mut(), right.as_mut()], &ReplayOptions::default(), progress)
    });
    if let Some(finding) = finding? {
        let draw = finding.place.filter(|place| place.command == "draw").map(|place| place.draws);
        return Ok(Some(Found { draw, finding, may_be_later: false }));
    }
    let draws = draws(capture, sides[0])?;
    let found = search(draws, false, &mut |draw| -> Result<_, Failure> {
        let [left, right] = sides.map(|side| side.play(capture, Some(draw)));
        let surfaces = compare_surfaces(&left?.surfaces, &right?.surfaces);
        Ok((!surfaces.is_empty()).then_some(surfaces))
    })?;
    found.map(|(draw, surfaces)| found_at(capture, sides[0], draw, surfaces, Vec::new())).transpose()
}

/// How many draws a side carries out.
fn draws(capture: &Capture, side: &Side) -> Result<u64, Failure> {
    let mut engine = side.open(capture)?;
    let mut player = Player::new(capture, &ReplayOptions::default())?;
    while player.step(engine.as_mut())?.is_some() {}
    Ok(player.counts().draws)
}

/// The difference after a draw, with the place of the draw.
fn found_at(
    capture: &Capture,
    side: &Side,
    draw: u64,
    surfaces: Vec<SurfaceDifference>,
    others: Vec<String>,
) -> Result<Found, Failure> {
    let place = Place::of_draw(capture, side.open(capture)?.as_mut(), draw)?;
    Ok(Found { draw: Some(draw), finding: Finding { place, surfaces, others }, may_be_later: true })
}

/// Compares the counters of each draw on two machines.
fn counted(capture: &Capture, name: &str, sides: [&Side; 2]) -> Result<Option<Found>, Failure> {
    let [left, right] = sides.map(|side| side.count(capture, name));
    let (left, right) = (left?, right?);
    let [count, other] = [&left, &right].map(|statistics| statistics.draws.len());
    if count != other {
        let others = vec![format!("{} on one machine, {other} on the other", plural::counted(count, "draw"))];
        let found = found_at(capture, sides[0], count.min(other) as u64, Vec::new(), others)?;
        return Ok(Some(Found { may_be_later: false, ..found }));
    }
    let pairs = left.draws.iter().zip(&right.draws).enumerate();
    let differs = pairs.into_iter().find(|(_, (left, right))| left.counters != right.counters);
    let Some((draw, (left, right))) = differs else { return Ok(None) };
    let numbers = compare_numbers(&left.counters.json(), &right.counters.json());
    let others = numbers.iter().map(|number| format!("counter {}", number.describe())).collect();
    let found = found_at(capture, sides[0], draw as u64, Vec::new(), others)?;
    Ok(Some(Found { may_be_later: false, ..found }))
}

/// Searches with another build, which plays the stream from a file.
fn other_build(
    capture: &Capture,
    side: &Side,
    program: &Path,
    options: &str,
    each: bool,
) -> Result<Option<Found>, Failure> {
    let folder = tempfile::tempdir()?;
    let [stream, picture] = ["stream.nvcap", "picture.png"].map(|name| folder.path().join(name));
    write(&stream, &capture.write())?;
    OtherBuild { program, options, stream, picture }.search(capture, side, each)
}

/// Another build of curie.
struct OtherBuild<'a> {
    program: &'a Path,
    options: &'a str,
    /// The stream as a capture.
    stream: PathBuf,
    /// The picture that it writes.
    picture: PathBuf,
}

impl OtherBuild<'_> {
    fn search(&self, capture: &Capture, side: &Side, each: bool) -> Result<Option<Found>, Failure> {
        let draws = draws(capture, side)?;
        let bar = progress_bar(None);
        let found = search(draws, each, &mut |draw| {
            bar.inc(1);
            self.difference(&side.play(capture, Some(draw))?, draw)
        });
        bar.finish_and_clear();
        let Some((draw, surfaces)) = found? else { return Ok(None) };
        let outcome = side.play(capture, Some(draw))?;
        let mut others = Vec::new();
        for surface in &surfaces {
            others.extend(self.pixels(&outcome, &surface.surface, draw)?);
        }
        let found = found_at(capture, side, draw, surfaces, others)?;
        Ok(Some(Found { may_be_later: !each, ..found }))
    }

    /// Replays up to a draw and returns what it prints.
    fn replay(&self, draw: u64, more: &[&str]) -> Result<serde_json::Value, Failure> {
        let mut command = Command::new(self.program);
        command.arg("replay").arg(&self.stream).arg("--json").arg("--until-draw").arg(draw.to_string());
        let output = command.args(self.options.split_whitespace()).args(more).output();
        let output = output.map_err(|error| format!("{}: {error}", self.program.display()))?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{}: {}", self.program.display(), message.trim_end()).into());
        }
        Ok(serde_json::from_slice(&output.stdout).map_err(|error| format!("{}: {error}", self.program.display()))?)
    }

    /// The surfaces whose hashes differ from ours after a draw.
    fn difference(&self, ours: &Outcome, draw: u64) -> Result<Option<Vec<SurfaceDifference>>, Failure> {
        let json = self.replay(draw, &[])?;
        let theirs = json["surfaces"].as_array().ok_or("the other build prints no surfaces")?;
        let theirs: Vec<(String, String)> = theirs.iter().map(summary).collect();
        let ours: Vec<_> = ours.surfaces.iter().map(|surface| (surface.name.clone(), surface.summary())).collect();
        let find = |list: &[(String, String)], name: &str| {
            list.iter().find(|(own, _)| own == name).map(|(_, summary)| summary.clone())
        };
        let only_theirs = theirs.iter().filter(|(name, _)| find(&ours, name).is_none());
        let names = ours.iter().chain(only_theirs).map(|(name, _)| name);
        let surfaces = names.filter_map(|name| {
            let sides = [find(&ours, name), find(&theirs, name)];
            (sides[0] != sides[1]).then(|| SurfaceDifference { surface: name.clone(), sides, pixels: None })
        });
        let surfaces: Vec<_> = surfaces.collect();
        Ok((!surfaces.is_empty()).then_some(surfaces))
    }

    /// Where the pictures of a surface differ.
    fn pixels(&self, ours: &Outcome, name: &str, draw: u64) -> Result<Option<String>, Failure> {
        let (shown, channel) = if name == "zeta" { ("depth", Channel::Depth) } else { (name, Channel::Color) };
        let surface = ours.surfaces.iter().find(|surface| surface.name == name);
        let Some(picture) = surface.and_then(|surface| Picture::of_surface(surface, channel)) else { return Ok(None) };
        let path = self.picture.display().to_string();
        self.replay(draw, &["--surface", shown, "-o", &path])?;
        Ok(match compare_pictures(&picture, &read_png(&self.picture)?) {
            Ok(Some(found)) => Some(format!("picture of {shown}: {}", found.describe())),
            Ok(None) => Some(format!("picture of {shown}: equal; the difference is in bits that it does not show")),
            Err(sizes) => Some(format!("picture of {shown}: {sizes}")),
        })
    }
}

/// The name of a surface, and its size, format and hash as `Surface::summary` writes them.
fn summary(surface: &serde_json::Value) -> (String, String) {
    let text = |key: &str| surface[key].as_str().unwrap_or_default();
    let summary = format!("{}x{} {} sha256:{}", surface["width"], surface["height"], text("format"), text("sha256"));
    (text("name").to_owned(), summary)
}
