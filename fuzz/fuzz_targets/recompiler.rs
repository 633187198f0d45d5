//! Any programs and state as kernels.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    targets::recompiler(input);
});
