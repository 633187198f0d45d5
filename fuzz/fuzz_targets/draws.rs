//! Any bytes as a capture that the reference plays.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    targets::draws(bytes);
});
