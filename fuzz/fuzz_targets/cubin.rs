//! Any text as cubin text: read, written and read again.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    targets::cubin(text);
});
