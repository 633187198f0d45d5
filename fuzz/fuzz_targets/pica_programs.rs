//! Any words as a PICA200 program and its operand descriptors, which runs.
#![no_main]

libfuzzer_sys::fuzz_target!(|words: (Vec<u32>, Vec<u32>)| {
    targets::pica_programs(&words.0, &words.1);
});
