// Loads and stores of the lanes of a warp; the twin of `src/reference/compute/access_memory.rs`.
//
// Of several lanes that store to an address, the highest one's value stays. Each lane first stores at once with the others
// and looks at what is left; if a value was lost, the lanes store again in their order.
import package::arith::tesla_integer::tesla_extended;
import package::compute::ballot::{lane, ballot};
import package::compute::block::compute_shared;
import package::compute::parameters::{compute_parameters, compute_tables};
import package::compute::warp::launch_passes;

// Global memory, then the results of vertices and fragments.
@group(0) @binding(45) var<storage, read_write> compute_memory: array<atomic<u32>>;

// Whether a buffer holds the bytes of an aligned access. Buffers begin at multiples of a page.
fn global_memory_has(address: u32, bytes: u32) -> bool {
    let page = (address - compute_parameters.memory_start) >> 8u;
    let is_inside = page < compute_parameters.memory_pages;
    let held = compute_tables[select(0u, page, is_inside)] & 0x1ffu;
    return is_inside & ((address & 255u) + bytes <= held);
}

// The same for a global space that is a part of memory.
fn global_space_has(address: u32, bytes: u32, number: u32) -> bool {
    let space = compute_parameters.globals[number];
    let last = address + (bytes - 1u);
    let place = space.x + address;
    return (last >= address) & (last <= space.y) & (place >= address) & global_memory_has(place, bytes);
}

// Where the word of an access is. In sparse memory, the table has the number of its page above the bytes in it.
fn global_word(address: u32) -> u32 {
    let word = (address - compute_parameters.memory_start) >> 2u;
    if !IS_SPARSE {
        return word;
    }
    let page = min(word >> 6u, compute_parameters.memory_pages);
    return ((compute_tables[page] >> 9u) << 6u) | (word & 63u);
}

// Whether a space of this size holds the bytes of an aligned access.
fn space_has(address: u32, bytes: u32, size: u32) -> bool {
    return (address < size) & (address + bytes <= size);
}

// The bits of a value smaller than a word, in the word.
fn bits_in_word(address: u32, bytes: u32) -> u32 {
    return select(0xffffu, 0xffu, bytes == 1u) << ((address & 3u) * 8u);
}

// A value smaller than a word, extended to one.
fn value_in_word(word: u32, address: u32, bytes: u32, is_signed: bool) -> u32 {
    return tesla_extended(word >> ((address & 3u) * 8u), bytes * 8u, is_signed);
}

// The word after a store of a value smaller than one.
fn word_with(word: u32, address: u32, bytes: u32, value: u32) -> u32 {
    let bits = bits_in_word(address, bytes);
    return (word & ~bits) | ((value << ((address & 3u) * 8u)) & bits);
}

fn write_global_part(address: u32, bytes: u32, value: u32) {
    let bits = bits_in_word(address, bytes);
    let word = global_word(address);
    atomicAnd(&compute_memory[word], ~bits);
    atomicOr(&compute_memory[word], (value << ((address & 3u) * 8u)) & bits);
}

fn write_global_words(address: u32, count: u32, value: vec4u) {
    let word = global_word(address);
    atomicStore(&compute_memory[word], value.x);
    if count > 1u {
        atomicStore(&compute_memory[word + 1u], value.y);
    }
    if count > 2u {
        atomicStore(&compute_memory[word + 2u], value.z);
        atomicStore(&compute_memory[word + 3u], value.w);
    }
}

fn store_global_part(address: u32, bytes: u32, value: u32, is_stored: bool) {
    if is_stored {
        write_global_part(address, bytes, value);
    }
    storageBarrier();
    var is_lost = false;
    if is_stored {
        let found = atomicLoad(&compute_memory[global_word(address)]);
        is_lost = found != word_with(found, address, bytes, value);
    }
    if ballot(is_lost) != 0u {
        for (var turn = 0u; turn < 32u; turn += 1u) {
            if is_stored & (turn == lane) {
                write_global_part(address, bytes, value);
            }
            storageBarrier();
        }
        launch_passes += 32u;
    }
}

fn store_global_words(address: u32, count: u32, value: vec4u, is_stored: bool) {
    if is_stored {
        write_global_words(address, count, value);
    }
    storageBarrier();
    var is_lost = false;
    if is_stored {
        let word = global_word(address);
        is_lost = atomicLoad(&compute_memory[word]) != value.x;
        if count > 1u {
            is_lost |= atomicLoad(&compute_memory[word + 1u]) != value.y;
        }
        if count > 2u {
            is_lost |= atomicLoad(&compute_memory[word + 2u]) != value.z;
            is_lost |= atomicLoad(&compute_memory[word + 3u]) != value.w;
        }
    }
    if ballot(is_lost) != 0u {
        for (var turn = 0u; turn < 32u; turn += 1u) {
            if is_stored & (turn == lane) {
                write_global_words(address, count, value);
            }
            storageBarrier();
        }
        launch_passes += 32u;
    }
}

fn write_shared_part(address: u32, bytes: u32, value: u32) {
    let bits = bits_in_word(address, bytes);
    atomicAnd(&compute_shared[address >> 2u], ~bits);
    atomicOr(&compute_shared[address >> 2u], (value << ((address & 3u) * 8u)) & bits);
}

fn store_shared_part(address: u32, bytes: u32, value: u32, is_stored: bool) {
    if is_stored {
        write_shared_part(address, bytes, value);
    }
    workgroupBarrier();
    var is_lost = false;
    if is_stored {
        let found = atomicLoad(&compute_shared[address >> 2u]);
        is_lost = found != word_with(found, address, bytes, value);
    }
    if ballot(is_lost) != 0u {
        for (var turn = 0u; turn < 32u; turn += 1u) {
            if is_stored & (turn == lane) {
                write_shared_part(address, bytes, value);
            }
            workgroupBarrier();
        }
        launch_passes += 32u;
    }
}

fn write_shared_word(address: u32, value: u32) {
    atomicStore(&compute_shared[address >> 2u], value);
}

fn store_shared_word(address: u32, value: u32, is_stored: bool) {
    if is_stored {
        write_shared_word(address, value);
    }
    workgroupBarrier();
    var is_lost = false;
    if is_stored {
        is_lost = atomicLoad(&compute_shared[address >> 2u]) != value;
    }
    if ballot(is_lost) != 0u {
        for (var turn = 0u; turn < 32u; turn += 1u) {
            if is_stored & (turn == lane) {
                write_shared_word(address, value);
            }
            workgroupBarrier();
        }
        launch_passes += 32u;
    }
}
