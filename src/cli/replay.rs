//! `curie replay` and `curie render`: run the stream of a capture or scene, write the picture, print the hashes.

use std::path::PathBuf;

use curie::capture::Capture;
use curie::engine::EngineChoice;
use curie::gpu::AdapterChoice;
use curie::kernels::KernelOptions;
use curie::replay::FrameStarts;
use curie::scene::{SceneOptions, StreamFile};

use super::counting::Counting;
use super::environment::SHORT_CAPTURE;
use super::failure::Failure;
use super::message;
use super::play::{EXACT_USES, KernelArguments, Options, play};
use super::render::{SceneArguments, render};
use super::stream::{input_name, is_standard, open_stream};

/// The capture that runs when no arguments are given.
pub(super) const BUNDLED: &[u8] = include_bytes!("../../scenes/captures/cube.nvcap");

/// Its picture.
const BUNDLED_PICTURE: &str = "frame.png";

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The capture (.nvcap or .nvcap.zst) or scene (folder or .ron file); - reads standard input
    #[arg(value_name = "CAPTURE|SCENE")]
    stream: PathBuf,
    #[command(flatten)]
    pub(super) options: Options,
    #[command(flatten)]
    pub(super) scene: SceneArguments,
}

impl Arguments {
    /// Whether the stream has few frames; it must be a file that can be read twice.
    pub(super) fn is_short(&self) -> bool {
        if self.options.optimize || is_standard(&self.stream) || !(self.stream.is_file() || self.stream.is_dir()) {
            return false;
        }
        // Playing it reports what is wrong with it.
        match StreamFile::open(&self.stream, &SceneOptions::default()) {
            Ok(StreamFile::Capture(capture)) => FrameStarts::find(&capture).starts.len() <= SHORT_CAPTURE,
            Ok(StreamFile::Scene(_)) => self.scene.has_few_frames(),
            Err(_) => false,
        }
    }
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let name = input_name(&arguments.stream);
    match open_stream(&arguments.stream, &arguments.scene.options())? {
        StreamFile::Capture(capture) => {
            arguments.scene.check_unused(&name)?;
            play(&name, &capture, &arguments.options)
        }
        StreamFile::Scene(scene) => render(&name, &scene, &arguments.scene, &arguments.options),
    }
}

/// Runs the bundled capture into `frame.png`.
pub(crate) fn run_bundled() -> Result<(), Failure> {
    let kernels = KernelOptions::default();
    let options = Options {
        output: Some(PathBuf::from(BUNDLED_PICTURE)),
        engine: EngineChoice::Auto,
        adapter: AdapterChoice::Best,
        until: None,
        until_draw: None,
        surface: "color0".to_owned(),
        flip: false,
        strict: false,
        readbacks: false,
        json: false,
        counting: Counting::default(),
        machine: None,
        kernels: KernelArguments {
            tile_size: kernels.tile_size,
            batch: kernels.batch_primitives,
            exact_uses: EXACT_USES,
            path: kernels.path,
        },
        optimize: false,
    };
    let name = "the bundled capture";
    let capture = Capture::read(BUNDLED).map_err(|error| format!("{name}: {error}"))?;
    play(name, &capture, &options)?;
    message::note(format_args!("wrote {BUNDLED_PICTURE}"));
    Ok(())
}
