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
/// When the file cannot be read or is neither, or a frame or size of a capture is asked for.
pub fn open_stream(path: &Path, options: StreamOptions) -> Result<Capture, CheckError> {
    let [capture] = open_streams([path], options)?;
    Ok(capture)
}

/// Reads captures, and records a frame of each scene.
///
/// # Errors
/// When a file cannot be read or is neither, or a frame or size is asked for and there is no scene.
pub fn open_streams<const COUNT: usize>(
    paths: [&Path; COUNT],
    options: StreamOptions,
) -> Result<[Capture; COUNT], CheckError> {
    let mut has_scene = options == StreamOptions::default();
    let opened = paths.map(|path| {
        let file = StreamFile::open(path, &SceneOptions { size: options.size });
        match file.map_err(|error| CheckError::run(&error))? {
            StreamFile::Capture(capture) => Ok(capture),
            StreamFile::Scene(scene) => {
                has_scene = true;
                let frames = options.frame..options.frame.saturating_add(1);
                scene.capture(frames).map_err(|error| CheckError::run(&error))
            }
        }
    });
    let mut captures = Vec::with_capacity(COUNT);
    for opened in opened {
        captures.push(opened?);
    }
    if !has_scene {
        let message = "a frame and a size are chosen of scenes, and this is a capture".to_owned();
        return Err(CheckError::Content { path: paths[0].to_owned(), message });
    }
    captures.try_into().map_err(|_| unreachable!("each path was opened"))
}
