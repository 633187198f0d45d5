//! Any text as an argument, a texture or a table of a launch.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    targets::launch_arguments(text);
});
