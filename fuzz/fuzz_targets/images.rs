//! Any bytes as a stream of copies and images on both engines.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    targets::images(input);
});
