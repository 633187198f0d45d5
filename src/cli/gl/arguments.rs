//! Defines the arguments of `curie gl`.

use std::ffi::OsString;
use std::path::PathBuf;

use curie::engine::EngineChoice;
use curie::gpu::AdapterChoice;
use curie::machine::chipset_named;

use crate::cli::counting::Counting;
use crate::cli::output::OutputFormat;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
#[command(mut_arg("statistics", |argument| argument.requires("record").conflicts_with("record_only").help(
    "Replay the recordings when the program has ended, count what the chip does, and write the counters to this file",
)))]
pub(crate) struct Arguments {
    /// The program to run, with its arguments. The first word that is no option begins it; so does --
    #[arg(trailing_var_arg = true, value_name = "PROGRAM", required_unless_present = "serve")]
    pub(super) program: Vec<OsString>,
    /// Show the program's window: it must use Wayland, as SDL2 and EGL can. F12 shows the frame rate
    #[cfg(feature = "window")]
    #[arg(long, conflicts_with_all = ["serve", "connect", "record_only"])]
    pub(super) window: bool,
    /// Give the program an X server, Xwayland, with a screen of this size [default: 1024x768]. Without --window nobody sees it
    #[cfg(feature = "window")]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = screen_size, num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "1024x768", conflicts_with_all = ["serve", "connect"])]
    pub(super) x11: Option<(u32, u32)>,
    /// Only serve programs that other processes run with --connect, until a signal ends this process
    #[arg(long, value_name = "SOCKET", conflicts_with_all = ["program", "connect", "frames", "output", "screenshot", "statistics"])]
    pub(super) serve: Option<PathBuf>,
    /// Run the program on the chip of a process that serves this socket
    #[arg(long, value_name = "SOCKET")]
    #[arg(conflicts_with_all = ["record", "frames", "screenshot", "output", "json", "strict", "machine", "chipset"])]
    pub(super) connect: Option<PathBuf>,
    /// The engine: auto, kernels or reference
    #[arg(long, default_value = "auto")]
    pub(super) engine: EngineChoice,
    /// The adapter of the kernels: best, software, or a part of its name
    #[arg(long, default_value = "best")]
    pub(super) adapter: AdapterChoice,
    /// The machine that the program finds: a name of `curie machines`, or a file [default: a GeForce 6800]
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub(super) machine: Option<String>,
    /// The chip that the driver finds, by name or number: NV4A, 0x4a [default: that of the machine]
    #[arg(long, value_name = "CHIP", value_parser = chipset)]
    pub(super) chipset: Option<u32>,
    /// End a connection at unknown methods, classes and values
    #[arg(long)]
    pub(super) strict: bool,
    /// Record the stream; further connections that draw add -1, -2 … to the name. With .zst it is compressed
    #[arg(long, value_name = "FILE.nvcap[.zst]", value_parser = OutputFormat::RECORDING.parser())]
    pub(super) record: Option<PathBuf>,
    /// Execute nothing: record what the driver of a chip sends that is not emulated, NV50 to MCP89. What the program reads back
    /// is zero
    #[arg(long, requires_all = ["record", "chipset"])]
    #[arg(conflicts_with_all = ["engine", "adapter", "machine", "strict", "screenshot", "output", "connect"])]
    pub(super) record_only: bool,
    #[command(flatten)]
    pub(super) counting: Counting,
    /// Write the picture at the end of frame N, from 0. Needs a client that marks frames
    #[arg(long, value_name = "N:FILE.png", value_parser = screenshot)]
    pub(super) screenshot: Vec<(u32, PathBuf)>,
    /// End the program with SIGTERM after this many frames. Needs a client that marks frames
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) frames: Option<u32>,
    /// Succeed although the program drew nothing on the emulated chip
    #[arg(long, conflicts_with = "serve")]
    pub(super) allow_other_renderer: bool,
    /// Write the picture at the end of the last connection to this file
    #[arg(short, long, value_name = "OUT.png", value_parser = OutputFormat::PICTURE.parser())]
    pub(super) output: Option<PathBuf>,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(super) json: bool,
    /// The client library that the program loads [default: the one inside this command]
    #[arg(long, value_name = "FILE")]
    pub(super) client: Option<PathBuf>,
}

/// Reads the name or number of a chip.
fn chipset(text: &str) -> Result<u32, String> {
    chipset_named(text).ok_or_else(|| "a chip such as NV43, or its number such as 0x43".to_owned())
}

/// Reads the size of a screen.
#[cfg(feature = "window")]
fn screen_size(text: &str) -> Result<(u32, u32), String> {
    let sides = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    let sides = sides.filter(|(width, height)| [width, height].iter().all(|side| (64..=8192).contains(*side)));
    sides.ok_or_else(|| "a size such as 1024x768, of 64 to 8192 pixels a side".to_owned())
}

/// Reads a frame number and a file.
fn screenshot(text: &str) -> Result<(u32, PathBuf), String> {
    let expected = "a frame and a file, as in 10:frame.png";
    let (frame, path) = text.split_once(':').filter(|(_, path)| !path.is_empty()).ok_or(expected)?;
    Ok((frame.parse().map_err(|_| expected)?, OutputFormat::PICTURE.file(path.into())?))
}
