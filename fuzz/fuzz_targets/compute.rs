//! Any bytes as a compute launch on both engines.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    targets::compute(input);
});
