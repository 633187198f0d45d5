// Reads the source of a transfer from guest memory that does not overlap the destination.
import package::memory::write::{load_u8, load_u32};

// A byte of the source.
fn load_source_u8(address: u32) -> u32 {
    return load_u8(address);
}

// Four bytes of the source.
fn load_source_u32(address: u32) -> u32 {
    return load_u32(address);
}
