//! Any text as the inputs of a program.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    targets::program_inputs(text);
});
