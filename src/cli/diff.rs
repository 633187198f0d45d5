//! `curie diff`: compares the results, states and statistics of two streams.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use curie::capture::Capture;
use curie::check::{
    NumberDifference, StreamOptions, SurfaceDifference, compare_numbers, compare_surfaces, difference_picture,
    open_streams, read_text, state_at,
};
use curie::engine::{EngineChoice, Opened, open_for};
use curie::gpu::AdapterChoice;
use curie::present::{Channel, Picture, write_png};
use curie::replay::{Outcome, ReplayOptions, replay};
use curie::statistics::collect;
use curie::statistics::models::any_counting_options;
use similar::TextDiff;

use super::failure::{Failure, Usage};
use super::open_machine::open_machine;
use super::output::{OutputFormat, print_line, print_text, with_status};
use super::play::{check_stop, note_fallback};
use super::render::size;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A capture, a scene (folder or .ron file), or a statistics file (.json)
    #[arg(value_name = "A")]
    left: PathBuf,
    /// What is compared with it, of the same kind
    #[arg(value_name = "B")]
    right: PathBuf,
    /// The engine: auto, kernels or reference
    #[arg(long, default_value = "auto")]
    engine: EngineChoice,
    /// The adapter of the kernels: best, software, or a part of its name
    #[arg(long, default_value = "best")]
    adapter: AdapterChoice,
    /// The frame of scenes, from 0
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..1_000_000))]
    frame: u32,
    /// Width and height of scenes [default: their own]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    size: Option<(u32, u32)>,
    /// Stop both after the submission with this number
    #[arg(long, value_name = "SUBMISSION")]
    until: Option<u32>,
    /// Stop both after the draw with this number
    #[arg(long, value_name = "DRAW")]
    until_draw: Option<u64>,
    /// Compare the state of the draws with this number instead of results: registers, programs, constants
    #[arg(long, value_name = "DRAW", conflicts_with_all = ["until", "until_draw", "statistics", "readbacks", "output"])]
    draw: Option<u64>,
    /// Also compare what a client reads back
    #[arg(long)]
    readbacks: bool,
    /// Also compare the counters of both runs
    #[arg(long)]
    statistics: bool,
    /// The machine to count for: a name of `curie machines`, or a file
    #[arg(long, value_name = "NAME|FILE.toml", requires = "statistics")]
    machine: Option<String>,
    /// Write a picture of the pixels that differ to this file: red, over the darkened picture of A
    #[arg(short, long, value_name = "OUT.png", value_parser = OutputFormat::PICTURE.parser())]
    output: Option<PathBuf>,
    /// Print one JSON object instead of lines
    #[arg(long, conflicts_with = "draw")]
    json: bool,
}

/// What differs.
#[derive(Debug, Default, serde::Serialize)]
struct Differences {
    surfaces: Vec<SurfaceDifference>,
    readbacks: Vec<String>,
    numbers: Vec<NumberDifference>,
}

/// Runs the subcommand. The exit status is 0 if both are equal, 1 if they differ.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let is_json = |path: &Path| path.extension().is_some_and(|extension| extension == "json");
    if is_json(&arguments.left) && is_json(&arguments.right) {
        return compare_files(arguments);
    }
    let options = StreamOptions { frame: arguments.frame, size: arguments.size };
    let paths = [&arguments.left, &arguments.right];
    let captures = open_streams(paths.map(PathBuf::as_path), options)?;
    if let Some(draw) = arguments.draw {
        return compare_states(&captures, draw, &paths.map(|path| path.display().to_string()));
    }
    let [left, right] = [0, 1].map(|side| play(&captures[side], &paths[side].display().to_string(), arguments));
    let ((left, left_counters), (right, right_counters)) = (left?, right?);
    let lines =
        |outcome: &Outcome| outcome.readbacks.iter().map(|readback| readback.hash_line() + "\n").collect::<String>();
    let differences = Differences {
        surfaces: compare_surfaces(&left.surfaces, &right.surfaces),
        readbacks: changed_lines(&lines(&left), &lines(&right)),
        numbers: compare_numbers(&left_counters, &right_counters),
    };
    if let Some(path) = &arguments.output {
        write_difference(path, [&left, &right], &differences)?;
    }
    report(&differences, arguments.json)
}

/// Prints the differences; the status says whether there are any.
fn report(differences: &Differences, is_json: bool) -> Result<ExitCode, Failure> {
    let Differences { surfaces, readbacks, numbers } = differences;
    let is_equal = surfaces.is_empty() && readbacks.is_empty() && numbers.is_empty();
    let printed = if is_json {
        let mut json = serde_json::to_value(differences)?;
        json["equal"] = is_equal.into();
        print_line(json)
    } else {
        let surfaces = surfaces.iter().map(SurfaceDifference::describe);
        let numbers = numbers.iter().map(NumberDifference::describe);
        surfaces.chain(readbacks.iter().cloned()).chain(numbers).try_for_each(print_line)
    };
    with_status(printed, status(is_equal))
}

fn status(is_equal: bool) -> ExitCode {
    if is_equal { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Plays a stream; its counters are null unless they are compared.
fn play(capture: &Capture, name: &str, arguments: &Arguments) -> Result<(Outcome, serde_json::Value), Failure> {
    let Opened { mut engine, fallback, .. } = open_for(capture, arguments.engine, &arguments.adapter)?;
    note_fallback(fallback.as_ref());
    let &Arguments { until, until_draw, readbacks, .. } = arguments;
    let options = ReplayOptions { until, until_draw, readbacks, strict: false };
    let named = |error: curie::replay::ReplayError| format!("{name}: {error}");
    if !arguments.statistics {
        let outcome = replay(capture, engine.as_mut(), &options, &mut |_, _| {}).map_err(named)?;
        check_stop(outcome.missed_stop)?;
        return Ok((outcome, serde_json::Value::Null));
    }
    let machine = open_machine(arguments.machine.as_deref(), name, capture)?;
    let counted = collect(capture, engine.as_mut(), &options, any_counting_options(&machine), &mut |_, _| {});
    let (outcome, statistics) = counted.map_err(named)?;
    check_stop(outcome.missed_stop)?;
    let object = statistics.serialize(machine.sheet(), None, serde_json::value::Serializer)?;
    Ok((outcome, serde_json::json!({ "counters": object["counters"] })))
}

/// Compares two statistics files: their counters, draws and models, and the numbers of their machines.
fn compare_files(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let given = [
        ("--draw", arguments.draw.is_some()),
        ("--output", arguments.output.is_some()),
        ("--until", arguments.until.is_some()),
        ("--until-draw", arguments.until_draw.is_some()),
        ("--readbacks", arguments.readbacks),
        ("--statistics", arguments.statistics),
        ("--frame", arguments.frame != 0),
        ("--size", arguments.size.is_some()),
    ];
    if let Some((option, _)) = given.iter().find(|(_, is_given)| *is_given) {
        return Err(Usage(format!("{option} is for captures and scenes, and these are statistics")).into());
    }
    let read = |path: &Path| -> Result<serde_json::Value, Failure> {
        Ok(serde_json::from_str(&read_text(path)?).map_err(|error| format!("{}: {error}", path.display()))?)
    };
    let numbers = compare_numbers(&read(&arguments.left)?, &read(&arguments.right)?);
    report(&Differences { numbers, ..Differences::default() }, arguments.json)
}

/// Prints the states of two draws as a unified difference.
fn compare_states(captures: &[Capture; 2], draw: u64, names: &[String; 2]) -> Result<ExitCode, Failure> {
    let [left, right] =
        [0, 1].map(|side: usize| state_at(&captures[side], draw).map_err(|error| format!("{}: {error}", names[side])));
    let (left, right) = (left?, right?);
    let [left_name, right_name] = names.each_ref().map(|name| format!("{name}, draw {draw}"));
    let difference = TextDiff::from_lines(&left, &right);
    let printed = print_text(difference.unified_diff().context_radius(1).header(&left_name, &right_name));
    with_status(printed, status(left == right))
}

/// The lines that only one text has, marked as a unified difference does.
fn changed_lines(left: &str, right: &str) -> Vec<String> {
    let difference = TextDiff::from_lines(left, right);
    let changes = difference.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    changes.map(|change| format!("{} {}", change.tag(), change.value().trim_end())).collect()
}

/// Writes where the first surface that differs does so, or the equal picture of the first one.
fn write_difference(path: &Path, outcomes: [&Outcome; 2], differences: &Differences) -> Result<(), Failure> {
    let name = differences.surfaces.first().map_or("color0", |difference| &difference.surface);
    let channel = if name == "zeta" { Channel::Depth } else { Channel::Color };
    let [left, right] = outcomes.map(|outcome| {
        let surface = outcome.surfaces.iter().find(|surface| surface.name == name);
        let picture = surface.and_then(|surface| Picture::of_surface(surface, channel));
        picture.ok_or_else(|| format!("no picture of {name} can be made"))
    });
    let (left, right) = (left?, right?);
    if (left.width, left.height) != (right.width, right.height) {
        return Err(format!("no picture of {name} can be made: the sizes differ").into());
    }
    Ok(write_png(path, &difference_picture(&left, &right))?)
}
