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
mod error;
pub mod load;
pub mod machine;
mod options;
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

pub use error::ViewError;
pub use options::ViewOptions;

/// Opens a window; returns when it is closed.
///
/// # Errors
/// When the file cannot be read, there is no display, or the device fails.
pub fn view(options: ViewOptions) -> Result<(), ViewError> {
    app::run(options)
}
