//! Buffers that a program has exported: a display server and other programs find their content after everything that was sent
//! before.

use std::fs::File;
use std::ops::Range;
use std::os::fd::AsFd as _;
use std::sync::mpsc::channel;
use std::time::Duration;

use curie::capture::{Buffer, BufferUse, Capture, DOMAIN_GART, DOMAIN_VRAM, Record};
use curie::command::builder::CaptureBuilder;
use curie::live::{FileIdentity, LiveOptions};
use curie_client::clock::nanoseconds;
use curie_client::protocol::{DONE, EXPORT, IMPORT, IMPORTED, Imported, SENT, message, words};

use super::memory::{SHARED, page, program, submission};
use super::{on_reference, reference};
use crate::common::live::{Client, Emulator, Replay, capture, memory, record_message};

/// Exports a buffer of the program as a file.
fn export_as(client: &Client, handle: u32, file: &File) {
    client.send_with(&message(EXPORT, &words(&[handle, 3, 0x40])), file.as_fd());
    assert_eq!(client.receive(), (DONE, words(&[handle])));
}

/// Exports a buffer of the program as a new file.
fn export(client: &Client, handle: u32) -> File {
    let file = memory(4096);
    export_as(client, handle, &file);
    file
}

/// Asks and waits; `None` if no session answers.
fn ask(emulator: &Emulator, file: &File, range: Range<u64>) -> Option<Vec<u8>> {
    let (send, received) = channel();
    emulator.exports.request(FileIdentity::of(file).unwrap(), range, move |content| send.send(content).unwrap());
    received.recv_timeout(Duration::from_secs(120)).ok()
}

/// The word in which the tests' submissions write their number.
fn word(emulator: &Emulator, file: &File) -> Option<u32> {
    Some(u32::from_le_bytes(ask(emulator, file, 0x10..0x14)?.try_into().unwrap()))
}

#[test]
fn what_was_sent_before_is_done_first() {
    let emulator = on_reference(None);
    // Another program, and one without a chip yet, which have nothing to do with it.
    let _idle = program(&emulator, DOMAIN_VRAM);
    let _silent = emulator.socket();
    let mut client = program(&emulator, DOMAIN_VRAM);
    let file = export(&client, SHARED);
    assert_eq!(word(&emulator, &file), Some(0));
    for round in 1..=20 {
        for step in 1..=20 {
            let number = round * 100 + step;
            client.play(&[submission(number, DOMAIN_VRAM, &[(0x10, number)])], &mut |_, _, _| {});
        }
        // The session is still busy, or asleep.
        if round % 5 == 0 {
            client.wait_until("the fence", |client| client.word(1, 0) == round * 100 + 20);
        }
        assert_eq!(word(&emulator, &file), Some(round * 100 + 20));
    }
    // What the program wrote itself is there without a submission.
    client.set_word(SHARED, 0x10, 7);
    assert_eq!(word(&emulator, &file), Some(7));
    // A frame is shown although its program frees the buffer at once.
    client.send(&record_message(&Record::DestroyBuffer { handle: SHARED }));
    assert_eq!(word(&emulator, &file), Some(7));
    client.prepare(1, 0);
    assert_eq!(word(&emulator, &file), Some(7));
    drop(client);
    assert_eq!(emulator.closed().unwrap().failures, Vec::<String>::new());
    assert_eq!(word(&emulator, &file), None);
}

#[test]
fn a_buffer_that_is_never_mapped_has_a_name() {
    let emulator = on_reference(None);
    let mut client = emulator.connect();
    client.play(&CaptureBuilder::new().finish().records, &mut |_, _, _| {});
    client.create(&page(DOMAIN_VRAM), false);
    let first = export(&client, SHARED);
    let second = export(&client, SHARED);
    client.play(&[submission(1, DOMAIN_VRAM, &[(0x10, 9)])], &mut |_, _, _| {});
    assert_eq!((word(&emulator, &first), word(&emulator, &second)), (None, Some(9)));
    // Another buffer takes the name, and keeps it when the first goes.
    client.create(&Buffer { handle: 101, offset: 0x10_0000, ..page(DOMAIN_VRAM) }, false);
    export_as(&client, 101, &second);
    client.send(&record_message(&Record::DestroyBuffer { handle: SHARED }));
    assert_eq!(word(&emulator, &second), Some(0));
}

#[test]
fn nothing_beyond_a_buffer_is_given_away() {
    let emulator = on_reference(None);
    let client = program(&emulator, DOMAIN_VRAM);
    let file = export(&client, SHARED);
    assert_eq!(ask(&emulator, &file, 4092..4096).unwrap(), [0; 4]);
    #[expect(clippy::reversed_empty_ranges, reason = "a range that no program should ask for")]
    let ranges = [4092..4097, 5000..5004, 8..4, 0..u64::MAX, u64::MAX - 4..u64::MAX];
    for range in ranges {
        assert_eq!(ask(&emulator, &file, range.clone()), None, "{range:?}");
    }
    assert_eq!(ask(&emulator, &memory(4096), 0..4), None);
    // Requests without sessions, and after them.
    drop(client);
    emulator.closed();
    assert_eq!(ask(&emulator, &file, 0..4), None);
}

/// The payload that answers an import as this buffer.
fn ask_import(client: &Client, handle: u32, file: &File) -> Vec<u8> {
    client.send_with(&message(IMPORT, &words(&[handle])), file.as_fd());
    let (tag, payload) = client.receive();
    assert_eq!(tag, IMPORTED);
    payload
}

/// A program that has imported a page of another one, and mapped it.
fn importer(emulator: &Emulator, file: &File, domain: u32) -> Client {
    let mut client = emulator.connect();
    client.play(&CaptureBuilder::new().finish().records, &mut |_, _, _| {});
    assert!(Imported::decode(&ask_import(&client, SHARED, file)).is_some());
    client.create(&page(domain), true);
    client
}

/// The word at an offset of the page, once the program has waited for the chip.
fn waited_word(client: &mut Client, offset: u32) -> u32 {
    client.send(&message(SENT, &nanoseconds().to_le_bytes()));
    client.prepare(SHARED, 0);
    client.word(SHARED, offset)
}

fn submit(client: &mut Client, number: u32, domain: u32, offset: u32, word: u32) {
    client.send(&message(SENT, &nanoseconds().to_le_bytes()));
    client.play(&[submission(number, domain, &[(offset, word)])], &mut |_, _, _| {});
}

#[test]
fn an_importer_learns_what_the_exporter_created() {
    let emulator = on_reference(None);
    let exporter = program(&emulator, DOMAIN_VRAM);
    let file = export(&exporter, SHARED);
    let other = emulator.connect();
    let expected = Imported { place: DOMAIN_VRAM, tile_flags: 3, tile_mode: 0x40, bytes: 4096 };
    assert_eq!(ask_import(&other, 7, &file), expected.encode());
    assert_eq!(ask_import(&other, 7, &memory(4096)), [0; 0]);
    drop(exporter);
    emulator.closed();
    assert_eq!(ask_import(&other, 7, &file), [0; 0], "nobody has it");
}

#[test]
fn programs_see_what_the_others_have_sent_before() {
    for domain in [DOMAIN_VRAM, DOMAIN_GART] {
        let emulator = on_reference(None);
        let mut exporter = program(&emulator, DOMAIN_VRAM);
        submit(&mut exporter, 1, DOMAIN_VRAM, 0x30, 99);
        let file = export(&exporter, SHARED);
        let mut first = importer(&emulator, &file, domain);
        let mut second = importer(&emulator, &file, DOMAIN_VRAM);
        assert_eq!((waited_word(&mut first, 0x30), waited_word(&mut second, 0x30)), (99, 99));
        for round in 2..20 {
            // The session is busy with many submissions when the others ask.
            for step in 0..20 {
                submit(&mut exporter, round, DOMAIN_VRAM, 0x10, round * 100 + step);
            }
            assert_eq!(waited_word(&mut first, 0x10), round * 100 + 19);
            submit(&mut first, round, domain, 0x20, round);
            assert_eq!((waited_word(&mut second, 0x10), waited_word(&mut second, 0x20)), (round * 100 + 19, round));
            assert_eq!((waited_word(&mut exporter, 0x20), waited_word(&mut exporter, 0x30)), (round, 99));
            assert_eq!(word(&emulator, &file), Some(round * 100 + 19));
        }
        // What a program writes itself is the content, too.
        exporter.set_word(SHARED, 0x10, 5);
        submit(&mut exporter, 20, DOMAIN_VRAM, 0, 0);
        assert_eq!(waited_word(&mut second, 0x10), 5);
        drop((exporter, first, second));
        for _ in 0..3 {
            let ended = emulator.closed().unwrap();
            assert_eq!((ended.failures, ended.outcome.anomalies), (Vec::new(), Vec::new()));
        }
    }
}

#[test]
fn a_submission_reads_what_another_program_wrote() {
    let emulator = on_reference(Some("imports.nvcap"));
    let mut exporter = program(&emulator, DOMAIN_VRAM);
    submit(&mut exporter, 1, DOMAIN_VRAM, 0x10, 7);
    let file = export(&exporter, SHARED);
    let mut client = importer(&emulator, &file, DOMAIN_VRAM);
    // It names the buffer as one that the chip reads, and waits for nothing.
    let Record::Submit(mut reads) = submission(1, DOMAIN_VRAM, &[]) else { unreachable!() };
    let used = reads.buffers.iter().map(|used| BufferUse { write_domains: 0, ..*used }).collect();
    reads.buffers = used;
    client.send(&message(SENT, &nanoseconds().to_le_bytes()));
    client.play(&[Record::Submit(reads)], &mut |_, _, _| {});
    drop(client);
    let ended = emulator.closed().unwrap();
    let recording = Capture::open(ended.recording.unwrap().path).unwrap();
    let content = Replay::new(&recording).content(recording.records.len(), SHARED);
    assert_eq!(content[0x10..0x14], 7_u32.to_le_bytes());
    drop(exporter);
    assert_eq!(emulator.closed().unwrap().failures, Vec::<String>::new());
}

#[test]
fn a_content_outlives_the_program_that_drew_it() {
    let emulator = on_reference(None);
    let mut exporter = program(&emulator, DOMAIN_VRAM);
    let file = export(&exporter, SHARED);
    let mut early = importer(&emulator, &file, DOMAIN_VRAM);
    submit(&mut exporter, 1, DOMAIN_VRAM, 0x10, 8);
    exporter.play(&[Record::DestroyBuffer { handle: SHARED }], &mut |_, _, _| {});
    // Its display server may hear of a buffer after its end.
    exporter.prepare(1, 0);
    let mut late = importer(&emulator, &file, DOMAIN_VRAM);
    assert_eq!((waited_word(&mut early, 0x10), waited_word(&mut late, 0x10)), (8, 8));
    drop(exporter);
    emulator.closed();
    let mut last = importer(&emulator, &file, DOMAIN_VRAM);
    assert_eq!(waited_word(&mut last, 0x10), 8);
    // The importers go on with it among themselves, also when one ends in the middle.
    submit(&mut early, 1, DOMAIN_VRAM, 0x20, 9);
    drop(early);
    assert_eq!((waited_word(&mut late, 0x10), waited_word(&mut late, 0x20)), (8, 9));
    assert_eq!(word(&emulator, &file), Some(8));
}

#[test]
fn only_the_buffer_that_was_asked_for_is_the_imported_one() {
    let emulator = on_reference(None);
    let mut exporter = program(&emulator, DOMAIN_VRAM);
    submit(&mut exporter, 1, DOMAIN_VRAM, 0x10, 7);
    let file = export(&exporter, SHARED);
    let mut client = emulator.connect();
    client.play(&CaptureBuilder::new().finish().records, &mut |_, _, _| {});
    ask_import(&client, 7, &file);
    client.create(&page(DOMAIN_VRAM), true);
    assert_eq!(waited_word(&mut client, 0x10), 0, "another handle");
    ask_import(&client, SHARED, &file);
    client.create(&Buffer { bytes: 8192, ..page(DOMAIN_VRAM) }, true);
    assert_eq!(waited_word(&mut client, 0x10), 0, "another size");
    ask_import(&client, SHARED, &memory(4096));
    client.create(&page(DOMAIN_VRAM), true);
    assert_eq!(waited_word(&mut client, 0x10), 0, "nobody's file");
}

#[test]
fn programs_that_write_the_same_buffer_take_turns() {
    let emulator = on_reference(None);
    let mut first = program(&emulator, DOMAIN_VRAM);
    let file = export(&first, SHARED);
    let mut second = importer(&emulator, &file, DOMAIN_VRAM);
    // Both write without a pause, so each must have what the other has sent before.
    std::thread::scope(|scope| {
        for (client, offset) in [(&mut first, 0x10), (&mut second, 0x20)] {
            scope.spawn(move || {
                for number in 1..=300 {
                    submit(client, number, DOMAIN_VRAM, offset, number);
                    if number % 50 == 0 {
                        assert_eq!(waited_word(client, offset), number);
                    }
                }
            });
        }
    });
    for client in [&mut first, &mut second] {
        assert_eq!((waited_word(client, 0x10), waited_word(client, 0x20)), (300, 300));
    }
    drop((first, second));
    for _ in 0..2 {
        assert_eq!(emulator.closed().unwrap().failures, Vec::<String>::new());
    }
}

/// A program with two buffers that it shows, whose client library marks the frame that the first submission begins.
fn showing(emulator: &Emulator, sees_swaps: bool) -> (Client, [File; 2]) {
    let mut client = emulator.connect_as(sees_swaps);
    client.play(&CaptureBuilder::new().finish().records, &mut |_, _, _| {});
    client.create(&page(DOMAIN_VRAM), true);
    client.create(&Buffer { handle: 101, offset: 0x10_0000, ..page(DOMAIN_VRAM) }, true);
    let files = [export(&client, SHARED), export(&client, 101)];
    client.play(&[Record::frame_mark()], &mut |_, _, _| {});
    (client, files)
}

#[test]
fn frames_end_where_they_were_shown_if_no_swap_is_seen() {
    let emulator = on_reference(Some("shown.nvcap"));
    let (mut client, files) = showing(&emulator, false);
    let draw = |client: &mut Client, number: u32| {
        client.play(&[submission(number, DOMAIN_VRAM, &[(0x10, number)])], &mut |_, _, _| {});
    };
    for round in 1..=4 {
        draw(&mut client, 2 * round);
        draw(&mut client, 2 * round + 1);
        // A picture that is shown twice is one frame, and so are two windows.
        client.set_word(101, 0x10, round);
        let shown = [&files[0], &files[0], &files[1]].map(|file| word(&emulator, file));
        assert_eq!(shown, [2 * round + 1, 2 * round + 1, round].map(Some));
    }
    // The next frame begins with a submission.
    drop(client);
    assert_eq!(emulator.closed().unwrap().counts.frames, 4);
    let recorded = Capture::open(emulator.file("shown.nvcap")).unwrap();
    assert_eq!(recorded.records.iter().filter(|record| record.begins_frame()).count(), 4);

    // A library that sees swaps marks frames itself, whether it says so or not.
    for sees_swaps in [true, false] {
        let (mut client, files) = showing(&emulator, sees_swaps);
        client.play(&[Record::frame_mark()], &mut |_, _, _| {});
        for number in 1..=4 {
            draw(&mut client, number);
            assert_eq!(word(&emulator, &files[0]), Some(number));
        }
        drop(client);
        assert_eq!(emulator.closed().unwrap().counts.frames, 2, "{sees_swaps}");
    }
}

#[test]
fn draws_are_those_of_the_programs_that_a_display_shows() {
    for is_display in [false, true] {
        let options = LiveOptions { is_display, ..LiveOptions::default() };
        let emulator = Emulator::start_with(reference(), options, None);
        for connections in 1..=2 {
            let mut client = emulator.connect();
            client.play(&capture("prims").records, &mut |_, _, _| {});
            drop(client);
            let draws = emulator.closed().unwrap().counts.draws;
            assert!(draws > 1, "{draws}");
            assert_eq!(emulator.exports.draws(), if is_display { 0 } else { connections * draws });
        }
    }
}
