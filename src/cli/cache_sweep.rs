//! `curie cache-sweep`: simulates texture caches of many shapes on the lookups of a stream, as a table, CSV or a plot.

use std::path::PathBuf;

use curie::engine::{open_gpu, open_hardware};
use curie::gpu::AdapterChoice;
use curie::plural::counted;
use curie::replay::ReplayOptions;
use curie::scene::stream_name;
use curie::statistics::models::{
    CacheSweep, ModelRunner, ModelsError, ModelsOn, TracedFrames, sweep_svg, texture_cache_parameters, texture_trace,
};
use curie::statistics::texture_cache::{CacheParameters, SweepAxes};

use super::failure::Failure;
use super::message;
use super::open_machine::open_machine;
use super::output::{OutputFormat, print_text, write_file};
use super::stream::{input_name, open_recorded};

/// The most combinations of sizes, lines and ways.
const MAX_COMBINATIONS: usize = 512;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The capture (.nvcap or .nvcap.zst) or scene (folder or .ron file)
    stream: PathBuf,
    /// Only this frame of the stream, from 0
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..10_000))]
    frame: Option<u32>,
    /// Sizes of the first-level cache, in bytes
    #[arg(long, value_name = "BYTES", value_delimiter = ',')]
    sizes: Vec<u32>,
    /// Sizes of its lines, in bytes
    #[arg(long, value_name = "BYTES", value_delimiter = ',')]
    lines: Vec<u32>,
    /// Lines per set
    #[arg(long, value_name = "LINES", value_delimiter = ',')]
    ways: Vec<u32>,
    /// Keep the machine's second level behind each first level
    #[arg(long)]
    second_level: bool,
    /// The machine to run on, with its quad pipes and second level: a name of `curie machines`, or a file [default: the
    /// default machine of the stream's chip]
    #[arg(long, value_name = "NAME|FILE.toml")]
    machine: Option<String>,
    /// Write a plot to this file
    #[arg(short, long, value_name = "PLOT.svg", value_parser = OutputFormat::PLOT.parser())]
    output: Option<PathBuf>,
    /// Print comma-separated values instead of a table
    #[arg(long)]
    csv: bool,
    /// The adapter that the model may run on: best, software, or a part of its name
    #[arg(long, default_value = "best")]
    adapter: AdapterChoice,
    /// Where the model runs, with the same numbers: host, device, or auto, the adapter where that is hardware
    #[arg(long, value_name = "WHERE", default_value = "auto")]
    models_on: ModelsOn,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let name = input_name(&arguments.stream);
    let frames = arguments.frame.map_or(1, |frame| frame.saturating_add(1));
    let capture = open_recorded(&arguments.stream, |_| 0..frames)?;
    let machine = open_machine(arguments.machine.as_deref(), &name, &capture)?;
    let caches = texture_cache_parameters(&machine);
    let mut axes = SweepAxes {
        pipes: caches.pipes,
        second: caches.second.filter(|_| arguments.second_level),
        ..SweepAxes::default()
    };
    for (axis, given) in [
        (&mut axes.size_bytes, &arguments.sizes),
        (&mut axes.line_bytes, &arguments.lines),
        (&mut axes.ways, &arguments.ways),
    ] {
        if !given.is_empty() {
            axis.clone_from(given);
        }
        axis.sort_unstable();
        axis.dedup();
    }
    let combinations = axes.size_bytes.len() * axes.line_bytes.len() * axes.ways.len();
    if combinations > MAX_COMBINATIONS {
        let combinations = counted(combinations, "combination");
        return Err(format!("{combinations} of sizes, lines and ways; at most {MAX_COMBINATIONS}").into());
    }
    let mut sweep = CacheSweep::new(&axes);
    if sweep.rows.is_empty() {
        let (_, reason) = axes.left_out().into_iter().next().ok_or("nothing to sweep over")?;
        return Err(format!("no combination of sizes, lines and ways makes a cache; of the first, {reason}").into());
    }
    for (cache, reason) in axes.left_out() {
        let CacheParameters { size_bytes, line_bytes, ways } = cache;
        message::note(format_args!("left out: {size_bytes} bytes in lines of {line_bytes}, {ways} to a set: {reason}"));
    }
    let gpu = match arguments.models_on {
        ModelsOn::Host => None,
        ModelsOn::Device => Some(open_gpu(&arguments.adapter)?),
        ModelsOn::Auto => open_hardware(&arguments.adapter)?,
    };
    let runner = gpu.as_ref().map_or_else(ModelRunner::default, ModelRunner::on_device);
    let mut lookups = || -> Result<usize, ModelsError> {
        let mut lookups = 0;
        for frame in TracedFrames::new(&capture, &machine, &ReplayOptions::default())? {
            let frame = frame?;
            if arguments.frame.is_some() && arguments.frame != frame.number {
                continue;
            }
            let (trace, is_cut_off) = texture_trace(&frame.draws, &machine);
            if is_cut_off {
                message::note(format_args!("{name}: some texels of a frame were left out"));
            }
            lookups += trace.lookups.len();
            sweep.add(&runner.sweep(&trace, &sweep.cases())?);
        }
        Ok(lookups)
    };
    if lookups().map_err(|error| format!("{name}: {error}"))? == 0 {
        return Err(format!("{name}: no texture lookups").into());
    }
    if let Some(path) = &arguments.output {
        let svg = sweep_svg(&sweep, &stream_name(&arguments.stream))?;
        write_file(path, svg.as_bytes())?;
    }
    print_text(if arguments.csv { sweep.to_csv() } else { sweep.to_text() })
}
