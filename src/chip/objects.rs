//! Keeps objects by handle: graphics objects, DMA objects and the buffer objects of memory records.

use std::collections::HashMap;

use crate::memory::MemoryWindow;

/// The object of a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Object {
    /// A graphics object.
    Graphics(GraphicsObject),
    /// A DMA object with its memory.
    Dma(MemoryWindow),
}

/// A graphics object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GraphicsObject {
    /// The class that the client requested.
    pub(crate) class: u32,
    /// The machine's implementation of that class.
    pub(crate) kind: ObjectKind,
}

/// A machine's implementation of an object's class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    /// The class has this state.
    Known {
        /// Its index among the states of the channel.
        state: usize,
    },
    /// The class accepts and ignores every method, and has no effect where it is bound.
    Null,
    /// The machine has no such class.
    Unknown,
}

/// All objects of the channel, and all buffer objects.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    objects: HashMap<u32, Object>,
    buffers: HashMap<u32, MemoryWindow>,
}

impl Objects {
    pub(crate) fn insert(&mut self, handle: u32, object: Object) {
        self.objects.insert(handle, object);
    }

    pub(crate) fn insert_buffer(&mut self, handle: u32, window: MemoryWindow) {
        self.buffers.insert(handle, window);
    }

    pub(crate) fn remove_buffer(&mut self, handle: u32) -> Option<MemoryWindow> {
        self.buffers.remove(&handle)
    }

    pub(crate) fn buffer(&self, handle: u32) -> Option<MemoryWindow> {
        self.buffers.get(&handle).copied()
    }

    /// The graphics object with a handle.
    pub(crate) fn graphics(&self, handle: u32) -> Option<GraphicsObject> {
        match self.objects.get(&handle) {
            Some(Object::Graphics(object)) => Some(*object),
            Some(Object::Dma(_)) | None => None,
        }
    }

    /// The memory of a DMA object; empty for the null handle and for null objects, `None` for an unknown handle.
    pub(crate) fn dma(&self, handle: u32) -> Option<MemoryWindow> {
        match self.objects.get(&handle) {
            Some(Object::Dma(window)) => Some(*window),
            Some(Object::Graphics(GraphicsObject { kind: ObjectKind::Null, .. })) => Some(MemoryWindow::EMPTY),
            None if handle == 0 => Some(MemoryWindow::EMPTY),
            Some(Object::Graphics(_)) | None => None,
        }
    }
}
