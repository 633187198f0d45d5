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
    buffers: BTreeMap<u64, MemoryWindow>,
    addresses: HashMap<u32, u64>,
}

impl VirtualMemory {
    /// Gives a buffer guest memory, whose spaces have these sizes. A buffer that moves keeps its address, and here its
    /// memory. Returns `None` if there is no room, or the address is beyond virtual memory.
    pub(super) fn map(&mut self, buffer: &Buffer, sizes: [u64; 2]) -> Option<MemoryWindow> {
        if let Some(window) = self.addresses.get(&buffer.handle).and_then(|address| self.buffers.get(address))
            && self.addresses.get(&buffer.handle) == Some(&buffer.offset)
            && u64::from(window.bytes) == buffer.bytes
        {
            return Some(*window);
        }
        self.unmap(buffer.handle);
        let space = buffer.space()?;
        let is_inside = buffer.offset.checked_add(buffer.bytes).is_some_and(|end| end <= ADDRESS_END);
        let own = self.buffers.values().filter(|window| window.space == space);
        let mut taken: Vec<_> = own.map(|window| (u64::from(window.start), end_of(*window))).collect();
        taken.sort_unstable();
        let mut start = 0;
        for (other, end) in taken {
            if start + buffer.bytes <= other {
                break;
            }
            start = start.max(end);
        }
        let has_room = start.checked_add(buffer.bytes)? <= sizes[space as usize];
        let (true, true) = (is_inside, has_room) else { return None };
        let window =
            MemoryWindow { space, start: u32::try_from(start).ok()?, bytes: u32::try_from(buffer.bytes).ok()? };
        if let Some(other) = self.addresses.iter().find(|(_, address)| **address == buffer.offset) {
            let handle = *other.0;
            self.unmap(handle);
        }
        self.buffers.insert(buffer.offset, window);
        self.addresses.insert(buffer.handle, buffer.offset);
        Some(window)
    }

    /// Takes the memory of a buffer back.
    pub(super) fn unmap(&mut self, handle: u32) {
        if let Some(address) = self.addresses.remove(&handle) {
            self.buffers.remove(&address);
        }
    }

    /// The memory from an address to the end of its buffer; empty if the address is in no buffer.
    pub(crate) fn window(&self, address: u64) -> MemoryWindow {
        let Some((start, window)) = self.buffers.range(..=address).next_back() else { return MemoryWindow::EMPTY };
        u32::try_from(address - start).map_or(MemoryWindow::EMPTY, |offset| window.from_offset(offset))
    }

    /// The parts of buffers from one address to another one, with their addresses.
    pub(crate) fn windows(&self, first: u64, last: u64) -> impl Iterator<Item = (u64, MemoryWindow)> + '_ {
        self.buffers.iter().filter_map(move |(start, window)| {
            let (from, to) = (first.max(*start), last.min(start + u64::from(window.bytes) - 1));
            let offset = u32::try_from(from.checked_sub(*start)?).ok()?;
            let bytes = u32::try_from((to + 1).checked_sub(from)?).ok()?;
            (bytes != 0).then(|| (from, window.from_offset(offset).truncated(bytes)))
        })
    }
}

/// Where the next buffer can begin.
fn end_of(window: MemoryWindow) -> u64 {
    (u64::from(window.start) + u64::from(window.bytes)).next_multiple_of(PAGE_BYTES.into())
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
            memory.window(0x20_0000_1000),
            MemoryWindow { space: MemorySpace::Vram, start: 0x1000, bytes: 0x800 }
        );
        assert_eq!(memory.window(0x20_0000_1800).bytes, 0);
        assert_eq!(memory.window(0xfff).bytes, 0);
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
