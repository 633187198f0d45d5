//! Defines what the threads of a program's window tell each other.

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
pub(super) enum Message {
    /// A picture waits.
    Picture,
    /// Another event of the server.
    Event(curie_wayland::Event),
    /// The program has ended.
    End,
}
