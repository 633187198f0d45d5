//! Opens a file as the source of a stream: a capture, or a scene.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::error::SceneError;
use super::folder::SCENE_OF_FOLDER;
use super::options::SceneOptions;
use super::scene_file::SceneFile;
use crate::capture::{Capture, CaptureError, MAX_BYTES};
use crate::files;

/// What a file holds.
#[derive(Debug)]
pub enum StreamFile {
    /// A recorded stream.
    Capture(Capture),
    /// A description of frames.
    Scene(Box<SceneFile>),
}

/// Why a file is no stream.
#[derive(Debug, thiserror::Error)]
pub enum StreamFileError {
    /// It cannot be read.
    #[error("{name}: {source}")]
    Read {
        /// The file.
        name: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// It is a folder without a scene.
    #[error("{name}: a folder without {SCENE_OF_FOLDER}: a capture is a file, and the folder of a scene has that file")]
    NoScene {
        /// The folder.
        name: String,
    },
    /// It begins like neither.
    #[error("{name}: {}; a scene is a .ron file or text that begins with `(`", CaptureError::NotACapture)]
    Neither {
        /// The file.
        name: String,
    },
    /// The capture is damaged.
    #[error("{name}: {source}")]
    Capture {
        /// The file.
        name: String,
        /// The problem.
        source: CaptureError,
    },
    /// The scene is wrong.
    #[error(transparent)]
    Scene(#[from] SceneError),
}

impl StreamFile {
    /// Opens a file. Folders and `.ron` files are scenes; other files are what they begin like.
    ///
    /// # Errors
    /// When it cannot be read or is neither.
    pub fn open(path: &Path, options: &SceneOptions) -> Result<Self, StreamFileError> {
        let name = path.display().to_string();
        if path.is_dir() && !path.join(SCENE_OF_FOLDER).exists() {
            return Err(StreamFileError::NoScene { name });
        }
        if path.is_dir() || path.extension() == Some(OsStr::new("ron")) {
            return Ok(Self::Scene(Box::new(SceneFile::open(path, options)?)));
        }
        let bytes = match files::read(path, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(source) => return Err(StreamFileError::Read { name, source }),
        };
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
        Self::read(&name, bytes, &folder, options)
    }

    /// Reads the bytes of a file as what they begin like; `name` is its name in messages, and `folder` holds the files that
    /// a scene names.
    ///
    /// # Errors
    /// When they are neither.
    pub fn read(name: &str, bytes: Vec<u8>, folder: &Path, options: &SceneOptions) -> Result<Self, StreamFileError> {
        match Capture::read(&bytes) {
            Ok(capture) => Ok(Self::Capture(capture)),
            Err(CaptureError::NotACapture) => match String::from_utf8(bytes) {
                Ok(text) if begins_like_scene(&text) => {
                    Ok(Self::Scene(Box::new(SceneFile::read(name, text, folder, options)?)))
                }
                _ => Err(StreamFileError::Neither { name: name.to_owned() }),
            },
            Err(source) => Err(StreamFileError::Capture { name: name.to_owned(), source }),
        }
    }
}

/// Whether the first thing in a text, after comments and attributes, is a RON structure.
fn begins_like_scene(text: &str) -> bool {
    let mut rest = text.trim_start();
    while let Some((skipped, end)) = [("//", "\n"), ("/*", "*/"), ("#!", "\n")]
        .iter()
        .find_map(|(begin, end)| Some((rest.strip_prefix(begin)?, end)))
    {
        rest = skipped.split_once(end).map_or("", |(_, after)| after).trim_start();
    }
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    rest.trim_start_matches(is_name).trim_start().starts_with('(')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(path: &str) -> Result<StreamFile, StreamFileError> {
        StreamFile::open(Path::new(path), &SceneOptions { size: Some((16, 16)) })
    }

    #[test]
    fn scenes_and_captures_are_told_apart() {
        for scene in ["scenes/edges", "scenes/edges/scene.ron"] {
            assert!(matches!(opened(scene), Ok(StreamFile::Scene(_))), "{scene}");
        }
        assert!(matches!(opened("scenes/captures/flat.nvcap"), Ok(StreamFile::Capture(_))));
        let error = opened("README.md").unwrap_err();
        assert!(matches!(error, StreamFileError::Neither { .. }), "{error}");
        assert!(error.to_string().starts_with("README.md: this is not a capture"), "{error}");
        let error = opened("scenes/captures").unwrap_err().to_string();
        assert!(error.starts_with("scenes/captures: a folder without scene.ron"), "{error}");
        assert!(matches!(opened("no such file"), Err(StreamFileError::Read { .. })));
        assert!(matches!(opened("no such file.ron"), Err(StreamFileError::Scene(SceneError::Read { .. }))));
    }

    #[test]
    fn a_scene_needs_no_ending() {
        let text = std::fs::read_to_string("scenes/edges/scene.ron").unwrap();
        let read = |text: &str| {
            StreamFile::read("a", text.as_bytes().to_vec(), Path::new("scenes/edges"), &SceneOptions::default())
        };
        for before in ["", " /* ( */ // a\n", "#![enable(implicit_some)]\n\n//b\n"] {
            assert!(matches!(read(&format!("{before}{text}")), Ok(StreamFile::Scene(_))), "{before}");
        }
        assert!(matches!(read("(sise: 1)"), Err(StreamFileError::Scene(_))));
        for other in ["", "//", "# Heading (a)", "{\"a\": 1}", "!!ARBvp1.0\n"] {
            assert!(matches!(read(other), Err(StreamFileError::Neither { .. })), "{other}");
        }
    }
}
