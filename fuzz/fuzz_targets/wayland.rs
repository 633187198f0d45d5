//! Any bytes as the requests of a Wayland program, beside one that behaves.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    targets::wayland(input);
});
