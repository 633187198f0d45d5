//! Programs that send what no driver sends: each ends its own connection, with a text that says why, and no other.

use std::fs::File;
use std::net::Shutdown;
use std::os::fd::AsFd;

use curie::capture::{Buffer, BufferUse, DOMAIN_VRAM, Push, Record, Submission};
use curie::command::builder::{CaptureBuilder, StreamBuilder, THREE_D, handles};
use curie::command::methods::three_d::sync;
use curie_client::protocol::{self, EXPORT, IMPORT, MAX_BYTES, PREPARE, SENT, SHARE, SUBMIT, VERSION, message, words};

use super::on_reference;
use crate::common::live::{Client, Emulator, capture, hash_lines, memory, record_message, replayed};

const PAGE: Buffer =
    Buffer { handle: 100, domain: DOMAIN_VRAM, tile_mode: 0, tile_flags: 0, bytes: 4096, offset: 0x10_0000 };

/// What a program does, and the text with which its connection ends.
type Case = (fn(&mut Client), &'static str);

/// Sends bytes after those of a buffer.
fn after_a_buffer(client: &mut Client, bytes: &[u8]) {
    client.create(&PAGE, false);
    client.send(bytes);
}

/// Shares a descriptor as the memory of the buffer.
fn share(client: &mut Client, descriptor: impl AsFd) {
    client.create(&PAGE, false);
    client.send_with(&message(SHARE, &words(&[PAGE.handle])), descriptor.as_fd());
}

fn submission(buffers: Vec<BufferUse>, pushes: Vec<Push>) -> Vec<u8> {
    record_message(&Record::Submit(Submission { buffers, pushes, ..Submission::default() }))
}

const CASES: &[Case] = &[
    (|client| client.send(&message(*b"NOPE", &[])), "unknown message NOPE"),
    (|client| client.send(&message([0, 0xff, b'"', b'\n'], &[1, 2, 3])), r#"unknown message \x00\xff\"\n"#),
    (|client| client.send(&message(protocol::MACHINE, &[0; 24])), "unknown message MACH"),
    (|client| client.send(&message(protocol::HELLO, &words(&[VERSION, 1, 0]))), "unknown message HELO"),
    (|client| client.send(&message(*b"TIME", &[0; 8])), "unknown message TIME"),
    (
        |client| client.send(&[&SUBMIT[..], &(MAX_BYTES + 1).to_le_bytes()].concat()),
        "message SUBM of 67108865 bytes, at most 67108864 are allowed",
    ),
    (
        |client| client.send(&[&protocol::MARK[..], &u32::MAX.to_le_bytes()].concat()),
        "message MARK of 4294967295 bytes, at most 67108864 are allowed",
    ),
    // The size is allowed, but nothing of it comes.
    (
        |client| client.send(&[&protocol::MARK[..], &MAX_BYTES.to_le_bytes()].concat()),
        "the program ended within a message: 8 of 67108872 bytes",
    ),
    (|client| client.send(b"MARK\x08\0\0\0cut"), "the program ended within a message: 11 of 16 bytes"),
    (|client| client.send(b"MAR"), "the program ended within a message: 3 of 8 bytes"),
    (|client| client.send(&message(protocol::OBJECT, &[0; 4])), "message GOBJ of 4 bytes, expected 8"),
    (
        |client| client.send(&message(SUBMIT, &words(&[0, u32::MAX, u32::MAX, u32::MAX]))),
        "message SUBM of 16 bytes, expected 292057776076",
    ),
    (
        |client| after_a_buffer(client, &record_message(&Record::Pages { handle: 100, first_page: 0, bytes: vec![] })),
        "unknown message PAGE",
    ),
    (
        |client| after_a_buffer(client, &record_message(&Record::Write { handle: 100, offset: 0, bytes: vec![] })),
        "unknown message WRIT",
    ),
    (
        |client| after_a_buffer(client, &message(SHARE, &words(&[100]))),
        "buffer 100 is shared without a file descriptor",
    ),
    (|client| after_a_buffer(client, &message(SHARE, &[1; 8])), "message SHAR of 8 bytes, expected 4"),
    (
        |client| after_a_buffer(client, &message(EXPORT, &words(&[100, 0, 0]))),
        "buffer 100 is shared without a file descriptor",
    ),
    (|client| client.send(&message(EXPORT, &words(&[77, 0, 0]))), "EXPT names buffer 77, which does not exist"),
    (|client| client.send(&message(EXPORT, &[])), "message EXPT of 0 bytes, expected 12"),
    (|client| client.send(&message(SENT, &[1; 9])), "message SENT of 9 bytes, expected 8"),
    (|client| client.send(&message(IMPORT, &words(&[77]))), "buffer 77 is shared without a file descriptor"),
    (|client| client.send(&message(IMPORT, &[1; 5])), "message IMPT of 5 bytes, expected 4"),
    (|client| client.send(&message(SHARE, &words(&[77]))), "SHAR names buffer 77, which does not exist"),
    (
        |client| share(client, memory(4095)),
        "buffer 100 of 4096 bytes cannot be shared: its descriptor is 4095 bytes of memory",
    ),
    (
        |client| share(client, std::io::pipe().unwrap().0),
        "buffer 100 of 4096 bytes cannot be shared: its descriptor is no memory",
    ),
    (
        |client| share(client, File::open("/").unwrap()),
        "buffer 100 of 4096 bytes cannot be shared: its descriptor is no memory",
    ),
    (|client| client.send(&message(PREPARE, &words(&[77, 0]))), "PREP names buffer 77, which does not exist"),
    (
        |client| client.send(&record_message(&Record::DestroyBuffer { handle: 77 })),
        "BODL names buffer 77, which does not exist",
    ),
    (
        |client| client.send(&record_message(&Record::MoveBuffer(Buffer { handle: 77, ..PAGE }))),
        "BOMV names buffer 77, which does not exist",
    ),
    (
        |client| after_a_buffer(client, &submission(vec![used(100), used(77)], vec![])),
        "SUBM names buffer 77, which does not exist",
    ),
    (
        |client| after_a_buffer(client, &submission(vec![], vec![Push { buffer: 77, offset: 0, words: vec![0] }])),
        "SUBM names buffer 77, which does not exist",
    ),
    (
        |client| client.send(&record_message(&Record::CreateBuffer(Buffer { offset: 0xffff_f000, ..PAGE }))),
        "buffer 100: 4096 bytes at 0xfffff000 lie outside Vram",
    ),
    (
        |client| client.send(&record_message(&Record::CreateBuffer(Buffer { domain: 6, ..PAGE }))),
        "buffer 100: domain 6, expected 2 (VRAM) or 4 (GART)",
    ),
    (
        |client| client.send(&record_message(&Record::Notifier { handle: 1, offset: 0, bytes: 4, buffer: 77 })),
        "NTFY names buffer 77, which does not exist",
    ),
];

fn used(handle: u32) -> BufferUse {
    BufferUse { handle, read_domains: 0, write_domains: 0, valid_domains: 2, domain: 2, offset: 0 }
}

/// Opens a connection beside a hostile one, and ends it after.
fn beside(emulator: &Emulator, hostile: impl FnOnce()) {
    let capture = capture("textri");
    let mut client = emulator.connect();
    let (first, rest) = capture.records.split_at(capture.records.len() / 2);
    client.play(first, &mut |_, _, _| {});
    hostile();
    client.play(rest, &mut |_, _, _| {});
    drop(client);
    let closed = emulator.closed();
    assert_eq!(closed.connection, 0);
    assert_eq!(hash_lines(&closed.unwrap().outcome.surfaces), replayed(&capture));
}

#[test]
fn messages_that_no_driver_sends_end_their_connection_alone() {
    let emulator = on_reference(None);
    beside(&emulator, || {
        for (number, (act, expected)) in (1..).zip(CASES) {
            let mut client = emulator.connect();
            act(&mut client);
            client.socket.shutdown(Shutdown::Write).unwrap();
            client.wait_for_end();
            let closed = emulator.closed();
            assert_eq!((closed.connection, closed.error.as_deref()), (number, Some(*expected)));
            assert!(closed.ended.is_some(), "{expected}: the end of the connection has no counts");
        }
    });
}

#[test]
fn connections_begin_with_a_hello_of_this_version() {
    let emulator = on_reference(None);
    let hellos: [(&[u8], _); 6] = [
        (b"", None),
        (b"HE", Some("the program ended within a message: 2 of 8 bytes")),
        (&message(protocol::MARK, b"hello"), Some("the first message is MARK, expected HELO")),
        (b"GET / HTTP/1.1\r\n\r\n", Some("message GET  of 1414012975 bytes, at most 67108864 are allowed")),
        (&message(protocol::HELLO, &words(&[VERSION, 1])), Some("message HELO of 8 bytes, expected 12")),
        (
            &message(protocol::HELLO, &words(&[VERSION + 1, 1])),
            Some("the client library speaks version 5 of the protocol, expected 4"),
        ),
    ];
    beside(&emulator, || {
        for (bytes, expected) in hellos {
            let socket = emulator.socket();
            std::io::Write::write_all(&mut &socket, bytes).unwrap();
            drop(socket);
            let closed = emulator.closed();
            assert_eq!(closed.error.as_deref(), expected);
            assert!(closed.ended.is_none());
        }
    });
}

/// A submission whose fence is its number, and one whose words are broken before its fence.
fn fence(sequence: u32, broken: &[u32]) -> Submission {
    let mut stream = StreamBuilder::new();
    stream.bind_three_d();
    stream.methods(THREE_D, sync::FENCE_OFFSET, &[0, sequence]);
    let submission = stream.finish(sequence, 2);
    match broken {
        [] => submission,
        _ => Submission {
            pushes: vec![Push { buffer: 2, offset: 0x8000, words: broken.to_vec() }, submission.pushes[0].clone()],
            ..submission
        },
    }
}

#[test]
fn after_broken_words_the_next_push_and_submission_run() {
    const NOTIFIER: u32 = 1;
    let emulator = on_reference(None);
    let mut client = emulator.connect();
    client.play(&CaptureBuilder::new().finish().records, &mut |_, _, _| {});
    // No command has these bits. The push buffer is the second of GART, at 0x101000.
    for (sequence, broken) in [(1, &[0xffff_fffc_u32][..]), (2, &[]), (3, &[0x00ff_c000, 1]), (4, &[])] {
        client.play(&[Record::Submit(fence(sequence, broken))], &mut |_, _, _| {});
        client.wait_until("the fence", |client| client.word(NOTIFIER, 0) == sequence);
    }
    drop(client);
    let ended = emulator.closed().unwrap();
    assert_eq!(ended.counts.submissions, 4);
    assert_eq!(
        ended.failures,
        [
            "submission 1: pusher error 4: 0xfffffffc is no command, at 0x109000 (1 time)",
            "submission 3: pusher error 4: 0x00ffc000 is no command, at 0x109000 (1 time)",
        ]
    );
}

#[test]
fn a_push_that_stops_everywhere_does_not_hold_up_the_rest() {
    const NOTIFIER: u32 = 1;
    let emulator = on_reference(None);
    let mut client = emulator.connect();
    client.play(&CaptureBuilder::new().finish().records, &mut |_, _, _| {});
    let broken = Push { buffer: 2, offset: 0x8000, words: vec![0xffff_fffc] };
    let broken = Submission { sequence: 1, pushes: vec![broken; 10_000], ..Submission::default() };
    client.play(&[Record::Submit(broken), Record::Submit(fence(2, &[]))], &mut |_, _, _| {});
    client.wait_until("the fence", |client| client.word(NOTIFIER, 0) == 2);
    drop(client);
    assert_eq!(
        emulator.closed().unwrap().failures,
        ["submission 1: pusher error 4: 0xfffffffc is no command, at 0x109000 (16 times)"]
    );
}

#[test]
fn memory_that_its_program_takes_away_reads_as_zero() {
    let emulator = on_reference(None);
    beside(&emulator, || {
        let mut client = emulator.connect();
        client.play(&CaptureBuilder::new().finish().records, &mut |_, _, _| {});
        client.create(&PAGE, true);
        client.set_word(PAGE.handle, 0, 1);
        // The emulator has accepted the memory when it answers.
        client.prepare(PAGE.handle, 0);
        client.shorten(PAGE.handle);
        let submission = Submission { buffers: vec![used(PAGE.handle)], ..fence(1, &[]) };
        client.play(&[Record::Submit(submission)], &mut |_, _, _| {});
        client.wait_until("the fence", |client| client.word(1, 0) == 1);
        drop(client);
        assert_eq!(emulator.closed().unwrap().counts.submissions, 1);
    });
}

#[test]
fn memory_that_cannot_be_written_ends_its_connection_alone() {
    let emulator = on_reference(None);
    beside(&emulator, || {
        let mut client = emulator.connect();
        client.play(&CaptureBuilder::new().finish().records, &mut |_, _, _| {});
        client.create(&Buffer { offset: 0, ..PAGE }, false);
        let file = emulator.file("memory");
        std::fs::write(&file, [0; 4096]).unwrap();
        client.send_with(&message(SHARE, &words(&[PAGE.handle])), File::open(file).unwrap().as_fd());
        let mut stream = StreamBuilder::new();
        stream.bind_three_d();
        stream.method(THREE_D, sync::DMA_FENCE, handles::VRAM).methods(THREE_D, sync::FENCE_OFFSET, &[0, 1]);
        let writes = BufferUse { write_domains: DOMAIN_VRAM, ..used(PAGE.handle) };
        let submission = Submission { buffers: vec![writes], ..stream.finish(1, 2) };
        client.play(&[Record::Submit(submission)], &mut |_, _, _| {});
        client.send(&message(PREPARE, &words(&[PAGE.handle, 0])));
        client.wait_for_end();
        let error = emulator.closed().error.unwrap();
        assert_eq!(error, "memory of buffer 100: Bad file descriptor (os error 9)");
    });
}

#[test]
fn a_program_shares_no_more_memory_than_the_chip_has() {
    let emulator = on_reference(None);
    let client = emulator.connect();
    let memory = memory(256 << 20);
    for handle in 1..=4 {
        let buffer = Buffer { handle, bytes: 256 << 20, offset: 0, ..PAGE };
        client.send(&record_message(&Record::CreateBuffer(buffer)));
        client.send_with(&message(SHARE, &words(&[handle])), memory.as_fd());
    }
    client.wait_for_end();
    // 256 MiB of video memory, 512 MiB of GART.
    assert_eq!(emulator.closed().error.as_deref(), Some("more than 805306368 bytes of shared memory"));
}
