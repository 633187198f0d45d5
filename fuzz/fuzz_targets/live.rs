//! Any bytes as what a live program sends, beside one that behaves.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    targets::live(input);
});
