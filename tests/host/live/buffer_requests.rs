//! What a display server gets when it asks for a program's buffer: its content after everything that was sent before.

use std::fs::File;
use std::ops::Range;
use std::os::fd::AsFd as _;
use std::sync::mpsc::channel;
use std::time::Duration;

use curie::capture::{Buffer, DOMAIN_VRAM, Record};
use curie::command::builder::CaptureBuilder;
use curie::live::{BufferContent, FileIdentity};
use curie_client::protocol::{NAME, message, words};

use super::memory::{SHARED, page, program, submission};
use super::on_reference;
use crate::common::live::{Client, Emulator, memory, record_message};

/// Names a buffer of the program with a new file.
fn name(client: &Client, handle: u32) -> File {
    let file = memory(4096);
    client.send_with(&message(NAME, &words(&[handle])), file.as_fd());
    file
}

/// Asks and waits; `None` if no session answers.
fn ask(emulator: &Emulator, file: &File, range: Range<u64>) -> Option<BufferContent> {
    let (send, received) = channel();
    emulator.requests.request(FileIdentity::of(file).unwrap(), range, move |content| send.send(content).unwrap());
    received.recv_timeout(Duration::from_secs(120)).ok()
}

/// The word in which the tests' submissions write their number.
fn word(emulator: &Emulator, file: &File) -> Option<u32> {
    let content = ask(emulator, file, 0x10..0x14)?;
    Some(u32::from_le_bytes(content.bytes.try_into().unwrap()))
}

#[test]
fn what_was_sent_before_is_done_first() {
    let emulator = on_reference(None);
    // Another program, and one without a chip yet, which have nothing to do with it.
    let _idle = program(&emulator, DOMAIN_VRAM);
    let _silent = emulator.socket();
    let mut client = program(&emulator, DOMAIN_VRAM);
    let file = name(&client, SHARED);
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
    client.send(&record_message(&Record::DestroyBuffer { handle: SHARED }));
    assert_eq!(word(&emulator, &file), None);
    drop(client);
    assert_eq!(emulator.closed().unwrap().failures, Vec::<String>::new());
}

#[test]
fn a_buffer_that_is_never_mapped_has_a_name() {
    let emulator = on_reference(None);
    let mut client = emulator.connect();
    client.play(&CaptureBuilder::new().finish().records, &mut |_, _, _| {});
    client.create(&page(DOMAIN_VRAM), false);
    let first = name(&client, SHARED);
    let second = name(&client, SHARED);
    client.play(&[submission(1, DOMAIN_VRAM, &[(0x10, 9)])], &mut |_, _, _| {});
    assert_eq!((word(&emulator, &first), word(&emulator, &second)), (None, Some(9)));
    // Another buffer takes the name, and keeps it when the first goes.
    client.create(&Buffer { handle: 101, offset: 0x10_0000, ..page(DOMAIN_VRAM) }, false);
    client.send_with(&message(NAME, &words(&[101])), second.as_fd());
    client.send(&record_message(&Record::DestroyBuffer { handle: SHARED }));
    assert_eq!(word(&emulator, &second), Some(0));
}

#[test]
fn nothing_beyond_a_buffer_is_given_away() {
    let emulator = on_reference(None);
    let client = program(&emulator, DOMAIN_VRAM);
    let file = name(&client, SHARED);
    assert_eq!(ask(&emulator, &file, 4092..4096).unwrap().bytes, [0; 4]);
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
