//! `curie bench`: measures streams in frames, pixels, texels, vertices and triangles per second.

use std::path::PathBuf;
use std::time::Duration;

use curie::bench::{
    Bench, HeadlineRow, Options, Report, ScalingRow, SceneReport, VertexProcessorRow, headline, peak_memory_bytes,
    scaling, vertex_processors,
};
use curie::capture::Capture;
use curie::engine::{EngineChoice, Opened};
use curie::gpu::AdapterChoice;
use curie::kernels::KernelPath;
use curie::scene::stream_name;
use curie::statistics::models::any_counting_options;

use super::counting::write_statistics;
use super::failure::Failure;
use super::message;
use super::open_machine::open_machine;
use super::output::{OutputFormat, print_line};
use super::replay::BUNDLED;
use super::stream::{input_name, open_recorded};

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Captures (.nvcap or .nvcap.zst) and scenes (folders or .ron files); without any, a bundled capture
    #[arg(value_name = "CAPTURE|SCENE")]
    streams: Vec<PathBuf>,
    /// The engine: auto, kernels or reference
    #[arg(long, default_value = "auto")]
    engine: EngineChoice,
    /// The adapter of the kernels: best, software, or a part of its name
    #[arg(long, default_value = "best")]
    adapter: AdapterChoice,
    /// How the kernels divide a draw: auto, invocations, workgroups or stages, as for `replay`
    #[arg(long, default_value = "auto")]
    path: KernelPath,
    /// Seconds to measure each stream for
    #[arg(long, default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,
    /// Most frames submitted but not finished; 1 waits after each frame
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=64))]
    frames_in_flight: u16,
    /// Most frames of a scene's animation
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    frames: u32,
    /// Also print the time of each kernel on the device
    #[arg(long)]
    stages: bool,
    /// Compare vertex, texel, pixel and depth rates with those of a GeForce 6800 Ultra
    #[arg(long)]
    headline: bool,
    /// Measure how the cost grows with draws, triangles, layers and area
    #[arg(long)]
    scaling: bool,
    /// Measure one vertex program of 20 instructions on the vertex processors of every family
    #[arg(long)]
    vertex_processors: bool,
    /// Print one JSON object instead of lines
    #[arg(long)]
    json: bool,
    /// Count what the chip does while it is timed, and write the counters of one replay to this file
    #[arg(long, value_name = "FILE.json", value_parser = OutputFormat::STATISTICS.parser())]
    #[arg(conflicts_with_all = ["headline", "scaling", "vertex_processors"])]
    statistics: Option<PathBuf>,
    /// The machine to run on and count for: a name of `curie machines`, or a file [default: the default machine of the
    /// stream's chip]
    #[arg(long, value_name = "NAME|FILE.toml")]
    machine: Option<String>,
    /// Compare with an earlier output of `--json` in this file
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("0 to 3600 seconds".to_owned()),
    }
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let baseline = arguments.baseline.as_deref().map(|path| Report::read(path).map(|report| (path, report)));
    let baseline = baseline.transpose()?;
    if arguments.statistics.is_some() && arguments.streams.len() > 1 {
        return Err("--statistics takes one stream".into());
    }
    let mut table = Table { arguments, bench: bench_of(arguments), report: Report::default() };
    if arguments.headline {
        let rows = headline(&mut |name, capture| table.add(name, name, capture))?;
        table.print(rows.iter().map(HeadlineRow::line))?;
        table.report.headline = rows;
    }
    if arguments.scaling {
        let rows = scaling(&mut |name, capture| table.add(name, name, capture))?;
        table.print(rows.iter().map(ScalingRow::line))?;
        table.report.scaling = rows;
    }
    if arguments.vertex_processors {
        let rows = vertex_processors(&mut |name, capture| table.add(name, name, capture))?;
        table.print(rows.iter().map(VertexProcessorRow::line))?;
        table.report.vertex_processors = rows;
    }
    let has_own_streams = arguments.headline || arguments.scaling || arguments.vertex_processors;
    if arguments.streams.is_empty() && !has_own_streams {
        let capture = Capture::read(BUNDLED).map_err(|error| format!("the bundled capture: {error}"))?;
        table.add("cube", "the bundled capture", &capture)?;
    }
    for path in &arguments.streams {
        let capture = open_recorded(path, |scene| 0..scene.frames().clamp(1, arguments.frames))?;
        table.add(&stream_name(path), &input_name(path), &capture)?;
    }
    let Table { mut report, .. } = table;
    report.peak_memory_bytes = peak_memory_bytes();
    let comparison = match &baseline {
        Some((path, earlier)) => Some(report.compare(&path.display().to_string(), earlier)?),
        None => None,
    };
    if arguments.json {
        let mut object = serde_json::to_value(&report)?;
        if let Some(comparison) = &comparison {
            object["baseline"] = serde_json::to_value(comparison)?;
        }
        return print_line(object);
    }
    if let Some(bytes) = report.peak_memory_bytes {
        let guest = report.scenes.iter().map(|scene| scene.guest_memory_bytes).max().unwrap_or(0);
        let (peak, guest) = (bytes >> 20, guest >> 20);
        print_line(format_args!("peak memory {peak} MiB, guest memory at most {guest} MiB of it"))?;
    }
    if let Some(comparison) = &comparison {
        print_line(comparison)?;
    }
    Ok(())
}

fn bench_of(arguments: &Arguments) -> Bench {
    let options = Options {
        duration: Duration::from_secs_f64(arguments.seconds),
        unfinished_frames: usize::from(arguments.frames_in_flight) - 1,
    };
    let Arguments { engine, adapter, path, stages, .. } = arguments;
    Bench { engine: *engine, adapter: adapter.clone(), options, path: *path, times_stages: *stages, counting: None }
}

/// Prints a line per stream, or collects them in a report to print at the end.
struct Table<'a> {
    arguments: &'a Arguments,
    bench: Bench,
    report: Report,
}

impl Table<'_> {
    /// Measures a stream and writes its counters where the arguments name a file; messages call the stream `path`.
    fn add(&mut self, name: &str, path: &str, capture: &Capture) -> Result<SceneReport, Failure> {
        let Self { arguments, bench, report } = self;
        let machine = open_machine(arguments.machine.as_deref(), path, capture)?;
        bench.counting = arguments.statistics.as_ref().map(|_| any_counting_options(&machine));
        let mut printed = Ok(());
        let mut begin = |opened: &Opened| {
            if report.scenes.is_empty() {
                if let Some(reason) = &opened.fallback {
                    message::note(format_args!("using the reference engine: {reason}"));
                }
                report.adapter = opened.adapter.clone().unwrap_or_else(|| opened.name.clone());
                if !arguments.json {
                    printed = print_line(format_args!("{}\n{}", opened.name, Report::HEAD));
                }
            }
        };
        let scene = bench.run(name, capture, &mut begin).map_err(|error| format!("{path}: {error}"))?;
        printed?;
        self.print([scene.lines().trim_end().to_owned()])?;
        self.report.scenes.push(scene.clone());
        if let Some(file) = &self.arguments.statistics {
            write_statistics(file, &self.bench.statistics(capture)?, &machine, None)?;
        }
        Ok(scene)
    }

    fn print(&self, lines: impl IntoIterator<Item = String>) -> Result<(), Failure> {
        match self.arguments.json {
            true => Ok(()),
            false => lines.into_iter().try_for_each(print_line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_a_number_in_reach() {
        assert_eq!(seconds("0.5"), Ok(0.5));
        assert!(seconds("-1").is_err() && seconds("NaN").is_err() && seconds("1e9").is_err());
    }
}
