//! Keeps objects by handle: graphics objects, DMA objects and the buffer objects of memory records.

use std::collections::HashMap;

use super::virtual_memory::VirtualMemory;
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
    /// The virtual memory of chips whose clients name buffers by addresses in it.
    pub(super) virtual_memory: Option<VirtualMemory>,
    chipset: u32,
}

impl Objects {
    /// No objects of a chip with this chipset number.
    pub(super) fn new(chipset: u32, virtual_memory: Option<VirtualMemory>) -> Self {
        Self { virtual_memory, chipset, ..Self::default() }
    }

    /// The chipset number.
    pub(crate) const fn chipset(&self) -> u32 {
        self.chipset
    }

    /// The buffer at a virtual address, and its memory from there to its end.
    pub(crate) fn virtual_buffer(&self, address: u64) -> Option<(u32, MemoryWindow)> {
        self.virtual_memory.as_ref()?.find(address)
    }

    /// The memory from a virtual address to the end of its buffer; empty if it is in none.
    pub(crate) fn virtual_window(&self, address: u64) -> MemoryWindow {
        self.virtual_buffer(address).map_or(MemoryWindow::EMPTY, |(_, window)| window)
    }

    /// The parts of buffers from one virtual address to another one, with their addresses.
    pub(crate) fn virtual_windows(&self, first: u64, last: u64) -> impl Iterator<Item = (u64, MemoryWindow)> + '_ {
        self.virtual_memory.iter().flat_map(move |memory| memory.windows(first, last))
    }

    pub(crate) fn insert(&mut self, handle: u32, object: Object) {
        self.objects.insert(handle, object);
    }

    pub(crate) fn insert_buffer(&mut self, handle: u32, window: MemoryWindow) {
        self.buffers.insert(handle, window);
    }

    pub(crate) fn remove_buffer(&mut self, handle: u32) -> Option<MemoryWindow> {
        if let Some(memory) = &mut self.virtual_memory {
            memory.unmap(handle);
        }
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
