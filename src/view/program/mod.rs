//! Shows the window of an OpenGL program, whose driver draws on an emulated chip, and passes input to it.
//!
//! ```text
//! program ─► Wayland server ─► host: content of the buffer, from its session ─► pixels ─► app: window
//!                  ▲                                                                       │
//!                  └────────────────────────── keys, pointer ──────────────────────────────┘
//! ```
//!
//! The event loop needs the main thread. The server has a thread of its own, on which pixels are converted; only the last
//! picture waits for the window.

mod app;
mod compiling;
mod draw_rate;
mod host;
mod input;
mod messages;
mod options;
mod pixels;

use messages::Message;
pub use messages::Notice;
pub use options::ProgramOptions;
use winit::event_loop::{EventLoop, EventLoopProxy};

use super::error::{ViewError, without_place};

/// A display on which a window can be opened.
#[derive(Debug)]
pub struct ProgramWindow {
    event_loop: EventLoop<Message>,
}

/// Ends the window from another thread.
#[derive(Debug, Clone)]
pub struct WindowEnd(EventLoopProxy<Message>);

impl WindowEnd {
    /// Closes the window.
    pub fn end(&self) {
        // It may be closed.
        let _ = self.0.send_event(Message::End);
    }
}

impl ProgramWindow {
    /// Finds the display.
    ///
    /// # Errors
    /// When there is none.
    pub fn open() -> Result<Self, ViewError> {
        let event_loop = EventLoop::with_user_event().build();
        Ok(Self { event_loop: event_loop.map_err(|error| ViewError::NoProgramDisplay(without_place(&error)))? })
    }

    /// What ends the window.
    #[must_use]
    pub fn end(&self) -> WindowEnd {
        WindowEnd(self.event_loop.create_proxy())
    }

    /// Opens the window, which appears with the program's first picture, and runs until it is ended.
    ///
    /// # Errors
    /// When the window cannot be opened or drawn to.
    pub fn run(self, options: ProgramOptions) -> Result<(), ViewError> {
        app::run(self.event_loop, options)
    }
}
