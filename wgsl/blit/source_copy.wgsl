// Reads the source of a transfer from a copy taken before anything is written.

@group(0) @binding(1) var<storage, read> source_copy: array<u32>;

// A byte of the source.
fn load_source_u8(address: u32) -> u32 {
    return (source_copy[address >> 2u] >> ((address & 3u) * 8u)) & 0xffu;
}

// Four bytes of the source.
fn load_source_u32(address: u32) -> u32 {
    let shift = (address & 3u) * 8u;
    let high = source_copy[(address + 3u) >> 2u];
    return (source_copy[address >> 2u] >> shift) | select(high << ((32u - shift) & 31u), 0u, shift == 0u);
}
