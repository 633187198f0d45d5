//! Scenes: turns a file that describes a frame into the stream that a driver would write for it.
//!
//! ```text
//! scene.ron ─ schema ─► plan: names resolved, expressions parsed, programs assembled
//!                         │ store: surfaces, textures, meshes, programs in buffers
//!                         ▼ frame, draw, transfer: methods through the typed writer
//!                      Capture: the same records that a recorded client leaves
//! ```
//!
//! [`replay`](mod@crate::replay) plays a scene like a capture; nothing here depends on an engine. All numbers come
//! from exact operations, so a scene's stream is the same on every machine. `docs/scenes.md` is the guide for
//! scene authors.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use curie::scene::{SceneFile, SceneOptions};
//!
//! let scene = SceneFile::open("scenes/phong".as_ref(), &SceneOptions::default())?;
//! let capture = scene.capture(0..1)?;
//! assert!(capture.records.len() > 10);
//! # Ok(())
//! # }
//! ```

mod attribute;
mod block_encode;
mod constants;
mod draw;
mod error;
pub mod expression;
mod folder;
mod frame;
pub(crate) mod image;
mod mesh;
mod mesh_file;
mod noise;
mod pica_program;
mod plan;
mod program;
pub mod schema;
pub mod state;
mod state_registers;
mod store;
mod stream_file;
mod suggest;
mod target;
mod texel_encode;
pub mod text;
pub(crate) mod texture;
mod transfer;
mod vertex_engines;

use std::ops::Range;
use std::path::{Path, PathBuf};

use error::Source;
pub use error::{Located, SceneError};
use folder::Folder;
pub use folder::{EmbeddedFiles, stream_name};
use ron::extensions::Extensions;
pub use stream_file::{StreamFile, StreamFileError};
pub use text::Text;

use crate::capture::Capture;
use crate::files;

/// The largest scene file.
const MAX_BYTES: u64 = 1 << 20;

/// The deepest nesting of a scene file.
const MAX_NESTING: usize = 64;

/// Options of a scene besides its file.
#[derive(Debug, Clone, Copy, Default)]
pub struct SceneOptions {
    /// Width and height of the picture; they replace those in the file.
    pub size: Option<(u32, u32)>,
}

/// A scene that was read and checked.
#[derive(Debug)]
pub struct SceneFile {
    plan: plan::Plan,
}

impl SceneFile {
    /// Reads a scene: a file, or the folder of a `scene.ron`.
    ///
    /// # Errors
    /// When a file cannot be read, is not a scene, or names something that does not exist.
    pub fn open(path: &Path, options: &SceneOptions) -> Result<Self, SceneError> {
        let file = if path.is_dir() { path.join(stream_file::SCENE_OF_FOLDER) } else { path.to_owned() };
        let name = file.display().to_string();
        let unreadable = |source| SceneError::Read { path: name.clone(), source };
        // The user named a file; what lies in a folder may come from elsewhere.
        let text = match path.is_dir() {
            true => files::read_text_inside(path, stream_file::SCENE_OF_FOLDER.as_ref(), MAX_BYTES),
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
        Ok(Self { plan: plan::Plan::new(source, folder, scene, options)? })
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
