//! Defines what a step of a frame does.

use crate::memory::MemoryWindow;
use crate::pipeline::{Clear, MemoryCopy, ScaledImage};

/// What the chip was asked to do.
#[derive(Debug, Clone, PartialEq)]
pub enum FrameWork {
    /// A draw, by its index in the frame.
    Draw(usize),
    /// A clear.
    Clear(Box<Clear>),
    /// A copy of memory.
    CopyMemory(MemoryCopy),
    /// An image of the 2D objects.
    ScaleImage(ScaledImage),
    /// A host write to video memory.
    Upload(Vec<MemoryWindow>),
    /// Methods that no other work follows.
    Methods,
}
