//! Defines why a window cannot be opened or continued.

use super::load::LoadError;
use crate::engine::OpenError;
use crate::gpu::DeviceError;
use crate::pipeline::EngineError;

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
pub(super) fn without_place(error: &dyn std::error::Error) -> String {
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
