//! Shows captures and scenes in a window.
//!
//! ```text
//! load ─► stream: the chip fed frame by frame or draw by draw ─► machine: engine ─ scan_out ─► picture on the device
//!           ▲ control: play, pause, step, speed                                                   │ show: zoom
//!         app: keys, pointer, dropped files ──────────────────────────────► overlay (egui) ───────┴─► screen
//! ```
//!
//! Everything runs on one thread: a stream is advanced for a few milliseconds, then the window handles events. The
//! picture stays on the device; only a saved one is read back. On Linux, `program` shows the window of an OpenGL program
//! instead.

mod app;
mod canvas;
pub mod control;
pub mod load;
pub mod machine;
pub mod overlay;
pub mod player;
pub mod preparation;
#[cfg(target_os = "linux")]
pub mod program;
mod screen;
mod session;
mod show;
pub mod stream;
pub mod zoom;

use std::path::PathBuf;

use load::LoadError;
use overlay::Detail;
use player::ShownSurface;
use zoom::Zoom;

use crate::engine::{EngineChoice, OpenError};
use crate::gpu::{AdapterChoice, DeviceError};
use crate::kernels::KernelOptions;
use crate::pipeline::EngineError;

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

/// Why a window cannot be opened or continued.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// There is no display.
    #[error("no window can be opened: {0}; `curie replay` and `curie render` write pictures without one")]
    NoDisplay(String),
    /// There is no display for a program's window.
    #[error("no window can be opened: {0}; without --window the program draws unseen")]
    NoProgramDisplay(String),
    /// The window's surface cannot be drawn to.
    #[error("the window cannot be drawn to: {0}")]
    Surface(String),
    /// The file cannot be shown.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// No engine can be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The engine cannot provide the memory.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// The message of an error without the place in a library's source that winit puts before it:
/// `os error at …/mod.rs:765: no display.` becomes `no display`.
fn without_place(error: &dyn std::error::Error) -> String {
    let message = error.to_string();
    let after = |rest: &str| -> Option<String> {
        let (_, rest) = rest.split_once(".rs:")?;
        let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ':');
        Some(rest.trim_start().to_owned())
    };
    match message.strip_prefix("os error at ").and_then(after) {
        Some(plain) if !plain.is_empty() => plain.trim_end_matches('.').to_owned(),
        _ => message,
    }
}

impl From<DeviceError> for ViewError {
    fn from(error: DeviceError) -> Self {
        Self::Open(OpenError::Device(error))
    }
}

/// Opens a window; returns when it is closed.
///
/// # Errors
/// When the file cannot be read, there is no display, or the device fails.
pub fn view(options: ViewOptions) -> Result<(), ViewError> {
    app::run(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_no_places_in_sources() {
        let plain = |message: &str| without_place(&std::io::Error::other(message.to_owned()));
        let place = "/home/a/.cargo/registry/src/index.crates.io-0/winit-0.30.13/src/platform_impl/linux/mod.rs";
        let reason = "neither WAYLAND_DISPLAY nor DISPLAY is set";
        assert_eq!(plain(&format!("os error at {place}:765: {reason}.")), reason);
        for other in ["os error at lunch", "a.rs:7: b", "the requested operation is not supported"] {
            assert_eq!(plain(other), other);
        }
    }
}
