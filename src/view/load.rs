//! Loads files as streams: captures, and scenes with all frames of their animation.

use std::path::{Path, PathBuf};

use crate::capture::{Capture, CaptureError};
use crate::machine::{Family, UnsupportedChipset};
use crate::scene::{SceneError, SceneFile, SceneOptions, stream_name};

/// The most frames of a scene that are recorded before it is shown.
const MAX_SCENE_FRAMES: u32 = 1024;

/// Frames per second of captures, which do not specify a rate.
const CAPTURE_RATE: f64 = 60.0;

/// Why a file cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// It is not a capture.
    #[error("{}: {source}", path.display())]
    Capture {
        /// The file.
        path: PathBuf,
        /// The problem.
        source: CaptureError,
    },
    /// Its chip is not supported.
    #[error("{}: {source}", path.display())]
    Chipset {
        /// The file.
        path: PathBuf,
        /// The chip.
        source: UnsupportedChipset,
    },
    /// It is not a scene.
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

/// Reads a file as a scene if it is a folder or ends in `.ron`, else as a capture.
///
/// # Errors
/// When it cannot be read or is neither.
pub fn load(path: &Path, options: &SceneOptions) -> Result<Loaded, LoadError> {
    if path.is_dir() || path.extension().is_some_and(|extension| extension == "ron") {
        let scene = SceneFile::open(path, options)?;
        let capture = scene.capture(0..scene.frames().min(MAX_SCENE_FRAMES))?;
        let family = family(path, &capture)?;
        return Ok(Loaded { name: stream_name(path), capture, family, rate: scene.frames_per_second(), loops: true });
    }
    let capture = Capture::open(path).map_err(|error| match error {
        CaptureError::Io(source) => LoadError::Read { path: path.to_owned(), source },
        source => LoadError::Capture { path: path.to_owned(), source },
    })?;
    let family = family(path, &capture)?;
    Ok(Loaded { name: stream_name(path), capture, family, rate: CAPTURE_RATE, loops: false })
}

fn family(path: &Path, capture: &Capture) -> Result<&'static Family, LoadError> {
    let chipset = |source| LoadError::Chipset { path: path.to_owned(), source };
    Family::of_chipset(capture.header.chipset).map_err(chipset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_and_captures_are_told_apart() {
        let options = SceneOptions { size: Some((16, 16)) };
        let scene = load(Path::new("scenes/edges/scene.ron"), &options).unwrap();
        assert_eq!((scene.name.as_str(), scene.loops), ("edges", true));
        let capture = load(Path::new("scenes/captures/flat.nvcap"), &options).unwrap();
        assert_eq!((capture.name.as_str(), capture.loops), ("flat", false));
        let error = load(Path::new("README.md"), &options).unwrap_err().to_string();
        assert!(error.starts_with("README.md: "), "{error}");
        assert!(matches!(load(Path::new("no such file"), &options), Err(LoadError::Read { .. })));
    }

    #[test]
    fn captures_of_other_chips_are_refused_by_name() {
        let mut capture = Capture::default();
        capture.header.chipset = 0x20;
        let error = family(Path::new("a.nvcap"), &capture).unwrap_err().to_string();
        assert!(error.starts_with("a.nvcap: curie has no machine of chipset 0x20 (GeForce3, NV20) yet; "), "{error}");
    }
}
