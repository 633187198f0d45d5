//! Opens captures and scenes alike.

use std::path::Path;

use super::CheckError;
use crate::capture::Capture;
use crate::scene::{SceneOptions, StreamFile};

/// What is taken of a scene. A capture is taken as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StreamOptions {
    /// The frame, from 0.
    pub frame: u32,
    /// Width and height of the picture; by default the scene's own.
    pub size: Option<(u32, u32)>,
}

/// Reads a capture, or records a frame of a scene.
///
/// # Errors
/// When the file cannot be read or is neither.
pub fn open_stream(path: &Path, options: StreamOptions) -> Result<Capture, CheckError> {
    let file = StreamFile::open(path, &SceneOptions { size: options.size }).map_err(|error| CheckError::run(&error))?;
    match file {
        StreamFile::Capture(capture) => Ok(capture),
        StreamFile::Scene(scene) => {
            let frames = options.frame..options.frame.saturating_add(1);
            scene.capture(frames).map_err(|error| CheckError::run(&error))
        }
    }
}
