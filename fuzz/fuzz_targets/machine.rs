//! Any text as a machine file.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    targets::machine(text);
});
