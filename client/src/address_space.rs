//! Gives buffers their addresses, in an address space for each place or in one for all.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::uapi::{GART, VRAM};

/// The size of a page; buffers start at multiples of it.
pub(crate) const PAGE_BYTES: u64 = 4096;

/// The free ranges of an address space.
#[derive(Debug)]
pub(crate) struct AddressSpace {
    /// Ends of free ranges by their starts; no two touch.
    free: BTreeMap<u64, u64>,
}

impl AddressSpace {
    /// An empty address space.
    pub(crate) fn new(addresses: Range<u64>) -> Self {
        Self { free: BTreeMap::from([(addresses.start, addresses.end)]) }
    }

    /// Takes the first free range of this size and alignment, a power of two; `None` if there is none.
    pub(crate) fn allocate(&mut self, bytes: u64, alignment: u64) -> Option<u64> {
        let mask = alignment.max(PAGE_BYTES) - 1;
        let (start, end, first, last) = self.free.iter().find_map(|(&start, &end)| {
            let first = start.checked_add(mask)? & !mask;
            let last = first.checked_add(bytes)?;
            (last <= end).then_some((start, end, first, last))
        })?;
        self.free.remove(&start);
        for (start, end) in [(start, first), (last, end)] {
            if start < end {
                self.free.insert(start, end);
            }
        }
        Some(first)
    }

    /// Gives a range back.
    pub(crate) fn release(&mut self, mut start: u64, bytes: u64) {
        let mut end = start + bytes;
        if let Some((&before, _)) = self.free.range(..start).next_back().filter(|(_, end)| **end == start) {
            self.free.remove(&before);
            start = before;
        }
        if let Some(after) = self.free.remove(&end) {
            end = after;
        }
        self.free.insert(start, end);
    }
}

/// The virtual addresses of a channel: 40 bits, without zero and what drivers reserve below.
const VIRTUAL_ADDRESSES: Range<u64> = 0x2000_0000..1 << 40;

/// The addresses of a device's buffers. A place is a flag of `BO_PLACES`.
#[derive(Debug)]
pub(crate) enum Addresses {
    /// Each place has its own.
    Physical {
        /// Video memory.
        vram: AddressSpace,
        /// The window into system memory.
        gart: AddressSpace,
    },
    /// Both places have one space, and a buffer keeps its address when it moves.
    Virtual {
        /// The space.
        space: AddressSpace,
        /// Bytes that are left of video memory.
        vram_left: u64,
        /// Bytes that are left of the window into system memory.
        gart_left: u64,
    },
}

impl Addresses {
    /// The addresses of a device with this much memory.
    pub(crate) fn new(is_virtual: bool, vram_bytes: u64, gart_bytes: u64) -> Self {
        if is_virtual {
            let space = AddressSpace::new(VIRTUAL_ADDRESSES);
            return Self::Virtual { space, vram_left: vram_bytes, gart_left: gart_bytes };
        }
        Self::Physical { vram: AddressSpace::new(0..vram_bytes), gart: AddressSpace::new(0..gart_bytes) }
    }

    /// Takes an address for a buffer in a place; `None` if there is no space.
    pub(crate) fn allocate(&mut self, place: u32, bytes: u64, alignment: u64) -> Option<u64> {
        let is_vram = place & VRAM != 0;
        match self {
            Self::Physical { vram, gart } => (if is_vram { vram } else { gart }).allocate(bytes, alignment),
            Self::Virtual { space, vram_left, gart_left } => {
                let left = if is_vram { vram_left } else { gart_left };
                let rest = left.checked_sub(bytes)?;
                let address = space.allocate(bytes, alignment)?;
                *left = rest;
                Some(address)
            }
        }
    }

    /// Gives the address of a buffer in a place back.
    pub(crate) fn release(&mut self, place: u32, start: u64, bytes: u64) {
        let is_vram = place & VRAM != 0;
        match self {
            Self::Physical { vram, gart } => (if is_vram { vram } else { gart }).release(start, bytes),
            Self::Virtual { space, vram_left, gart_left } => {
                *(if is_vram { vram_left } else { gart_left }) += bytes;
                space.release(start, bytes);
            }
        }
    }

    /// The address of a buffer after its move from a place to the other; `None` if there is no space.
    pub(crate) fn change_place(&mut self, from: u32, start: u64, bytes: u64) -> Option<u64> {
        if let Self::Virtual { vram_left, gart_left, .. } = self {
            let is_vram = from & VRAM != 0;
            let (old, new) = if is_vram { (vram_left, gart_left) } else { (gart_left, vram_left) };
            *new = new.checked_sub(bytes)?;
            *old += bytes;
            return Some(start);
        }
        let moved = self.allocate(from ^ (VRAM | GART), bytes, PAGE_BYTES)?;
        self.release(from, start, bytes);
        Some(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_aligned_and_joined_again() {
        let mut space = AddressSpace::new(0..0x10000);
        assert_eq!(space.allocate(0x1000, 1), Some(0));
        assert_eq!(space.allocate(0x2000, 0x4000), Some(0x4000));
        assert_eq!(space.allocate(0x3000, 0x1000), Some(0x1000), "the gap before");
        assert_eq!(space.allocate(0xb000, 1), None);
        assert_eq!(space.allocate(0xa000, 1), Some(0x6000));
        space.release(0, 0x1000);
        space.release(0x4000, 0x2000);
        space.release(0x1000, 0x3000);
        assert_eq!(space.free, BTreeMap::from([(0, 0x6000)]));
        space.release(0x6000, 0xa000);
        assert_eq!(space.allocate(0x10000, 1), Some(0));
    }

    #[test]
    fn physical_addresses_change_with_the_place() {
        let mut addresses = Addresses::new(false, 0x4000, 0x8000);
        assert_eq!(addresses.allocate(VRAM, 0x1000, 1), Some(0));
        assert_eq!(addresses.allocate(VRAM, 0x2000, 1), Some(0x1000));
        assert_eq!(addresses.allocate(GART, 0x3000, 1), Some(0));
        assert_eq!(addresses.change_place(VRAM, 0x1000, 0x2000), Some(0x3000));
        assert_eq!(addresses.allocate(VRAM, 0x3000, 1), Some(0x1000));
        assert_eq!(addresses.change_place(GART, 0, 0x3000), None, "video memory is full");
    }

    #[test]
    fn virtual_addresses_stay_and_places_have_an_end() {
        let mut addresses = Addresses::new(true, 0x4000, 0x8000);
        let first = VIRTUAL_ADDRESSES.start;
        assert_eq!(addresses.allocate(VRAM, 0x3000, 1), Some(first));
        assert_eq!(addresses.allocate(GART, 0x1000, 0x10000), Some(first + 0x10000));
        assert_eq!(addresses.allocate(VRAM, 0x2000, 1), None, "one page is left");
        assert_eq!(addresses.change_place(VRAM, first, 0x3000), Some(first));
        assert_eq!(addresses.allocate(VRAM, 0x4000, 1), Some(first + 0x3000));
        assert_eq!(addresses.change_place(GART, first, 0x3000), None);
        addresses.release(GART, first, 0x3000);
        assert_eq!(addresses.allocate(GART, 0x8000, 1), None, "a page is taken");
        assert_eq!(addresses.allocate(GART, 0x7000, 1), Some(first + 0x7000));
    }
}
