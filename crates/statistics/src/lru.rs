//! Least-recently-used replacement in constant time: sets of slots, each ordered by last use.
//!
//! `wgsl/models/lru.wgsl` holds the same lists over a storage buffer.

use bytemuck::{Pod, Zeroable};

/// The key of an empty slot.
pub(super) const EMPTY: u32 = u32::MAX;

/// A slot between its neighbors in the ring of its set.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct Slot {
    /// Its key, [`EMPTY`] for none.
    pub(super) key: u32,
    /// The slot used next after this one; for a set's first entry, the least recent slot.
    previous: u32,
    /// The slot used last before this one; for a set's first entry, the most recent slot.
    next: u32,
    padding: u32,
}

/// Consecutive sets, each with an entry that joins the ends of its ring, followed by its slots.
#[derive(Debug, Clone)]
pub struct LruLists {
    slots: Vec<Slot>,
    ways: u32,
}

impl LruLists {
    /// Creates sets of empty slots. The slots plus one entry per set must be fewer than 2³².
    #[must_use]
    pub fn new(sets: u32, ways: u32) -> Self {
        let slots = (0..sets).flat_map(|set| {
            let first = set * (ways + 1);
            (0..=ways).map(move |way| Slot {
                key: EMPTY,
                previous: first + if way == 0 { ways } else { way - 1 },
                next: first + if way == ways { 0 } else { way + 1 },
                padding: 0,
            })
        });
        Self { slots: slots.collect(), ways }
    }

    /// All entries, as the kernels hold them.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Replaces the key of a set's least recent slot; returns the slot and the old key.
    pub(super) fn replace(&mut self, set: u32, key: u32) -> (u32, u32) {
        let slot = self.slots[(set * (self.ways + 1)) as usize].previous;
        let held = std::mem::replace(&mut self.slots[slot as usize].key, key);
        self.refresh(set, slot);
        (slot, held)
    }

    /// Makes a slot the most recently used of its set.
    pub(super) fn refresh(&mut self, set: u32, slot: u32) {
        let join = set * (self.ways + 1);
        let Slot { previous, next, .. } = self.slots[slot as usize];
        self.slots[previous as usize].next = next;
        self.slots[next as usize].previous = previous;
        let first = self.slots[join as usize].next;
        self.slots[first as usize].previous = slot;
        self.slots[slot as usize] = Slot { previous: join, next: first, ..self.slots[slot as usize] };
        self.slots[join as usize].next = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_random::Random;

    #[test]
    fn slots_are_replaced_in_the_order_of_a_plain_list() {
        let (sets, ways) = (3u32, 4u32);
        let mut lists = LruLists::new(sets, ways);
        assert_eq!(lists.slots().len(), 15);
        // The slots of each set, most recent first.
        let mut plain: Vec<Vec<u32>> = (0..sets).map(|set| (1..=ways).map(|way| set * 5 + way).collect()).collect();
        let mut random = Random::new(1);
        for key in 0..1000 {
            let set = random.below(sets);
            let list = &mut plain[set as usize];
            if random.below(2) == 0 {
                let slot = list.remove(random.below(ways) as usize);
                list.insert(0, slot);
                lists.refresh(set, slot);
            } else {
                let slot = list.pop().unwrap();
                list.insert(0, slot);
                let held = lists.slots()[slot as usize].key;
                assert_eq!(lists.replace(set, key), (slot, held));
            }
        }
    }
}
