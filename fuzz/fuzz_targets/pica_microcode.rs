//! Any words as a PICA200 program and its operand descriptors: decoded, written as text, encoded and decoded again.
#![no_main]

libfuzzer_sys::fuzz_target!(|words: (Vec<u32>, Vec<u32>)| {
    targets::pica_microcode(&words.0, &words.1);
});
