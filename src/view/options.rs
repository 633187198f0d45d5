//! Defines the initial settings of a window.

use std::path::PathBuf;

use super::overlay::Detail;
use super::player::ShownSurface;
use super::zoom::Zoom;
use crate::engine::EngineChoice;
use crate::gpu::AdapterChoice;
use crate::kernels::KernelOptions;

/// The initial settings of a window.
#[derive(Debug, Clone)]
pub struct ViewOptions {
    /// The capture or scene; without one, the window waits for a dropped file.
    pub path: Option<PathBuf>,
    /// The engine.
    pub engine: EngineChoice,
    /// The adapter, which also presents the window.
    pub adapter: AdapterChoice,
    /// Sizes of the kernels.
    pub kernels: KernelOptions,
    /// The surface to show.
    pub surface: ShownSurface,
    /// Width and height of a scene's picture instead of its own.
    pub scene_size: Option<(u32, u32)>,
    /// Width and height of the window.
    pub window_size: (u32, u32),
    /// The size of the picture in the window.
    pub zoom: Zoom,
    /// The amount of text in the overlay.
    pub detail: Detail,
    /// Whether to stop after the first frame.
    pub is_paused: bool,
    /// Whether to show the last row first.
    pub is_flipped: bool,
    /// The folder for saved pictures.
    pub pictures: PathBuf,
}
