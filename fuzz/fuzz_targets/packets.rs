//! Any words as a submission on a channel with all objects bound: listed, and applied to a chip.
#![no_main]

libfuzzer_sys::fuzz_target!(|words: Vec<u32>| {
    targets::packets(&words);
});
