//! Any text as PTX: compiled to instructions that the target has, or errors that can be printed.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    targets::ptx(text);
});
