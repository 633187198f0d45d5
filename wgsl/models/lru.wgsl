// Keeps least-recently-used lists in a storage buffer: sets of slots, each ordered by last use.
// `crates/statistics/src/lru.rs` initializes the buffer and implements the same on the host.

struct LruSlot {
    // The key that it holds, all ones for none.
    key: u32,
    previous: u32,
    next: u32,
    padding: u32,
}

@group(0) @binding(30)
var<storage, read_write> lru_slots: array<LruSlot>;

// Makes a slot the most recent one of the set that begins at `join`; indices in the slots are relative to `base`.
fn lru_refresh(base: u32, join: u32, slot: u32) {
    let first = lru_slots[base + join].next;
    if first == slot {
        return;
    }
    let previous = lru_slots[base + slot].previous;
    let next = lru_slots[base + slot].next;
    lru_slots[base + previous].next = next;
    lru_slots[base + next].previous = previous;
    lru_slots[base + first].previous = slot;
    lru_slots[base + slot].previous = join;
    lru_slots[base + slot].next = first;
    lru_slots[base + join].next = slot;
}

// The least recently used slot of a set.
fn lru_oldest(base: u32, join: u32) -> u32 {
    return lru_slots[base + join].previous;
}
