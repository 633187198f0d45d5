//! Any words as a fragment program: decoded, written as text that gives the same words, and run on the reference.
#![no_main]

libfuzzer_sys::fuzz_target!(|words: Vec<u32>| {
    targets::fragment_microcode(&words);
});
