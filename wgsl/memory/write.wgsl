// Reads and writes guest memory; addresses count bytes of the mirror.
// No two invocations may store into the same word.

@group(0) @binding(0)
var<storage, read_write> memory: array<u32>;

// The byte at an address.
fn load_u8(address: u32) -> u32 {
    return (memory[address >> 2u] >> ((address & 3u) * 8u)) & 0xffu;
}

// The two bytes at an address of any alignment.
fn load_u16(address: u32) -> u32 {
    return load_u8(address) | (load_u8(address + 1u) << 8u);
}

// The word at an address that is a multiple of 4.
fn load_word(address: u32) -> u32 {
    return memory[address >> 2u];
}

// The four bytes at an address of any alignment.
fn load_u32(address: u32) -> u32 {
    let shift = (address & 3u) * 8u;
    let high = memory[(address + 3u) >> 2u];
    return (memory[address >> 2u] >> shift) | select(high << ((32u - shift) & 31u), 0u, shift == 0u);
}

// Replaces the masked bits of the word at an address that is a multiple of 4.
fn store_bits(address: u32, value: u32, mask: u32) {
    let index = address >> 2u;
    memory[index] = (memory[index] & ~mask) | (value & mask);
}

// Stores a byte.
fn store_u8(address: u32, value: u32) {
    let shift = (address & 3u) * 8u;
    store_bits(address, value << shift, 0xffu << shift);
}

// Stores four bytes at an address of any alignment.
fn store_u32(address: u32, value: u32) {
    for (var index = 0u; index < 4u; index++) {
        store_u8(address + index, value >> (8u * index));
    }
}
