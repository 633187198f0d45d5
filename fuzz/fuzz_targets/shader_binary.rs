//! Any bytes as a shader binary: read, decoded, written and read again.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    targets::shader_binary(bytes);
});
