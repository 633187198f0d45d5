//! Any words as a submission on a channel with all objects bound.
#![no_main]

libfuzzer_sys::fuzz_target!(|words: Vec<u32>| {
    targets::packets(words);
});
