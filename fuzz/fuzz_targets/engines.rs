//! Any bytes as a stream on both engines.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    targets::engines(input);
});
