//! Any bytes as the choices of a random Tesla program, which runs.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    targets::tesla_programs(input);
});
