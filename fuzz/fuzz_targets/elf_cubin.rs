//! Any bytes as an ELF cubin: read, listed and assembled again.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    targets::elf_cubin(bytes);
});
