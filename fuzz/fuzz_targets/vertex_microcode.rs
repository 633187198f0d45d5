//! Any words as a vertex program: decoded, written as text, split into blocks and run on the reference.
#![no_main]

libfuzzer_sys::fuzz_target!(|words: Vec<[u32; 4]>| {
    targets::vertex_microcode(&words);
});
