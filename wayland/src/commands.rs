//! What other threads tell the server's thread, and the way there.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use crate::Input;

/// What other threads tell the server.
pub(crate) enum Command {
    Content(u64, Option<Vec<u8>>),
    Input(Input),
    Disconnected(String),
    Stop,
}

/// The way to the server's thread.
#[derive(Debug, Clone)]
pub(crate) struct Commands {
    pub(crate) sender: Sender<Command>,
    pub(crate) wake: Arc<OwnedFd>,
}

impl Commands {
    /// Passes a command on, and wakes the server.
    pub(crate) fn send(&self, command: Command) {
        // The server may have ended.
        let _ = self.sender.send(command);
        // A full counter has woken it already.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// Passes the content of a commit.
    pub(crate) fn content(&self, number: u64, bytes: Option<Vec<u8>>) {
        self.send(Command::Content(number, bytes));
    }

    /// Says why a program's connection ended.
    pub(crate) fn disconnected(&self, reason: String) {
        self.send(Command::Disconnected(reason));
    }
}
