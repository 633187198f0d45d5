//! Any bytes as a program that Cg compiled: read, listed and read again.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    targets::cg_program(bytes);
});
