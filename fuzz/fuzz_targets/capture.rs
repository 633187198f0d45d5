//! Any bytes as a capture file: read, written back, and listed, which applies it to a chip over plain memory.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    targets::capture(bytes);
});
