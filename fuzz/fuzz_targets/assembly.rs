//! Any text as a program: assembled, decoded, listed and assembled again.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    targets::assembly(text);
});
