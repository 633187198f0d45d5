//! Reads a scene and records its frames.

use std::ops::Range;
use std::path::{Path, PathBuf};

use ron::extensions::Extensions;

use super::error::{SceneError, Source};
use super::folder::{EmbeddedFiles, Folder, SCENE_OF_FOLDER};
use super::frame;
use super::options::SceneOptions;
use super::plan::Plan;
use crate::capture::Capture;
use crate::files;

/// The largest scene file.
const MAX_BYTES: u64 = 1 << 20;

/// The deepest nesting of a scene file.
const MAX_NESTING: usize = 64;

/// A scene that was read and checked.
#[derive(Debug)]
pub struct SceneFile {
    plan: Plan,
}

impl SceneFile {
    /// Reads a scene: a file, or the folder of a `scene.ron`.
    ///
    /// # Errors
    /// When a file cannot be read, is not a scene, or names something that does not exist.
    pub fn open(path: &Path, options: &SceneOptions) -> Result<Self, SceneError> {
        let file = if path.is_dir() { path.join(SCENE_OF_FOLDER) } else { path.to_owned() };
        let name = file.display().to_string();
        let unreadable = |source| SceneError::Read { path: name.clone(), source };
        // The user named a file; what lies in a folder may come from elsewhere.
        let text = match path.is_dir() {
            true => files::read_text_inside(path, SCENE_OF_FOLDER.as_ref(), MAX_BYTES),
            false => files::read_text(path, MAX_BYTES),
        };
        let text = text.map_err(unreadable)?;
        let folder = file.parent().map_or_else(PathBuf::new, Path::to_owned);
        Self::read(&name, text, &folder, options)
    }

    /// Reads a scene from a text; `name` is its name in messages, and `folder` holds the files that it names.
    ///
    /// # Errors
    /// As for [`SceneFile::open`].
    pub fn read(name: &str, text: String, folder: &Path, options: &SceneOptions) -> Result<Self, SceneError> {
        check_size(name, text.len() as u64)?;
        Self::parse(name, text, Folder { path: folder.to_owned(), embedded: &[] }, options)
    }

    /// Reads a scene from a text that names no files except these.
    ///
    /// # Errors
    /// As for [`SceneFile::open`].
    pub fn embedded(name: &str, text: String, files: EmbeddedFiles) -> Result<Self, SceneError> {
        Self::parse(name, text, Folder { path: PathBuf::new(), embedded: files }, &SceneOptions::default())
    }

    fn parse(name: &str, text: String, folder: Folder, options: &SceneOptions) -> Result<Self, SceneError> {
        let source = Source { path: name.to_owned(), text };
        let extensions = Extensions::IMPLICIT_SOME | Extensions::UNWRAP_NEWTYPES | Extensions::UNWRAP_VARIANT_NEWTYPES;
        let reader = ron::Options::default().with_default_extension(extensions).with_recursion_limit(MAX_NESTING);
        let scene = reader.from_str(&source.text).map_err(|error| source.syntax(&error))?;
        Ok(Self { plan: Plan::new(source, folder, scene, options)? })
    }

    /// The scene's display name.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.plan.scene.title
    }

    /// Frames until the animation repeats.
    #[must_use]
    pub const fn frames(&self) -> u32 {
        self.plan.scene.frames
    }

    /// Frames of the animation per second.
    #[must_use]
    pub const fn frames_per_second(&self) -> f64 {
        self.plan.scene.frames_per_second
    }

    /// The stream of some frames as a capture; `MARK` records name the frames.
    ///
    /// # Errors
    /// When a formula has no value, or the scene does not fit in memory.
    pub fn capture(&self, frames: Range<u32>) -> Result<Capture, SceneError> {
        frame::record(&self.plan, frames)
    }
}

/// Fails if a scene file is larger than any scene.
fn check_size(name: &str, bytes: u64) -> Result<(), SceneError> {
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let source = std::io::Error::other(format!("a scene has at most {MAX_BYTES} bytes"));
    Err(SceneError::Read { path: name.to_owned(), source })
}
