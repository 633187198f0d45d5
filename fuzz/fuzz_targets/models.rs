//! Any text as a machine file, whose models run over a stream.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    targets::models(text);
});
