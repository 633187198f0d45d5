//! Any words as a vertex program of NV20: decoded, encoded again, written as text, and run on the reference.
#![no_main]

libfuzzer_sys::fuzz_target!(|words: Vec<[u32; 4]>| {
    targets::nv20_vertex_microcode(&words);
});
