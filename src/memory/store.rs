//! The bytes of guest memory on the host.

use super::{MemorySpace, MemoryWindow};

/// Granularity of buffer objects and of host writes.
pub const PAGE_BYTES: u32 = 4096;

/// The largest size of one space; the real chip's VRAM is 256 MiB and its GART window 512 MiB.
const MAX_SPACE_BYTES: u64 = 1 << 30;

/// Why memory cannot be provided.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// A space would grow beyond its size.
    #[error("{space:?} would need {needed} bytes, it has {capacity}")]
    SpaceExhausted {
        /// The space.
        space: MemorySpace,
        /// The requested end address.
        needed: u64,
        /// The size of the space.
        capacity: u64,
    },
    /// A space is declared larger than the chip can address.
    #[error("a memory space of {bytes} bytes is beyond the limit of {limit}")]
    SpaceTooLarge {
        /// The declared size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
}

/// Both spaces, each backed up to the end of the highest buffer object created so far (its *extent*).
///
/// Addresses beyond the extent hold no memory: reads give zero, writes are dropped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GuestMemory {
    spaces: [Vec<u8>; 2],
    capacities: [u64; 2],
}

impl GuestMemory {
    /// Creates empty spaces that can grow to these sizes in bytes.
    ///
    /// # Errors
    /// When a size exceeds what the chip can address.
    pub fn new(vram_bytes: u64, gart_bytes: u64) -> Result<Self, MemoryError> {
        for bytes in [vram_bytes, gart_bytes] {
            if bytes > MAX_SPACE_BYTES {
                return Err(MemoryError::SpaceTooLarge { bytes, limit: MAX_SPACE_BYTES });
            }
        }
        // Memory consists of whole pages, so that every word lies in one space.
        let capacities = [vram_bytes, gart_bytes].map(|bytes| bytes - bytes % u64::from(PAGE_BYTES));
        Ok(Self { spaces: [Vec::new(), Vec::new()], capacities })
    }

    /// Grows a space so that `end` bytes exist; new bytes are zero. Returns whether it grew.
    ///
    /// # Errors
    /// When `end` is beyond the size of the space.
    pub fn grow(&mut self, space: MemorySpace, end: u64) -> Result<bool, MemoryError> {
        let capacity = self.capacities[space as usize];
        if end > capacity {
            return Err(MemoryError::SpaceExhausted { space, needed: end, capacity });
        }
        let end = end.next_multiple_of(u64::from(PAGE_BYTES)).min(capacity);
        let bytes = &mut self.spaces[space as usize];
        let end = usize::try_from(end).expect("capacity is at most 1 GiB");
        if end <= bytes.len() {
            return Ok(false);
        }
        if end <= bytes.capacity() {
            bytes.resize(end, 0);
            return Ok(true);
        }
        // A zeroed allocation costs no physical memory until it is accessed; doubling keeps reallocations rare.
        let doubled = end.max(bytes.len() * 2).min(usize::try_from(capacity).expect("at most 1 GiB"));
        let mut grown = vec![0; doubled];
        grown[..bytes.len()].copy_from_slice(bytes);
        grown.truncate(end);
        *bytes = grown;
        Ok(true)
    }

    /// How many bytes of a space exist.
    #[must_use]
    pub fn extent(&self, space: MemorySpace) -> u32 {
        u32::try_from(self.spaces[space as usize].len()).expect("capacity is at most 1 GiB")
    }

    /// The window truncated at the end of existing memory.
    #[must_use]
    pub fn clamp(&self, window: MemoryWindow) -> MemoryWindow {
        window.truncated(self.extent(window.space).saturating_sub(window.start))
    }

    /// All existing bytes of a space.
    #[must_use]
    pub fn bytes(&self, space: MemorySpace) -> &[u8] {
        &self.spaces[space as usize]
    }

    /// All existing bytes of a space, writable.
    pub fn bytes_mut(&mut self, space: MemorySpace) -> &mut [u8] {
        &mut self.spaces[space as usize]
    }

    /// Existing bytes of a window; shorter than the window if memory ends within it.
    #[must_use]
    pub fn slice(&self, window: MemoryWindow) -> &[u8] {
        let window = self.clamp(window);
        let start = window.start as usize;
        self.spaces[window.space as usize].get(start..start + window.bytes as usize).unwrap_or(&[])
    }

    /// Existing bytes of a window, writable.
    pub fn slice_mut(&mut self, window: MemoryWindow) -> &mut [u8] {
        let window = self.clamp(window);
        let start = window.start as usize;
        self.spaces[window.space as usize].get_mut(start..start + window.bytes as usize).unwrap_or(&mut [])
    }

    /// Copies the bytes of a window from its start; zeros beyond the end of the window or of memory.
    pub fn load(&self, window: MemoryWindow, bytes: &mut [u8]) {
        let source = self.slice(window);
        let length = source.len().min(bytes.len());
        bytes[..length].copy_from_slice(&source[..length]);
        bytes[length..].fill(0);
    }

    /// Copies bytes to the start of a window; drops those beyond the end of the window or of memory.
    pub fn store(&mut self, window: MemoryWindow, bytes: &[u8]) {
        let target = self.slice_mut(window);
        let length = target.len().min(bytes.len());
        target[..length].copy_from_slice(&bytes[..length]);
    }

    /// Reads `N` bytes at `offset` of a window; zeros unless all of them lie inside.
    #[must_use]
    pub fn read<const N: usize>(&self, window: MemoryWindow, offset: u32) -> [u8; N] {
        let bytes = self.slice(window.from_offset(offset));
        bytes.first_chunk::<N>().copied().unwrap_or([0; N])
    }

    /// Reads a little-endian word at `offset` of a window; zero unless all of it lies inside.
    #[must_use]
    pub fn read_u32(&self, window: MemoryWindow, offset: u32) -> u32 {
        u32::from_le_bytes(self.read(window, offset))
    }

    /// Writes bytes at `offset` of a window; dropped unless all of them lie inside. Returns whether they were written.
    pub fn write(&mut self, window: MemoryWindow, offset: u32, bytes: &[u8]) -> bool {
        match self.slice_mut(window.from_offset(offset)).get_mut(..bytes.len()) {
            Some(target) => {
                target.copy_from_slice(bytes);
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_beyond_a_window_read_zero_and_are_dropped() {
        let mut memory = GuestMemory::new(1 << 20, 0).unwrap();
        assert!(memory.grow(MemorySpace::Vram, 5000).unwrap());
        assert_eq!(memory.extent(MemorySpace::Vram), 8192);
        let window = MemoryWindow { space: MemorySpace::Vram, start: 4096, bytes: 8 };
        assert!(memory.write(window, 4, &[1, 2, 3, 4]));
        assert!(!memory.write(window, 5, &[9; 4]), "one byte beyond the window");
        assert_eq!(memory.read_u32(window, 4), 0x0403_0201);
        assert_eq!(memory.read_u32(window, 6), 0, "half inside reads zero");
        assert_eq!(memory.read_u32(window, u32::MAX), 0);
    }

    #[test]
    fn memory_ends_at_the_extent() {
        let mut memory = GuestMemory::new(1 << 20, 1 << 20).unwrap();
        memory.grow(MemorySpace::Gart, 1).unwrap();
        let window = MemoryWindow { space: MemorySpace::Gart, start: 0, bytes: 1 << 20 };
        assert_eq!(memory.slice(window).len(), 4096);
        assert!(!memory.write(window, 4096, &[1]));
        assert!(matches!(memory.grow(MemorySpace::Gart, 1 << 21), Err(MemoryError::SpaceExhausted { .. })));
        assert!(GuestMemory::new(1 << 40, 0).is_err());
    }
}
