//! Any bytes as a statistics file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    targets::statistics(bytes);
});
