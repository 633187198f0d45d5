//! `curie profile`: lists the draws of a stream with their kernels, times and counts.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use curie::capture::Capture;
use curie::files;
use curie::gpu::AdapterChoice;
use curie::kernels::KernelOptions;
use curie::profile::{Order, Profile, ProfileOptions, profile};
use curie::scene::{SceneOptions, StreamFile, stream_name};
use curie::statistics::models::any_counting_options;

use super::counting::with_progress;
use super::failure::Failure;
use super::message;
use super::open_machine::open_machine;
use super::output::{OutputFormat, print_line, print_text};
use super::stream::{input_name, open_stream};

/// The draws of a table, unless asked for more.
const TABLE_DRAWS: usize = 20;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The capture (.nvcap or .nvcap.zst) or scene (folder or .ron file)
    #[arg(value_name = "CAPTURE|SCENE")]
    stream: PathBuf,
    /// The adapter of the kernels: best, software, or a part of its name
    #[arg(long, default_value = "best")]
    adapter: AdapterChoice,
    /// Only this frame, from 0 [default: all frames of a capture, the first one of a scene]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..1_000_000))]
    frame: Option<u32>,
    /// The order of the draws
    #[arg(long, value_enum, default_value = "device")]
    sort: Sort,
    /// List at most this many draws [default: 20 in the table, all in JSON]
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Also write what host and device did when to this file, in the trace event format, which Perfetto shows
    #[arg(long, value_name = "FILE.json", value_parser = OutputFormat::TRACE.parser())]
    trace: Option<PathBuf>,
    /// Uses of a draw's state before the kernels compile its fast path; `replay` takes 256
    #[arg(long, value_name = "USES", default_value_t = KernelOptions::default().exact_uses)]
    exact_uses: u32,
    /// The machine to run on and count for: a name of `curie machines`, or a file [default: the default machine of the
    /// stream's chip]
    #[arg(long, value_name = "NAME|FILE.toml")]
    machine: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Sort {
    /// By number
    Draw,
    /// Longest time on the device first
    Device,
    /// Longest time on the host first
    Host,
    /// Most quads first
    Quads,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let name = input_name(&arguments.stream);
    let (capture, frame) = read(&arguments.stream, arguments.frame)?;
    let machine = open_machine(arguments.machine.as_deref(), &name, &capture)?;
    let options = ProfileOptions {
        adapter: arguments.adapter.clone(),
        kernels: KernelOptions { exact_uses: arguments.exact_uses, ..KernelOptions::default() },
        counting: any_counting_options(&machine),
    };
    let profile = with_progress(None, |progress| profile(&capture, &options, progress));
    let mut profile = profile.map_err(|error| format!("{name}: {error}"))?;
    if let Some(frame) = frame {
        profile = profile.of_frame(frame).ok_or_else(|| format!("{name}: no draws in frame {frame}"))?;
    }
    if !profile.has_counts() {
        message::note("counts are left out: the kernels that count accept other draws");
    }
    if let Some(path) = &arguments.trace {
        write_trace(path, &profile, &arguments.stream).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let order = match arguments.sort {
        Sort::Draw => Order::Draw,
        Sort::Device => Order::Device,
        Sort::Host => Order::Host,
        Sort::Quads => Order::Quads,
    };
    if !arguments.json {
        return print_text(profile.table(order, arguments.top.unwrap_or(TABLE_DRAWS)));
    }
    let mut object = serde_json::to_value(&profile)?;
    object["draws"] = serde_json::to_value(profile.sorted(order, arguments.top.unwrap_or(usize::MAX)))?;
    print_line(object)
}

/// Reads a capture, or one frame of a scene; returns the frame to choose from the stream, if any.
fn read(path: &Path, frame: Option<u32>) -> Result<(Capture, Option<u32>), Failure> {
    match open_stream(path, &SceneOptions::default())? {
        StreamFile::Capture(capture) => Ok((capture, frame)),
        StreamFile::Scene(scene) => {
            let frame = frame.unwrap_or(0);
            Ok((scene.capture(frame..frame + 1)?, None))
        }
    }
}

fn write_trace(path: &Path, profile: &Profile, stream: &Path) -> std::io::Result<()> {
    files::write_by(path, |out| {
        serde_json::to_writer(&mut *out, &profile.trace(&stream_name(stream)))?;
        out.write_all(b"\n")
    })
}
