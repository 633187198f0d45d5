//! A Wayland server for the programs that curie runs: their windows come out as pictures, input goes in.
//!
//! A program's driver passes its buffers by `zwp_linux_dmabuf_v1` or `wl_drm`, as files. The server reads no pixel: it
//! asks a [`Host`] for the content of a file, once per commit, and hands the answer back as a [`Picture`]:
//!
//! ```text
//! program ── commit ──► server ── Host::read ──► emulated chip
//!         ◄─ release ──        ◄── Reply::send ──
//!         ◄─ frame done, 60 Hz ──  ── Event::Picture ──► window
//!         ◄─ keys, pointer ──  ◄── Input ──
//! ```
//!
//! One window is shown: that of the toplevel mapped last. The server runs on a thread of its own. What a program sends
//! ends at most that program's connection.
#![cfg(target_os = "linux")]

mod accepted;
mod buffer;
mod commands;
mod compositor;
mod constraints;
mod dispatch;
mod dmabuf;
mod drm;
mod input;
mod keyboard;
mod pointer_constraint;
mod seat;
mod server;
mod shell;
mod state;
mod surface;

pub use buffer::{Format, Layout};
pub use keyboard::is_modifier;
pub use server::{Handle, Server};

use std::time::Duration;

/// The time between frame callbacks: a display with 60 frames a second.
pub const FRAME_TIME: Duration = Duration::from_nanos(16_666_667);

/// What names a file on this machine: its device and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    /// The device.
    pub device: u64,
    /// The number.
    pub inode: u64,
}

/// Who shows the windows.
pub trait Host: Send {
    /// Answers, from any thread, with the content of the buffer behind this file after everything that its program has
    /// submitted.
    fn read(&mut self, file: FileIdentity, layout: Layout, reply: Reply);

    /// Takes an event.
    fn event(&mut self, event: Event);
}

/// What a program's windows do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The shown window has a new picture.
    Picture(Picture),
    /// The shown window has this title.
    Title(String),
    /// No window is left.
    Closed,
    /// The program wants the whole screen, or no longer.
    Fullscreen(bool),
    /// The program shows the pointer in its window, or hides it.
    Cursor(bool),
    /// What the pointer is to do from now on.
    Grab(Grab),
    /// A connection ended, or a picture is missing, for this reason.
    Trouble(String),
}

/// How the pointer is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grab {
    /// It moves freely.
    #[default]
    None,
    /// It stays in the window.
    Confined,
    /// It stays in place; only its motion counts.
    Locked,
}

/// The content of a window.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// How the bytes are laid out.
    pub layout: Layout,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Picture").field("layout", &self.layout).finish_non_exhaustive()
    }
}

/// What the user does; positions are pixels of the picture, codes are those of `linux/input-event-codes.h`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Input {
    /// The keyboard comes to the window, or leaves it.
    Focus(bool),
    /// A key goes down or up.
    Key(u32, bool),
    /// The pointer is here.
    Motion([f64; 2]),
    /// The pointer leaves the window.
    Leave,
    /// The pointing device moves by this, whether or not the pointer can.
    Relative([f64; 2]),
    /// A button goes down or up.
    Button(u32, bool),
    /// The wheel turns by these notches, right and down.
    Wheel([f64; 2]),
    /// The user wants the pointer back from a program that holds it; the next button gives it again.
    LetGo,
    /// The user closes the window.
    Close,
}

/// Takes the bytes of a buffer, if they come.
type Answer = Box<dyn FnOnce(Option<Vec<u8>>) + Send>;

/// The answer to [`Host::read`]; dropped without one, the content is missing.
pub struct Reply(Option<Answer>);

impl Reply {
    pub(crate) fn new(send: impl FnOnce(Option<Vec<u8>>) + Send + 'static) -> Self {
        Self(Some(Box::new(send)))
    }

    /// Answers with the bytes that [`Layout::range`] names.
    pub fn send(mut self, bytes: Vec<u8>) {
        if let Some(send) = self.0.take() {
            send(Some(bytes));
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(send) = self.0.take() {
            send(None);
        }
    }
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Reply").finish_non_exhaustive()
    }
}
