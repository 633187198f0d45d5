//! Guest memory: the two address spaces of the chip, windows into them, and surface layouts.

pub mod block_linear;
pub mod layout;
mod store;

pub use store::{GuestMemory, MemoryError, PAGE_BYTES};

/// One of the chip's two address spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemorySpace {
    /// The video memory on the card.
    Vram,
    /// The window into system memory.
    Gart,
}

impl MemorySpace {
    /// Both spaces.
    pub const ALL: [Self; 2] = [Self::Vram, Self::Gart];
}

/// A contiguous range of one address space that an operation may touch.
///
/// A window is a DMA object truncated at its limit, viewed from an offset: byte `i` of the window is byte `start +
/// i` of the space, for `i < bytes`. Reads beyond `bytes` give zero, writes beyond are dropped; neither accesses
/// other memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoryWindow {
    /// The address space.
    pub space: MemorySpace,
    /// Address of the window's first byte.
    pub start: u32,
    /// How many bytes the window covers.
    pub bytes: u32,
}

impl Default for MemoryWindow {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl MemoryWindow {
    /// A window that covers nothing: reads give zero, writes are dropped.
    pub const EMPTY: Self = Self { space: MemorySpace::Vram, start: 0, bytes: 0 };

    /// The part of this window from `offset` on; empty if `offset` lies beyond it.
    #[must_use]
    pub const fn from_offset(self, offset: u32) -> Self {
        if offset >= self.bytes {
            return Self { space: self.space, start: self.start, bytes: 0 };
        }
        Self { space: self.space, start: self.start + offset, bytes: self.bytes - offset }
    }

    /// At most the first `bytes` bytes of this window.
    #[must_use]
    pub const fn truncated(self, bytes: u32) -> Self {
        if bytes < self.bytes { Self { bytes, ..self } } else { self }
    }

    /// Whether the two windows share a byte.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.space == other.space
            && u64::from(self.start) < u64::from(other.start) + u64::from(other.bytes)
            && u64::from(other.start) < u64::from(self.start) + u64::from(self.bytes)
    }
}
