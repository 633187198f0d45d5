//! Any text as a scene beside the files of `scenes/phong`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    targets::scene(text, std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../scenes/phong")));
});
