//! Gives buffers their addresses in one address space.

use std::collections::BTreeMap;

/// The size of a page; buffers start at multiples of it.
pub(crate) const PAGE_BYTES: u64 = 4096;

/// The free ranges of an address space.
#[derive(Debug)]
pub(crate) struct AddressSpace {
    /// Ends of free ranges by their starts; no two touch.
    free: BTreeMap<u64, u64>,
}

impl AddressSpace {
    /// An empty address space of this size.
    pub(crate) fn new(bytes: u64) -> Self {
        Self { free: BTreeMap::from([(0, bytes)]) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_aligned_and_joined_again() {
        let mut space = AddressSpace::new(0x10000);
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
}
