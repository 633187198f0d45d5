//! Loads files as streams to play: captures, and scenes with all frames of their animation.

use std::path::{Path, PathBuf};

use crate::capture::Capture;
use crate::machine::{Family, UnsupportedChipset};
use crate::scene::{SceneError, SceneOptions, StreamFile, StreamFileError, stream_name};

/// The most frames of a scene that are recorded before it is shown.
const MAX_SCENE_FRAMES: u32 = 1024;

/// Frames per second of captures, which do not specify a rate.
const CAPTURE_RATE: f64 = 60.0;

/// Why a file cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It is no stream.
    #[error(transparent)]
    File(#[from] StreamFileError),
    /// Its chip is not supported.
    #[error("{}: {source}", path.display())]
    Chipset {
        /// The file.
        path: PathBuf,
        /// The chip.
        source: UnsupportedChipset,
    },
    /// The frames of a scene cannot be built.
    #[error(transparent)]
    Scene(#[from] SceneError),
}

/// A stream and its playback settings.
#[derive(Debug)]
pub struct Loaded {
    /// The file's name without folders and extensions.
    pub name: String,
    /// The stream.
    pub capture: Capture,
    /// The family that runs it.
    pub family: &'static Family,
    /// Frames per second.
    pub rate: f64,
    /// Whether it repeats.
    pub loops: bool,
}

/// Reads a capture or a scene.
///
/// # Errors
/// When it cannot be read or is neither.
pub fn load(path: &Path, options: &SceneOptions) -> Result<Loaded, LoadError> {
    let (capture, rate, loops) = match StreamFile::open(path, options)? {
        StreamFile::Capture(capture) => (capture, CAPTURE_RATE, false),
        StreamFile::Scene(scene) => {
            (scene.capture(0..scene.frames().min(MAX_SCENE_FRAMES))?, scene.frames_per_second(), true)
        }
    };
    let family = family(path, &capture)?;
    Ok(Loaded { name: stream_name(path), capture, family, rate, loops })
}

fn family(path: &Path, capture: &Capture) -> Result<&'static Family, LoadError> {
    let chipset = |source| LoadError::Chipset { path: path.to_owned(), source };
    Family::of_chipset(capture.header.chipset).map_err(chipset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_repeat_and_captures_do_not() {
        let options = SceneOptions { size: Some((16, 16)) };
        let scene = load(Path::new("scenes/edges/scene.ron"), &options).unwrap();
        assert_eq!((scene.name.as_str(), scene.loops), ("edges", true));
        let capture = load(Path::new("scenes/captures/flat.nvcap"), &options).unwrap();
        assert_eq!((capture.name.as_str(), capture.loops), ("flat", false));
        assert!(matches!(load(Path::new("README.md"), &options), Err(LoadError::File(_))));
    }

    #[test]
    fn captures_of_other_chips_are_refused_by_name() {
        let mut capture = Capture::default();
        capture.header.chipset = 0x20;
        let error = family(Path::new("a.nvcap"), &capture).unwrap_err().to_string();
        assert!(error.starts_with("a.nvcap: curie has no machine of chipset 0x20 (GeForce3, NV20) yet; "), "{error}");
    }
}
