//! Any text as a program for NV20: assembled, decoded, listed and assembled again.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    targets::nv20_assembly(text);
});
