//! Memory that a program and the chip share: who sees what when.

use curie::capture::{Buffer, BufferUse, Capture, DOMAIN_GART, DOMAIN_VRAM, Record, Submission};
use curie::command::builder::{CaptureBuilder, StreamBuilder, THREE_D, handles};
use curie::command::methods::three_d::sync;
use curie::memory::PAGE_BYTES;

use super::on_reference;
use crate::common::live::{Client, Emulator, Replay, capture};

/// A buffer of the tests; those of the builder have small numbers.
pub(super) const SHARED: u32 = 100;

/// The notifier buffer of the builder.
const NOTIFIER: u32 = 1;

/// The push buffer of the builder.
const PUSH_BUFFER: u32 = 2;

/// A page at the start of an address space, where fences reach it.
pub(super) fn page(domain: u32) -> Buffer {
    Buffer { handle: SHARED, domain, tile_mode: 0, tile_flags: 0, bytes: PAGE_BYTES.into(), offset: 0 }
}

/// A program that has a channel and a mapped page.
pub(super) fn program(emulator: &Emulator, domain: u32) -> Client {
    let mut client = emulator.connect();
    client.play(&CaptureBuilder::new().finish().records, &mut |_, _, _| {});
    client.create(&page(domain), true);
    client
}

/// A submission with the shared page, in which the chip writes words to it, then its number as the fence.
pub(super) fn submission(sequence: u32, domain: u32, writes: &[(u32, u32)]) -> Record {
    let mut stream = StreamBuilder::new();
    stream.bind_three_d();
    let whole = if domain == DOMAIN_VRAM { handles::VRAM } else { handles::GART };
    stream.method(THREE_D, sync::DMA_FENCE, whole);
    for &(offset, word) in writes {
        stream.methods(THREE_D, sync::FENCE_OFFSET, &[offset, word]);
    }
    stream.method(THREE_D, sync::DMA_FENCE, handles::FENCE);
    stream.methods(THREE_D, sync::FENCE_OFFSET, &[0, sequence]);
    let used = BufferUse {
        handle: SHARED,
        read_domains: domain,
        write_domains: domain,
        valid_domains: domain,
        domain,
        offset: 0,
    };
    Record::Submit(Submission { buffers: vec![used], ..stream.finish(sequence, PUSH_BUFFER) })
}

/// Submits and waits for the fence, without a message.
fn run(client: &mut Client, sequence: u32, domain: u32, writes: &[(u32, u32)]) {
    client.play(&[submission(sequence, domain, writes)], &mut |_, _, _| {});
    client.wait_until("the fence", |client| client.word(NOTIFIER, 0) == sequence);
}

/// The words of the page at the offsets of fences.
fn words(content: &[u8]) -> [u32; 4] {
    [0x00, 0x10, 0x20, 0x30].map(|at| u32::from_le_bytes(content[at..at + 4].try_into().unwrap()))
}

/// Ends the program; the replay of its recording ends with these words in the page.
fn check_recording(client: Client, emulator: &Emulator, expected: [u32; 4]) -> Capture {
    drop(client);
    let ended = emulator.closed().unwrap();
    assert_eq!((ended.failures, ended.outcome.anomalies), (Vec::new(), Vec::new()));
    let recording = Capture::open(ended.recording.unwrap().path).unwrap();
    let content = Replay::new(&recording).content(recording.records.len(), SHARED);
    assert_eq!(words(&content), expected);
    recording
}

/// The bytes that a recording says the program wrote to the page: offset and bytes.
fn writes(recording: &Capture) -> Vec<(u32, &[u8])> {
    let writes = recording.records.iter().filter_map(|record| match record {
        Record::Write { handle: SHARED, offset, bytes } => Some((*offset, &bytes[..])),
        _ => None,
    });
    writes.collect()
}

#[test]
fn a_word_that_is_not_submitted_survives_the_chips_words() {
    let emulator = on_reference(Some("words.nvcap"));
    let mut client = program(&emulator, DOMAIN_VRAM);
    for (offset, word) in [(0x10, 1), (0x20, 2), (0x30, 3)] {
        client.set_word(SHARED, offset, word);
    }
    run(&mut client, 1, DOMAIN_VRAM, &[(0x10, 0x11), (0x20, 0x22)]);
    // Video memory comes when the program asks.
    assert_eq!(words(&client.content(SHARED)), [0, 1, 2, 3]);
    // Both wrote the word at 0x20, the program alone that at 0x30.
    client.set_word(SHARED, 0x20, 0x99);
    client.set_word(SHARED, 0x30, 0x77);
    client.prepare(SHARED, 0);
    assert_eq!(words(&client.content(SHARED)), [0, 0x11, 0x99, 0x77]);
    run(&mut client, 2, DOMAIN_VRAM, &[(0, 5)]);
    client.prepare(SHARED, 0);
    assert_eq!(words(&client.content(SHARED)), [5, 0x11, 0x99, 0x77]);
    let recording = check_recording(client, &emulator, [5, 0x11, 0x99, 0x77]);
    // Words that are near each other are one write, with the zeros between them.
    let spread = |words: &[u8]| words.iter().flat_map(|word| [[*word, 0, 0, 0], [0; 4], [0; 4], [0; 4]]).collect();
    let [first, second]: [Vec<[u8; 4]>; 2] = [spread(&[1, 2, 3]), spread(&[0x99, 0x77])];
    let (first, second) = (first.concat(), second.concat());
    assert_eq!(writes(&recording), [(0x10, &first[..36]), (0x20, &second[..20])]);
}

#[test]
fn a_word_between_the_programs_words_stays_the_chips() {
    let emulator = on_reference(Some("between.nvcap"));
    let mut client = program(&emulator, DOMAIN_VRAM);
    run(&mut client, 1, DOMAIN_VRAM, &[(0x10, 0x11)]);
    // Nobody asked for the chip's word, so the program's memory still holds zero between its own words.
    client.set_word(SHARED, 0, 8);
    client.set_word(SHARED, 0x20, 9);
    run(&mut client, 2, DOMAIN_VRAM, &[(0x30, 0x33)]);
    client.prepare(SHARED, 0);
    assert_eq!(words(&client.content(SHARED)), [8, 0x11, 9, 0x33]);
    let recording = check_recording(client, &emulator, [8, 0x11, 9, 0x33]);
    assert_eq!(writes(&recording), [(0, &[8, 0, 0, 0][..]), (0x20, &[9, 0, 0, 0])]);
}

#[test]
fn system_memory_is_there_once_the_fence_is() {
    let emulator = on_reference(Some("gart.nvcap"));
    let mut client = program(&emulator, DOMAIN_GART);
    client.set_word(SHARED, 0, 7);
    for number in 1..20 {
        run(&mut client, number, DOMAIN_GART, &[(0x10, number * 3), (0x20, 22)]);
        assert_eq!(words(&client.content(SHARED)), [7, number * 3, 22, 0]);
    }
    check_recording(client, &emulator, [7, 57, 22, 0]);
}

#[test]
fn a_buffer_that_moves_keeps_its_content() {
    let emulator = on_reference(Some("move.nvcap"));
    let mut client = program(&emulator, DOMAIN_GART);
    client.set_word(SHARED, 0, 5);
    run(&mut client, 1, DOMAIN_GART, &[(0x10, 0x11)]);
    // Not submitted yet when the buffer moves.
    client.set_word(SHARED, 0x20, 7);
    client.play(&[Record::MoveBuffer(page(DOMAIN_VRAM))], &mut |_, _, _| {});
    client.prepare(SHARED, 0);
    assert_eq!(words(&client.content(SHARED)), [5, 0x11, 7, 0]);
    run(&mut client, 2, DOMAIN_VRAM, &[(0x30, 0x33)]);
    client.prepare(SHARED, 0);
    assert_eq!(words(&client.content(SHARED)), [5, 0x11, 7, 0x33]);
    check_recording(client, &emulator, [5, 0x11, 7, 0x33]);
}

#[test]
fn memory_that_is_shared_late_shows_what_the_chip_wrote() {
    for domain in [DOMAIN_VRAM, DOMAIN_GART] {
        let emulator = on_reference(Some("late.nvcap"));
        let mut client = emulator.connect();
        client.play(&CaptureBuilder::new().finish().records, &mut |_, _, _| {});
        client.create(&page(domain), false);
        run(&mut client, 1, domain, &[(0x10, 0x11)]);
        client.share(SHARED);
        assert_eq!(words(&client.content(SHARED)), [0; 4]);
        client.prepare(SHARED, 0);
        assert_eq!(words(&client.content(SHARED)), [0, 0x11, 0, 0]);
        check_recording(client, &emulator, [0, 0x11, 0, 0]);
    }
}

#[test]
fn fences_of_a_driver_appear_without_being_asked_for() {
    for name in ["textri", "query"] {
        let capture = capture(name);
        let last = capture.records.iter().rposition(|record| matches!(record, Record::Submit(_))).unwrap();
        let gone = |record: &Record| matches!(record, Record::DestroyBuffer { handle: NOTIFIER });
        let end = capture.records.iter().position(gone).unwrap();
        let mut expected = Replay::new(&capture);
        let first = expected.content(last, NOTIFIER);
        let expected = expected.content(end, NOTIFIER);
        assert!(first != expected && expected != vec![0; expected.len()], "the last submission has no fence");
        let emulator = on_reference(None);
        let mut client = emulator.connect();
        client.play(&capture.records[..end], &mut |_, _, _| {});
        client.wait_until("the last fence", |client| client.content(NOTIFIER) == expected);
    }
}
