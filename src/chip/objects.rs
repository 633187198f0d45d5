//! Objects by handle: graphics objects, DMA objects and the buffer objects that memory records name.

use std::collections::HashMap;

use crate::memory::MemoryWindow;

/// What a handle stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Object {
    /// A graphics object of this class.
    Graphics(u32),
    /// A DMA object that covers this memory.
    Dma(MemoryWindow),
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

    /// The class of a graphics object.
    pub(crate) fn class(&self, handle: u32) -> Option<u32> {
        match self.objects.get(&handle) {
            Some(Object::Graphics(class)) => Some(*class),
            Some(Object::Dma(_)) | None => None,
        }
    }

    /// The memory of a DMA object; empty for the null handle and for null objects, `None` for an unknown handle.
    pub(crate) fn dma(&self, handle: u32) -> Option<MemoryWindow> {
        match self.objects.get(&handle) {
            Some(Object::Dma(window)) => Some(*window),
            Some(Object::Graphics(super::CLASS_NULL)) => Some(MemoryWindow::EMPTY),
            None if handle == 0 => Some(MemoryWindow::EMPTY),
            Some(Object::Graphics(_)) | None => None,
        }
    }
}
