//! Any vertices and state of setup and rasterizer.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    targets::rasterizer(input);
});
