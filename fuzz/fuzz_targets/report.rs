//! Any bytes as a statistics file, of which reports are made.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    targets::report(bytes);
});
