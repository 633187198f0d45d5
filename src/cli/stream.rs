//! Opens the stream that an argument names: a capture or a scene, from a file or standard input.

use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use curie::capture::{Capture, MAX_BYTES};
use curie::files;
use curie::scene::{SceneFile, SceneOptions, StreamFile};

use super::failure::Failure;
use super::message;

/// The argument that stands for standard input or output; a file of this name is `./-`.
const STANDARD: &str = "-";

/// Whether a path stands for standard input or output.
pub(super) fn is_standard(path: &Path) -> bool {
    path == Path::new(STANDARD)
}

/// The name of an input in messages.
pub(super) fn input_name(path: &Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// Reads a file, or standard input, of at most `most` bytes.
pub(super) fn read_input(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    /// Several readers of an argument may look at it; the stream gives it once.
    static STANDARD_INPUT: OnceLock<Vec<u8>> = OnceLock::new();
    if !is_standard(path) {
        return files::read(path, most);
    }
    if let Some(bytes) = STANDARD_INPUT.get() {
        return Ok(bytes.clone());
    }
    let bytes = files::read_from(std::io::stdin().lock(), most)?;
    Ok(STANDARD_INPUT.get_or_init(|| bytes).clone())
}

/// Opens a capture or a scene.
pub(super) fn open_file(path: &Path, options: &SceneOptions) -> Result<StreamFile, Failure> {
    if !is_standard(path) {
        return Ok(StreamFile::open(path, options)?);
    }
    let name = input_name(path);
    let bytes = read_input(path, MAX_BYTES).map_err(|error| format!("{name}: {error}"))?;
    Ok(StreamFile::read(&name, bytes, Path::new(""), options)?)
}

/// Opens a capture or a scene, and prints the warnings about a capture.
pub(super) fn open_stream(path: &Path, options: &SceneOptions) -> Result<StreamFile, Failure> {
    let file = open_file(path, options)?;
    if let StreamFile::Capture(capture) = &file {
        for warning in &capture.warnings {
            message::warning(format_args!("{}: {warning}", input_name(path)));
        }
    }
    Ok(file)
}

/// Opens a stream as a capture; of a scene it has these frames.
pub(super) fn open_recorded(path: &Path, frames: impl FnOnce(&SceneFile) -> Range<u32>) -> Result<Capture, Failure> {
    match open_stream(path, &SceneOptions::default())? {
        StreamFile::Capture(capture) => Ok(capture),
        StreamFile::Scene(scene) => Ok(scene.capture(frames(&scene))?),
    }
}
