//! Maps virtual addresses to guest memory, for chips whose clients know their buffers by virtual addresses only.
//!
//! The chip's page tables say where each page of a buffer is. A recording has no page tables: here each buffer gets guest
//! memory of its own, in the space of its domain, the first that is free.

use std::collections::{BTreeMap, HashMap};

use crate::capture::Buffer;
use crate::memory::{MemoryWindow, PAGE_BYTES};

/// The first address beyond virtual memory.
const ADDRESS_END: u64 = 1 << 40;

/// The buffers of a client by their virtual addresses.
#[derive(Debug, Default)]
pub(crate) struct VirtualMemory {
    /// Handles, and their memory.
    buffers: BTreeMap<u64, (u32, MemoryWindow)>,
    addresses: HashMap<u32, u64>,
    spaces: [FreeSpace; 2],
}

/// The parts of a space that buffers have.
#[derive(Debug, Default)]
struct FreeSpace {
    /// The ends of parts by their starts.
    taken: BTreeMap<u64, u64>,
    /// Nothing is free before it.
    first_free: u64,
}

impl FreeSpace {
    /// Takes the first free bytes of a space of a size.
    fn take(&mut self, bytes: u64, size: u64) -> Option<u64> {
        let mut start = self.first_free;
        for (&other, &end) in self.taken.range(start..) {
            if start.checked_add(bytes)? <= other {
                break;
            }
            start = end;
        }
        let end = start.checked_add(bytes)?;
        if end > size {
            return None;
        }
        let end = end.next_multiple_of(PAGE_BYTES.into());
        self.taken.insert(start, end);
        if start == self.first_free {
            self.first_free = end;
        }
        Some(start)
    }

    fn give_back(&mut self, start: u64) {
        self.taken.remove(&start);
        self.first_free = self.first_free.min(start);
    }
}

impl VirtualMemory {
    /// Gives a buffer guest memory, whose spaces have these sizes. A buffer that moves keeps its address, and here its
    /// memory. Returns `None` if there is no room, or the address is beyond virtual memory.
    pub(super) fn map(&mut self, buffer: &Buffer, sizes: [u64; 2]) -> Option<MemoryWindow> {
        let &Buffer { handle, bytes, offset, .. } = buffer;
        if let Some((_, window)) = self.buffers.get(&offset)
            && self.addresses.get(&handle) == Some(&offset)
            && u64::from(window.bytes) == bytes
        {
            return Some(*window);
        }
        self.unmap(handle);
        self.unmap_at(offset);
        let space = buffer.space()?;
        if offset.checked_add(bytes)? > ADDRESS_END {
            return None;
        }
        if bytes == 0 {
            return Some(MemoryWindow { space, start: 0, bytes: 0 });
        }
        let start = self.spaces[space as usize].take(bytes, sizes[space as usize])?;
        let window = MemoryWindow { space, start: u32::try_from(start).ok()?, bytes: u32::try_from(bytes).ok()? };
        self.buffers.insert(offset, (handle, window));
        self.addresses.insert(handle, offset);
        Some(window)
    }

    /// Takes the memory of a buffer back.
    pub(super) fn unmap(&mut self, handle: u32) {
        if let Some(&address) = self.addresses.get(&handle) {
            self.unmap_at(address);
        }
    }

    fn unmap_at(&mut self, address: u64) {
        if let Some((handle, window)) = self.buffers.remove(&address) {
            self.addresses.remove(&handle);
            self.spaces[window.space as usize].give_back(window.start.into());
        }
    }

    /// The buffer at an address, and its memory from there to its end.
    pub(crate) fn find(&self, address: u64) -> Option<(u32, MemoryWindow)> {
        let (start, (handle, window)) = self.buffers.range(..=address).next_back()?;
        Some((*handle, window.from_offset(u32::try_from(address - start).ok()?)))
    }

    /// The parts of buffers from one address to another one, with their addresses.
    pub(crate) fn windows(&self, first: u64, last: u64) -> impl Iterator<Item = (u64, MemoryWindow)> + '_ {
        self.buffers.iter().filter_map(move |(start, (_, window))| {
            let (from, to) = (first.max(*start), last.min(start + u64::from(window.bytes) - 1));
            let offset = u32::try_from(from.checked_sub(*start)?).ok()?;
            let bytes = u32::try_from((to + 1).checked_sub(from)?).ok()?;
            (bytes != 0).then(|| (from, window.from_offset(offset).truncated(bytes)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{DOMAIN_GART, DOMAIN_VRAM};
    use crate::memory::MemorySpace;

    const SIZES: [u64; 2] = [0x8000, 0x4000];

    fn buffer(handle: u32, domain: u32, offset: u64, bytes: u64) -> Buffer {
        Buffer { handle, domain, tile_mode: 0, tile_flags: 0, bytes, offset }
    }

    #[test]
    fn buffers_take_the_first_room() {
        let mut memory = VirtualMemory::default();
        let mut map = |handle, domain, offset, bytes| memory.map(&buffer(handle, domain, offset, bytes), SIZES);
        let vram = |start, bytes| Some(MemoryWindow { space: MemorySpace::Vram, start, bytes });
        assert_eq!(map(1, DOMAIN_VRAM, 0x20_0000_0000, 0x1800), vram(0, 0x1800));
        assert_eq!(map(2, DOMAIN_VRAM, 0x20_0000_4000, 0x1000), vram(0x2000, 0x1000));
        assert_eq!(map(3, DOMAIN_VRAM, 0x20_0001_0000, 0x5000), vram(0x3000, 0x5000));
        assert_eq!(map(4, DOMAIN_VRAM, 0x20_0002_0000, 1), None, "no room");
        assert_eq!(map(4, DOMAIN_GART, 0xff_ffff_ffff, 2), None, "beyond virtual memory");
        assert_eq!(map(2, DOMAIN_GART, 0x20_0000_4000, 0x1000), vram(0x2000, 0x1000), "a buffer that moves");
        memory.unmap(2);
        assert_eq!(memory.map(&buffer(5, DOMAIN_VRAM, 0x1000, 0x800), SIZES), vram(0x2000, 0x800));
        assert_eq!(
            memory.find(0x20_0000_1000),
            Some((1, MemoryWindow { space: MemorySpace::Vram, start: 0x1000, bytes: 0x800 }))
        );
        assert_eq!(memory.find(0x20_0000_1800).unwrap().1.bytes, 0);
        assert_eq!(memory.find(0xfff), None);
        // Another buffer at the address of one takes its place.
        memory.unmap(3);
        assert_eq!(memory.map(&buffer(6, DOMAIN_VRAM, 0x1000, 0x1001), SIZES), vram(0x2000, 0x1001));
        assert_eq!(memory.map(&buffer(7, DOMAIN_VRAM, 0x9000, 0x1000), SIZES), vram(0x4000, 0x1000));
        memory.unmap(5);
        assert_eq!(memory.find(0x1000).unwrap().1.bytes, 0x1001, "a handle that has no buffer any more");
        assert_eq!(memory.map(&buffer(8, DOMAIN_VRAM, 0x5000, 0), SIZES).map(|window| window.bytes), Some(0));
        assert_eq!(memory.windows(0, 0xffff).count(), 2);
    }

    #[test]
    fn a_range_has_parts_of_buffers() {
        let mut memory = VirtualMemory::default();
        for (handle, offset) in [(1, 0x1_0000), (2, 0x1_4000)] {
            memory.map(&buffer(handle, DOMAIN_VRAM, offset, 0x1000), SIZES).unwrap();
        }
        let parts = |first, last| -> Vec<(u64, u32, u32)> {
            memory.windows(first, last).map(|(address, window)| (address, window.start, window.bytes)).collect()
        };
        assert_eq!(parts(0, u64::MAX), [(0x1_0000, 0, 0x1000), (0x1_4000, 0x1000, 0x1000)]);
        assert_eq!(parts(0x1_0100, 0x1_01ff), [(0x1_0100, 0x100, 0x100)]);
        assert_eq!(parts(0x1_0f00, 0x1_40ff), [(0x1_0f00, 0xf00, 0x100), (0x1_4000, 0x1000, 0x100)]);
        assert_eq!(parts(0x1_1000, 0x1_3fff), []);
    }
}
