//! Bits of command words and registers that have no meaning: `docs/undefined-bits.md` says which the chip ignores, and which
//! it refuses.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use super::stream::{draws, reasons, replay, run, three_d, triangle};
use curie::capture::Record;
use curie::chip::Reason;
use curie::command::builder::{CaptureBuilder, StreamBuilder, THREE_D, handles};
use curie::command::methods::puller;
use curie::command::methods::three_d::{draw, program, rop, texture, vertex};
use curie::command::packet::CommandForm;
use curie::pipeline::{Draw, Elements, GpuCommand, VertexAttribute};

/// The last draw of a stream without anomalies.
fn drawn(write: impl Fn(&mut StreamBuilder)) -> Draw {
    let mut stream = three_d();
    write(&mut stream);
    let (chip, engine) = run(stream);
    assert!(chip.anomalies().is_empty(), "{:?}", reasons(&chip));
    (*draws(&engine).last().unwrap()).clone()
}

#[test]
fn the_page_has_every_form_of_command_words() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/undefined-bits.md");
    let page = std::fs::read_to_string(path).unwrap();
    for form in CommandForm::ALL {
        let ignored = !(form.mask | form.operands);
        let row = format!("| {} | {:#010x} | {:#010x} | {ignored:#010x} | ", form.name, form.mask, form.value);
        assert!(page.contains(&row), "docs/undefined-bits.md has no row that begins with {row}");
    }
}

#[test]
fn a_return_with_the_address_of_a_method_ends_the_push() {
    for word in [0x0002_0000, 0x0002_0050, 0x0002_0ffc, 0x0002_e000] {
        let mut builder = CaptureBuilder::new();
        let mut stream = three_d();
        triangle(&mut stream);
        let mut submission = stream.finish(3, 2);
        submission.pushes[0].words.extend([word, 0xffff_ffff]);
        builder.record(Record::Submit(submission));
        let (_, engine) = replay(&builder.finish()).unwrap();
        assert_eq!(draws(&engine).len(), 1, "{word:#x}");
    }
}

#[test]
fn the_highest_bit_of_a_texture_address_is_ignored() {
    let window = |offset| {
        let draw = drawn(|stream| {
            let state = [offset, 0x0001_a529, 0x0001_0302, 0x8000_8030, 0xaae4, 0x1206_3f80, 64 << 16 | 64, 0xff];
            stream.methods(THREE_D, texture::TEX_OFFSET, &state);
            stream.method(THREE_D, texture::TEX_SIZE1, 0x0010_0180);
            triangle(stream);
        });
        draw.textures[0].as_ref().unwrap().view.window
    };
    assert_eq!(window(0x8000_4000), window(0x4000));
    assert_ne!(window(0x4000_4000), window(0x4000));
}

#[test]
fn index_buffers_begin_at_a_multiple_of_the_index_size() {
    for (offset, format, expected) in [(0x403, 0x00, 0x400), (0x403, 0x10, 0x402), (0x401, 0x10, 0x400)] {
        let draw = drawn(|stream| {
            stream.methods(THREE_D, draw::IDXBUF_OFFSET, &[offset, format]);
            stream.method(THREE_D, draw::VERTEX_BEGIN_END, 5);
            stream.method(THREE_D, draw::VB_INDEX_BATCH, 2 << 24);
            stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
        });
        let Elements::Buffer { window, .. } = draw.elements else { panic!("an index buffer") };
        assert_eq!(window.start, expected, "{offset:#x} {format:#x}");
    }
}

#[test]
fn bit_3_of_a_vertex_type_is_ignored() {
    let array = |format| {
        let draw = drawn(|stream| {
            stream.method(THREE_D, vertex::VTXFMT, format);
            stream.method(THREE_D, program::VP_ATTRIB_EN, 1);
            triangle(stream);
        });
        let VertexAttribute::Array { format, stride, .. } = draw.input.attributes[0] else { panic!("an array") };
        (format, stride)
    };
    for code in 1..8 {
        let size = if code == 6 { 1 } else { 3 };
        assert_eq!(array(0x1000 | size << 4 | code), array(0x1008 | size << 4 | code), "{code}");
    }
}

#[test]
fn a_refused_write_keeps_what_was_there() {
    let mut stream = three_d();
    stream.methods(THREE_D, rop::COLOR_MASK, &[0x0001_0000]);
    stream.methods(THREE_D, rop::COLOR_MASK, &[0x0101_0103]);
    stream.methods(THREE_D, rop::DEPTH_TEST_ENABLE, &[2]);
    triangle(&mut stream);
    let (chip, engine) = run(stream);
    let refused: Vec<_> = reasons(&chip).into_iter().map(|(_, method, reason)| (method, reason)).collect();
    assert_eq!(refused, [(rop::COLOR_MASK, Reason::IllegalValue), (rop::DEPTH_TEST_ENABLE, Reason::IllegalValue)]);
    let [draw] = draws(&engine)[..] else { panic!("one draw") };
    assert_eq!((draw.rop.color_mask[0], draw.rop.depth_test), (0b0001, None));
}

/// The table of RPCS3's pull request 8246: four bytes are written, and nothing after an offset that is no multiple of four.
#[test]
fn a_release_after_an_unaligned_offset_writes_nothing() {
    let mut stream = three_d();
    stream.method(THREE_D, puller::DMA_SEMAPHORE, handles::VRAM);
    stream.method(THREE_D, puller::SEMAPHORE_OFFSET, 0x454);
    stream.method(THREE_D, puller::SEMAPHORE_RELEASE, 0x1234_567a);
    stream.method(THREE_D, puller::SEMAPHORE_OFFSET, 0x461);
    stream.method(THREE_D, puller::SEMAPHORE_RELEASE, 0x1234_567b);
    stream.method(THREE_D, puller::SEMAPHORE_OFFSET, 0x470);
    stream.method(THREE_D, puller::SEMAPHORE_RELEASE, 0x1234_567c);
    let (chip, engine) = run(stream);
    let written: Vec<_> = engine
        .work
        .iter()
        .filter_map(|command| match command {
            GpuCommand::WriteFence { window, value } if window.bytes > 0 => Some((window.start, window.bytes, *value)),
            _ => None,
        })
        .collect();
    assert_eq!(written, [(0x454, 4, 0x1234_567a), (0x470, 4, 0x1234_567c)]);
    let refused: Vec<_> = reasons(&chip).into_iter().map(|(_, method, reason)| (method, reason)).collect();
    assert_eq!(refused, [(puller::SEMAPHORE_OFFSET, Reason::IllegalValue)]);
}
