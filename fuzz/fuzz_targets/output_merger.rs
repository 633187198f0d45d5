//! Any quads and state of the output merger.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    targets::output_merger(input);
});
