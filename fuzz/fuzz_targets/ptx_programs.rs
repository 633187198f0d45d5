//! Any text as PTX whose kernels run.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    targets::ptx_programs(text);
});
