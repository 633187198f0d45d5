//! Defines the options of a scene.

/// Options of a scene besides its file.
#[derive(Debug, Clone, Copy, Default)]
pub struct SceneOptions {
    /// Width and height of the picture; they replace those in the file.
    pub size: Option<(u32, u32)>,
}
