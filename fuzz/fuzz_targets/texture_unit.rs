//! Any texture state, memory and coordinates.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    targets::texture_unit(input);
});
