//! Any text in the language of PICA200 shaders: assembled, written as a file, listed and assembled again.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    targets::pica_assembly(text);
});
