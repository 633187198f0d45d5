//! Any text in the language of the Tesla processor: assembled, listed and assembled again.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    targets::tesla_assembly(text);
});
