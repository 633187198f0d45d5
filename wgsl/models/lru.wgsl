// Sets of slots, each ordered by how recently its slots were used, over a storage buffer; `src/statistics/recency.rs`
// fills it and does the same on the host.

struct RecencySlot {
    // What it holds, all ones for nothing.
    key: u32,
    previous: u32,
    next: u32,
    padding: u32,
}

@group(0) @binding(30)
var<storage, read_write> recency_slots: array<RecencySlot>;

// Makes a slot the most recent one of the set that begins at `join`; indices in the slots are relative to `base`.
fn recency_refresh(base: u32, join: u32, slot: u32) {
    let first = recency_slots[base + join].next;
    if first == slot {
        return;
    }
    let previous = recency_slots[base + slot].previous;
    let next = recency_slots[base + slot].next;
    recency_slots[base + previous].next = next;
    recency_slots[base + next].previous = previous;
    recency_slots[base + first].previous = slot;
    recency_slots[base + slot].previous = join;
    recency_slots[base + slot].next = first;
    recency_slots[base + join].next = slot;
}

// The slot of a set that was used longest ago.
fn recency_oldest(base: u32, join: u32) -> u32 {
    return recency_slots[base + join].previous;
}
