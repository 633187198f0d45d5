//! The seam between scenes and chips: what the driver of a chip makes of the parts of a frame.
//!
//! ```text
//! scene.ron ─ plan, store: the same for all chips; `Chip` answers what a chip can hold
//!                │ Resources: targets, textures, meshes, instances with their addresses
//!                ▼
//!            frame ─ Driver ─► nv40::Nv40Driver     methods of 0x4097 and of the 2D classes
//!                          └─► tesla::TeslaDriver   methods of 0x5097 and its successors
//! ```
//!
//! A driver owns the writer of its methods and the memory that only its chip needs: microcode, constant buffers,
//! descriptors. It knows nothing about time, names or expressions, which [`Scope`] holds.

use std::fmt::Debug;

use super::error::SceneError;
use super::expression::Scope;
use super::plan::{DrawPlan, Plan, StreamPlan};
use super::schema::{Clear, Surface};
use super::store::{Stored, StoredInstances, StoredMesh};
use super::target::PlacedTarget;
use super::text::ImageFilter;
use super::texture::PlacedTexture;
use crate::capture::Buffer;
use crate::command::builder::{BuildError, StreamBuilder};

/// What a scene has in memory.
#[derive(Debug)]
pub(super) struct Resources<'a> {
    pub(super) plan: &'a Plan,
    pub(super) targets: Vec<PlacedTarget>,
    pub(super) textures: Vec<(PlacedTexture, Option<Stored>)>,
    pub(super) meshes: Vec<StoredMesh>,
    /// By pass and draw.
    pub(super) instances: Vec<Vec<Option<StoredInstances>>>,
}

/// A draw, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedDraw<'a> {
    pub(super) draw: &'a DrawPlan,
    pub(super) mesh: &'a StoredMesh,
    pub(super) instances: Option<&'a StoredInstances>,
    pub(super) target: &'a PlacedTarget,
}

/// Writes the methods of a scene's steps. Errors in texts are shown at the name of the step.
pub(super) trait Driver: Debug {
    /// Begins to draw to a target, whose memory other steps may have read or written.
    fn begin_pass(&mut self, target: &PlacedTarget);

    /// Clears surfaces of a target.
    fn clear(&mut self, target: &PlacedTarget, clear: &Clear) -> Result<(), String>;

    /// Draws, as often as the draw is repeated.
    fn draw(&mut self, resources: &Resources<'_>, draw: PlacedDraw<'_>, scope: &Scope<'_>) -> Result<(), SceneError>;

    /// Writes what a vertex program makes of a mesh's vertices into its next ones, once.
    fn stream(&mut self, resources: &Resources<'_>, stream: &StreamPlan, scope: &Scope<'_>) -> Result<(), SceneError>;

    /// Copies the first color surface of a target into that of another; samples become pixels.
    fn resolve(&mut self, targets: [&PlacedTarget; 2], filter: ImageFilter) -> Result<(), String>;

    /// Copies the bytes of a surface into one of the same size.
    fn copy(&mut self, surfaces: [(&PlacedTarget, Surface); 2]) -> Result<(), String>;

    /// Binds the target of the picture at the end of a frame.
    fn show(&mut self, target: &PlacedTarget);

    /// The methods since the last call.
    fn take(&mut self) -> Result<StreamBuilder, BuildError>;

    /// The memory that the methods of this frame need, which is written before them.
    fn memory(&mut self) -> Vec<(Buffer, Vec<u8>)>;
}
