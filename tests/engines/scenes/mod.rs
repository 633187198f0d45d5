//! Scenes: golden hashes, both engines, captures of them, frames, messages about mistakes, and what drawing means.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bundled;
mod command_line;
mod documents;
mod drawing;
mod mistakes;
mod stage;
