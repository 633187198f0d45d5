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
mod chip;
mod constants;
mod driver;
mod error;
pub mod expression;
mod folder;
mod frame;
pub(crate) mod image;
mod loaded_program;
mod mesh;
mod mesh_file;
mod noise;
mod nv40;
mod options;
mod plan;
mod scene_file;
pub mod schema;
pub mod state;
mod store;
mod stream_file;
mod suggest;
mod target;
mod tesla;
mod texel_encode;
pub mod text;
pub(crate) mod texture;

pub use error::{Located, SceneError};
pub use folder::{EmbeddedFiles, stream_name};
pub use options::SceneOptions;
pub use scene_file::SceneFile;
pub use stream_file::{StreamFile, StreamFileError};
pub use text::Text;
