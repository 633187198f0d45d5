//! What a client can read while a stream goes on: calculated contents, and the same on both engines.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use curie::capture::{Buffer, BufferUse, Capture, DOMAIN_GART, DOMAIN_VRAM, Record};
use curie::command::builder::{CaptureBuilder, StreamBuilder, handles};
use curie::command::methods::puller::{DMA_SEMAPHORE, SEMAPHORE_OFFSET, SEMAPHORE_RELEASE};
use curie::command::methods::three_d::sync::{DMA_QUERY, QUERY_GET};
use curie::kernels::{KernelOptions, Kernels};
use curie::memory::{MemorySpace, MemoryWindow, PAGE_BYTES};
use curie::pipeline::Engine;
use curie::reference::Reference;
use curie::replay::{Readback, ReplayOptions, replay};
use sha2::{Digest as _, Sha256};

use crate::common;

/// The notifier buffer of [`CaptureBuilder`], and two buffers at the start of their address spaces.
const NOTIFIER: u32 = 1;
const IN_VRAM: u32 = 100;
const IN_GART: u32 = 101;

/// The offset of the DMA object of reports in the notifier buffer.
const REPORTS: usize = 0x40;

/// The nanoseconds that a method takes.
const METHOD_NS: u8 = 10;

const fn buffer(handle: u32, domain: u32) -> Buffer {
    Buffer { handle, domain, tile_mode: 0, tile_flags: 0, bytes: PAGE_BYTES as u64, offset: 0 }
}

/// Three methods that write a word.
fn release(stream: &mut StreamBuilder, memory: u32, offset: u32, value: u32) {
    stream.methods(0, DMA_SEMAPHORE, &[memory, offset]).method(0, SEMAPHORE_RELEASE, value);
    assert_eq!(SEMAPHORE_OFFSET, DMA_SEMAPHORE + 4);
}

/// A submission that uses buffers, with their write domains.
fn submit(sequence: u32, stream: StreamBuilder, push_buffer: u32, uses: &[(u32, u32)]) -> Record {
    let mut submission = stream.finish(sequence, push_buffer);
    submission.buffers.extend(uses.iter().map(|&(handle, write_domains)| BufferUse {
        handle,
        read_domains: 0,
        write_domains,
        valid_domains: DOMAIN_VRAM | DOMAIN_GART,
        domain: DOMAIN_GART,
        offset: 0,
    }));
    Record::Submit(submission)
}

/// Submissions 5 to 8 with reads between them. The first writes a word that the second overwrites.
fn stream(first: u32) -> Capture {
    let mut builder = CaptureBuilder::new();
    let push_buffer = builder.push_buffer();
    let [in_vram, in_gart] = [buffer(IN_VRAM, DOMAIN_VRAM), buffer(IN_GART, DOMAIN_GART)];
    let prepare = |handle| Record::Prepare { handle, flags: 0 };
    let [mut one, mut two, mut three] = [(); 3].map(|()| StreamBuilder::new());
    release(&mut one, handles::GART, 8, first);
    release(&mut two, handles::GART, 8, 2);
    release(&mut two, handles::VRAM, 4, 3);
    three.bind(0, 0x4097, handles::object(0x4097)).method(0, DMA_QUERY, handles::QUERY).method(0, QUERY_GET, 1 << 24);
    let records = [
        Record::CreateBuffer(in_vram),
        Record::CreateBuffer(in_gart),
        prepare(IN_VRAM),
        submit(5, one, push_buffer, &[(IN_GART, DOMAIN_GART)]),
        submit(6, two, push_buffer, &[(IN_VRAM, DOMAIN_VRAM), (IN_GART, DOMAIN_GART)]),
        prepare(IN_GART),
        prepare(IN_VRAM),
        prepare(IN_VRAM),
        submit(7, three, push_buffer, &[(IN_VRAM, 0)]),
        prepare(IN_VRAM),
        submit(8, StreamBuilder::new(), push_buffer, &[(IN_VRAM, DOMAIN_VRAM)]),
        Record::DestroyBuffer { handle: IN_VRAM },
        Record::CreateBuffer(in_vram),
        prepare(IN_VRAM),
        prepare(NOTIFIER),
    ];
    for record in records {
        builder.record(record);
    }
    builder.finish()
}

/// The page that is zero but for some bytes.
fn page(offset: usize, bytes: &[u8]) -> [u8; 32] {
    let mut page = vec![0; PAGE_BYTES as usize];
    page[offset..offset + bytes.len()].copy_from_slice(bytes);
    Sha256::digest(page).into()
}

/// What the client of [`stream`] reads.
fn expected(first: u8) -> Vec<Readback> {
    // The query is the twelfth method. Its report begins with the time; nothing was drawn.
    let report = page(REPORTS, &[12 * METHOD_NS]);
    let rows = [
        (5, IN_GART, page(8, &[first])),
        (6, IN_GART, page(8, &[2])),
        (6, IN_VRAM, page(4, &[3])),
        (7, NOTIFIER, report),
        (8, NOTIFIER, report),
    ];
    let numbered = (0..).zip(rows);
    let readback =
        |(number, (submission, buffer, digest))| Readback { number, submission, buffer, bytes: PAGE_BYTES, digest };
    numbered.map(readback).collect()
}

fn play(capture: &Capture, engine: &mut dyn Engine) -> Vec<Readback> {
    let options = ReplayOptions { readbacks: true, strict: true, ..ReplayOptions::default() };
    replay(capture, engine, &options, &mut |_, _| {}).unwrap().readbacks
}

fn reference(capture: &Capture) -> Reference {
    Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap()
}

fn kernels(capture: &Capture) -> Option<Kernels> {
    let (gpu, header) = (common::gpu()?, capture.header);
    Some(Kernels::new(gpu, KernelOptions::default(), header.vram_bytes, header.gart_bytes).unwrap())
}

/// Describes the first readback that differs.
fn difference(expected: &[Readback], actual: &[Readback]) -> Option<String> {
    let number = (0..expected.len().max(actual.len())).find(|&number| expected.get(number) != actual.get(number))?;
    let line = |readbacks: &[Readback]| readbacks.get(number).map_or("nothing".to_owned(), Readback::hash_line);
    Some(format!("{} instead of {}", line(actual), line(expected)))
}

#[test]
fn each_content_that_a_client_can_read_is_hashed_once() {
    let capture = stream(1);
    assert_eq!(difference(&expected(1), &play(&capture, &mut reference(&capture))), None);
    if let Some(mut kernels) = kernels(&capture) {
        assert_eq!(difference(&expected(1), &play(&capture, &mut kernels)), None);
    }
    let plain = replay(&capture, &mut reference(&capture), &ReplayOptions::default(), &mut |_, _| {}).unwrap();
    assert_eq!(plain.readbacks, []);
}

#[test]
fn a_difference_that_the_end_does_not_show_is_found() {
    let contents = [1, 9].map(|first| {
        let capture = stream(first);
        let mut engine = reference(&capture);
        let readbacks = play(&capture, &mut engine);
        let memory = MemorySpace::ALL.map(|space| {
            let mut bytes = vec![0; engine.memory_extent(space) as usize];
            engine.read_memory(MemoryWindow { space, start: 0, bytes: u32::MAX }, &mut bytes).unwrap();
            bytes
        });
        (readbacks, memory)
    });
    let [(one, memory), (nine, memory_of_nine)] = &contents;
    assert!(memory == memory_of_nine);
    assert!(difference(one, nine).unwrap().starts_with("readback 0 submission 5 buffer 101 4096 bytes sha256:"));
    assert_eq!(difference(&one[1..], &nine[1..]), None);
    assert!(difference(one, &one[1..]).is_some());
    assert!(difference(&one[..4], one).unwrap().ends_with(" instead of nothing"));
}

#[test]
fn captures_read_the_same_on_both_engines() {
    for name in ["copy", "query", "multiframe"] {
        let path = format!("{}/scenes/captures/{name}.nvcap", env!("CARGO_MANIFEST_DIR"));
        let capture = Capture::open(path).unwrap();
        let expected = play(&capture, &mut reference(&capture));
        assert!(!expected.is_empty(), "{name}");
        let Some(mut kernels) = kernels(&capture) else { return };
        assert_eq!(difference(&expected, &play(&capture, &mut kernels)), None, "{name}");
    }
}
