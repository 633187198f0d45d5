//! Any words as a submission on a channel with all objects bound.
#![no_main]

use curie::capture::Record;
use curie::command::builder::{CaptureBuilder, StreamBuilder, handles};
use curie::command::methods::CLASSES;
use curie::listing::list_capture;
use curie::memory::MemorySpace;

libfuzzer_sys::fuzz_target!(|words: Vec<u32>| {
    let mut builder = CaptureBuilder::new();
    builder.buffer(MemorySpace::Vram, 1 << 16);
    let mut stream = StreamBuilder::new();
    for (subchannel, table) in (1u8..).zip(CLASSES) {
        stream.bind(subchannel, table.class, handles::object(table.class));
    }
    builder.submit(stream);
    let mut submission = StreamBuilder::new().finish(1, builder.push_buffer());
    submission.pushes[0].words = words;
    builder.record(Record::Submit(submission));
    list_capture(&builder.finish(), &mut std::io::sink()).expect("nothing but writing fails");
});
