//! Any bytes as a capture file: read, written back, and listed, which applies it to a chip over plain memory.
#![no_main]

use curie::capture::{Capture, Header};
use curie::listing::list_capture;

/// Keeps guest memory small, so that the fuzzer's memory limit is about the front end.
const SPACE_BYTES: u64 = 1 << 24;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(mut capture) = Capture::read(bytes) else { return };
    let again = Capture::read(&capture.write()).expect("what was read can be read again");
    assert_eq!((again.header, &again.records), (capture.header, &capture.records));
    let Header { vram_bytes, gart_bytes, .. } = capture.header;
    (capture.header.vram_bytes, capture.header.gart_bytes) = (vram_bytes.min(SPACE_BYTES), gart_bytes.min(SPACE_BYTES));
    list_capture(&capture, &mut std::io::sink()).expect("nothing but writing fails");
});
