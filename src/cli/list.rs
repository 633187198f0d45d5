//! `curie list`: prints a capture, or the first frame of a scene, as text.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::PathBuf;

use curie::listing::{ListError, list_capture};
use curie::scene::{SceneOptions, StreamFile};

use super::failure::Failure;
use super::stream::{input_name, open_file};

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The capture (.nvcap or .nvcap.zst) or scene (folder or .ron file); a scene's first frame is listed, and - reads
    /// standard input
    #[arg(value_name = "CAPTURE|SCENE")]
    stream: PathBuf,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let capture = match open_file(&arguments.stream, &SceneOptions::default())? {
        StreamFile::Capture(capture) => capture,
        StreamFile::Scene(scene) => scene.capture(0..1)?,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let result = list_capture(&capture, &mut out).and_then(|()| Ok(out.flush()?));
    // Dropping the writer would try to flush into the closed pipe.
    let _ = out.into_parts();
    match result {
        Err(ListError::Io(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(ListError::Chipset(error)) => Err(format!("{}: {error}", input_name(&arguments.stream)).into()),
        result => Ok(result?),
    }
}
