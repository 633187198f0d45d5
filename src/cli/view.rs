//! `curie view`: plays a capture or scene in a window.

use std::path::PathBuf;

use curie::engine::EngineChoice;
use curie::gpu::AdapterChoice;
use curie::kernels::KernelOptions;
use curie::view::overlay::Detail;
use curie::view::player::ShownSurface;
use curie::view::zoom::Zoom;
use curie::view::{ViewOptions, view};

use super::failure::Failure;
use super::play::tile_size;
use super::render::size;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
#[command(after_help = keys())]
pub(crate) struct Arguments {
    /// The capture (.nvcap or .nvcap.zst) or scene (its folder, or a .ron file); more can be dropped on the window
    file: Option<PathBuf>,
    /// The engine: auto, kernels or reference
    #[arg(long, default_value = "auto")]
    engine: EngineChoice,
    /// The adapter of the kernels and of the window: best, software, or a part of its name
    #[arg(long, default_value = "best")]
    adapter: AdapterChoice,
    /// The surface to show: color0..color7, depth or stencil
    #[arg(long, default_value = "color0")]
    surface: ShownSurface,
    /// Show the last row first
    #[arg(long)]
    flip: bool,
    /// Zoom: fit, or window pixels per picture pixel
    #[arg(long, default_value = "fit", value_name = "FACTOR")]
    zoom: Zoom,
    /// Stop after the first frame
    #[arg(long)]
    paused: bool,
    /// Open the window without the overlay
    #[arg(long)]
    no_overlay: bool,
    /// Width and height of the window
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size, default_value = "960x720")]
    window: (u32, u32),
    /// Width and height of a scene's picture [default: the scene's own]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    size: Option<(u32, u32)>,
    /// The folder to save pictures to
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pictures: PathBuf,
    /// Tile size of the kernels' rasterizer: 8, 16 or 32 (does not change the result)
    #[arg(long, value_name = "PIXELS", default_value_t = KernelOptions::default().tile_size, value_parser = tile_size)]
    tile_size: u32,
}

/// The keys, for `--help`.
fn keys() -> String {
    let keys = curie::view::overlay::KEYS.iter();
    let lines: String = keys.map(|(key, meaning)| format!("  {key:<6} {meaning}\n")).collect();
    format!("Keys:\n{lines}")
}

/// Runs the subcommand.
pub(crate) fn run(arguments: Arguments) -> Result<(), Failure> {
    let options = ViewOptions {
        path: arguments.file,
        engine: arguments.engine,
        adapter: arguments.adapter,
        kernels: KernelOptions { tile_size: arguments.tile_size, ..KernelOptions::default() },
        surface: arguments.surface,
        scene_size: arguments.size,
        window_size: arguments.window,
        zoom: arguments.zoom,
        detail: if arguments.no_overlay { Detail::Hidden } else { Detail::Status },
        is_paused: arguments.paused,
        is_flipped: arguments.flip,
        pictures: arguments.pictures,
    };
    Ok(view(options)?)
}
