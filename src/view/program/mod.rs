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
mod pixels;

use std::sync::Arc;

use curie_wayland::Server;
use winit::event_loop::{EventLoop, EventLoopProxy};

use super::{ViewError, without_place};
use crate::gpu::AdapterChoice;
use crate::live::{Execution, Exports};

/// What a program's window needs.
pub struct ProgramOptions {
    /// The server that the program will find.
    pub server: Server,
    /// Columns and rows of the screen that the program finds [default: those of the monitor].
    pub screen: Option<(u32, u32)>,
    /// The way to the sessions of the program's driver.
    pub exports: Exports,
    /// The adapter that presents the window.
    pub adapter: AdapterChoice,
    /// What executes the program's submissions, for the overlay.
    pub execution: Execution,
    /// Called from several threads with what happens.
    pub report: Arc<dyn Fn(Notice) + Send + Sync>,
}

impl std::fmt::Debug for ProgramOptions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ProgramOptions").field("adapter", &self.adapter).finish_non_exhaustive()
    }
}

/// What happens to a program's window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The server runs: the program can start.
    Ready,
    /// The user closes the window; the program has been asked to.
    CloseRequested,
    /// Something is not shown, for this reason.
    Trouble(String),
}

/// What other threads tell the event loop.
#[derive(Debug)]
enum Message {
    /// A picture waits.
    Picture,
    /// Another event of the server.
    Event(curie_wayland::Event),
    /// The program has ended.
    End,
}

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
