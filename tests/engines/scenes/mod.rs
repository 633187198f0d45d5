//! Scenes: the hashes of the check file, both engines, their captures, frames, messages about mistakes, and the
//! meaning of drawing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bundled;
mod command_line;
mod documents;
mod drawing;
mod geforce_8;
mod machines;
mod mistakes;
mod stage;
