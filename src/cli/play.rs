//! Plays the stream of a capture and reports the surfaces at its end.

use std::path::{Path, PathBuf};

use curie::capture::Capture;
use curie::engine::{EngineChoice, OpenError, Opened, open};
use curie::gpu::{AdapterChoice, Gpu};
use curie::kernels::{KernelOptions, KernelPath};
use curie::machine::AnyMachine;
use curie::present::{Channel, Picture};
use curie::replay::{MissedStop, Outcome, Readback, ReplayOptions, Surface, replay, with_rehearsal};
use curie::statistics::models::Models;

use super::counting::{Counting, with_progress};
use super::failure::Failure;
use super::message;
use super::open_machine::{check_machine, open_machine};
use super::output::{OutputFormat, both, print_text, write_picture};
use super::stream::is_standard;

/// Options of the kernels, which do not change the result.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct KernelArguments {
    /// Tile size of the kernels' rasterizer: 8, 16 or 32 (does not change the result)
    #[arg(long, value_name = "PIXELS", default_value_t = KernelOptions::default().tile_size, value_parser = tile_size)]
    pub(super) tile_size: u32,
    /// Most primitives in one batch of the kernels (does not change the result)
    #[arg(long, value_name = "PRIMITIVES", default_value_t = KernelOptions::default().batch_primitives)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) batch: u32,
    /// Uses of a draw's state before the kernels compile its fast path; programs run with 0 (does not change the result)
    #[arg(long, value_name = "USES", default_value_t = EXACT_USES)]
    pub(super) exact_uses: u32,
    /// How the kernels divide a draw: `invocations`, one for each tile; `workgroups`, one for each tile; `stages`, a kernel
    /// for each; `auto` takes invocations on software adapters, workgroups on others (does not change the result)
    #[arg(long, default_value = "auto")]
    pub(super) path: KernelPath,
}

impl KernelArguments {
    pub(super) fn options(&self) -> KernelOptions {
        KernelOptions {
            tile_size: self.tile_size,
            batch_primitives: self.batch,
            exact_uses: self.exact_uses,
            path: self.path,
            ..KernelOptions::default()
        }
    }
}

/// Options that do not name the capture.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Write the picture to this file; - writes it to standard output, and the hashes to standard error
    #[arg(short, long, value_name = "OUT.png", value_parser = OutputFormat::PICTURE.parser())]
    pub(super) output: Option<PathBuf>,
    /// The engine: auto, kernels or reference
    #[arg(long, default_value = "auto")]
    pub(super) engine: EngineChoice,
    /// The adapter of the kernels: best, software, or a part of its name
    #[arg(long, default_value = "best")]
    pub(super) adapter: AdapterChoice,
    /// Stop after the submission with this number
    #[arg(long, value_name = "SUBMISSION")]
    pub(super) until: Option<u32>,
    /// Stop after the draw with this number, from 0, as `--statistics` numbers them
    #[arg(long, value_name = "DRAW")]
    pub(super) until_draw: Option<u64>,
    /// The surface to write as the picture: color0..color7, depth or stencil
    #[arg(
        long,
        default_value = "color0",
        value_parser = [
            "color0", "color1", "color2", "color3", "color4", "color5", "color6", "color7", "depth", "stencil",
        ]
    )]
    pub(super) surface: String,
    /// Flip the picture: last row first
    #[arg(long)]
    pub(super) flip: bool,
    /// Fail at unknown methods, classes and values
    #[arg(long)]
    pub(super) strict: bool,
    /// Also print the hash of each buffer that the client can read after the chip may have written it
    #[arg(long)]
    pub(super) readbacks: bool,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) counting: Counting,
    /// The machine to run on, count for and model: a name of `curie machines`, or a file [default: the default machine of
    /// the capture's chip]
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub(super) machine: Option<String>,
    #[command(flatten)]
    pub(super) kernels: KernelArguments,
    /// Let Mesa's software adapter optimize kernels although the stream has few frames (does not change the result)
    #[arg(long)]
    pub(super) optimize: bool,
}

impl Options {
    /// Options of the replay itself.
    pub(super) fn replay(&self) -> ReplayOptions {
        let &Self { until, until_draw, readbacks, strict, .. } = self;
        ReplayOptions { until, until_draw, readbacks, strict }
    }

    /// The machine that runs a capture.
    pub(super) fn machine(&self, name: &str, capture: &Capture) -> Result<AnyMachine, Failure> {
        open_machine(self.machine.as_deref(), name, capture)
    }

    /// Runs the models if the options ask for them; `gpu` is the device of the engine.
    pub(super) fn model(
        &self,
        name: &str,
        capture: &Capture,
        machine: &AnyMachine,
        gpu: Option<&Gpu>,
    ) -> Result<Option<Models>, Failure> {
        self.counting.model(name, capture, machine, &self.replay(), (gpu, &self.adapter))
    }
}

/// Reads a tile size.
pub(super) fn tile_size(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(size @ (8 | 16 | 32)) => Ok(size),
        _ => Err("8, 16 or 32".to_owned()),
    }
}

/// Plays a capture to its end, or until the options stop it, and reports the surfaces.
pub(super) fn play(name: &str, capture: &Capture, options: &Options) -> Result<(), Failure> {
    let machine = match (&options.counting.statistics, &options.machine) {
        (Some(_), _) => Some(options.machine(name, capture)?),
        // Without statistics only a machine that was asked for must run the capture.
        (None, Some(machine)) => check_machine(machine, name, capture).map(|()| None)?,
        (None, None) => None,
    };
    let mut opened = open_engine(capture, options)?;
    let (counting, replay_options) = (&options.counting, options.replay());
    let outcome = match counting.statistics.as_deref().zip(machine) {
        None => {
            let stream = (capture, &replay_options, options.kernels.options());
            let played = with_progress(opened.gpu.clone(), |progress| {
                with_rehearsal(opened.gpu.as_ref(), stream, || {
                    replay(capture, opened.engine.as_mut(), &replay_options, progress)
                })
            });
            played.map_err(|error| format!("{name}: {error}"))?
        }
        Some((path, machine)) => {
            counting.count(path, (name, capture), &machine, &mut opened, &replay_options, &options.adapter)?
        }
    };
    let reported = report(&outcome, &opened.name, options, options.output.as_deref(), None);
    both(reported, check_stop(outcome.missed_stop))
}

/// Fails if there was nothing to stop at; the results of the whole stream are out by then.
pub(super) fn check_stop(missed: Option<MissedStop>) -> Result<(), Failure> {
    missed.map_or(Ok(()), |missed| Err(missed.into()))
}

/// Uses of a state before its fast path is compiled. Most streams are played once, and a kernel takes as long to compile as
/// thousands of small draws.
pub(super) const EXACT_USES: u32 = 256;

/// Opens the named engine with the memory that a capture requires.
pub(super) fn open_engine(capture: &Capture, options: &Options) -> Result<Opened, Failure> {
    let kernels = options.kernels.options();
    let sizes = (capture.header.vram_bytes, capture.header.gart_bytes);
    let opened = open(options.engine, &options.adapter, kernels, sizes)?;
    note_fallback(opened.fallback.as_ref());
    Ok(opened)
}

/// Says why the reference runs what the kernels were to run.
pub(super) fn note_fallback(reason: Option<&OpenError>) {
    if let Some(reason) = reason {
        message::note(format_args!("using the reference engine: {reason}"));
    }
}

/// Prints notes and hashes, each line prefixed by the frame number, and writes the picture.
pub(super) fn report(
    outcome: &Outcome,
    engine: &str,
    options: &Options,
    output: Option<&Path>,
    frame: Option<u32>,
) -> Result<(), Failure> {
    for anomaly in &outcome.anomalies {
        message::note(anomaly);
    }
    let picture = output.map(|path| path.display().to_string());
    let lines = lines(outcome, engine, picture.as_deref(), options, frame);
    match output {
        Some(path) if is_standard(path) => {
            message::line(lines.trim_end());
            write_surface(path, outcome, options)
        }
        Some(path) => both(print_text(lines), write_surface(path, outcome, options)),
        None => print_text(lines),
    }
}

fn write_surface(path: &Path, outcome: &Outcome, options: &Options) -> Result<(), Failure> {
    let (name, channel) = match options.surface.as_str() {
        "depth" => ("zeta", Channel::Depth),
        "stencil" => ("zeta", Channel::Stencil),
        color => (color, Channel::Color),
    };
    let surface = outcome.surfaces.iter().find(|surface| surface.name == name);
    let picture = surface.and_then(|surface| Picture::of_surface(surface, channel));
    let picture = picture.ok_or_else(|| format!("no surface '{}' is bound when the stream ends", options.surface))?;
    write_picture(path, &if options.flip { picture.flipped() } else { picture })
}

/// The lines that a replay prints, or one JSON object.
fn lines(outcome: &Outcome, engine: &str, picture: Option<&str>, options: &Options, frame: Option<u32>) -> String {
    if options.json {
        let surfaces: Vec<_> = outcome.surfaces.iter().map(surface_json).collect();
        let anomalies: Vec<_> = outcome.anomalies.iter().map(ToString::to_string).collect();
        let mut json = serde_json::json!({
            "engine": engine, "surfaces": surfaces, "anomalies": anomalies, "picture": picture,
        });
        if options.readbacks {
            json["readbacks"] = outcome.readbacks.iter().map(readback_json).collect();
        }
        if let Some(frame) = frame {
            json["frame"] = frame.into();
        }
        return format!("{json}\n");
    }
    let frame = frame.map(|frame| format!("frame {frame} ")).unwrap_or_default();
    let readbacks = outcome.readbacks.iter().map(Readback::hash_line);
    readbacks.chain(outcome.surfaces.iter().map(Surface::hash_line)).map(|line| format!("{frame}{line}\n")).collect()
}

/// A readback and its hash.
fn readback_json(readback: &Readback) -> serde_json::Value {
    serde_json::json!({
        "number": readback.number,
        "submission": readback.submission,
        "buffer": readback.buffer,
        "bytes": readback.bytes,
        "sha256": readback.sha256(),
    })
}

/// A surface and its hash.
pub(super) fn surface_json(surface: &Surface) -> serde_json::Value {
    serde_json::json!({
        "name": surface.name,
        "width": surface.width,
        "height": surface.height,
        "format": surface.format.name(),
        "sha256": surface.sha256(),
    })
}
