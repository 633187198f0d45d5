//! Sessions that record alone: what the program waits for comes, and the stream is recorded.
//!
//! Expected words are those of `QUERY_GET` in envytools' `rnndb/graph/g80_3d.xml`, and of semaphores in its
//! `docs/hw/fifo/puller.rst`. A method takes ten nanoseconds of virtual time.

use curie::capture::{Buffer, BufferUse, Capture, DOMAIN_GART, DOMAIN_VRAM, Header, Push, Record, Submission};
use curie::listing::list_capture;
use curie::live::{Execution, LiveOptions};

use crate::common::live::{Client, Emulator, record_message};
use crate::common::random::Random;

const HEADER: Header = Header { chipset: 0x50, vram_bytes: 256 << 20, gart_bytes: 512 << 20 };

/// The program's buffers: that of pushes, and a mapped page for reports.
const PUSHES: u32 = 2;
const REPORTS: u32 = 3;
const REPORTS_AT: u32 = 0x2010_0000;

const THREE_D: u32 = 0xbeef_5097;
const SUBCHANNEL: u32 = 3;

/// Forms of `QUERY_GET`: one word; four words with the number or with a counter first; with the number second; a wait.
const SHORT: u32 = 0x1000_f010;
const LONG: u32 = 0x0100_f002;
const COUNTER: u32 = 0x0580_5002;
const REVERSED: u32 = 0x0300_5002;
const SYNC: u32 = 0x0000_f001;

fn packet(method: u32, words: &[u32]) -> Vec<u32> {
    let count = u32::try_from(words.len()).unwrap();
    [&[count << 18 | SUBCHANNEL << 13 | method], words].concat()
}

/// A query to the page of reports.
fn query(offset: u32, sequence: u32, get: u32) -> Vec<u32> {
    packet(0x1b00, &[0, REPORTS_AT + offset, sequence, get])
}

fn buffer(handle: u32, domain: u32, offset: u64) -> Buffer {
    Buffer { handle, domain, tile_mode: 0, tile_flags: 0, bytes: 4096, offset }
}

fn submission(sequence: u32, pushes: &[Vec<u32>]) -> Record {
    let push = |words: &Vec<u32>| Push { buffer: PUSHES, offset: 0, words: words.clone() };
    let used = BufferUse {
        handle: REPORTS,
        read_domains: 0,
        write_domains: DOMAIN_GART,
        valid_domains: DOMAIN_GART,
        domain: DOMAIN_GART,
        offset: REPORTS_AT,
    };
    let pushes = pushes.iter().map(push).collect();
    Record::Submit(Submission { sequence, buffers: vec![used], relocations: Vec::new(), pushes })
}

fn submit(client: &mut Client, sequence: u32, pushes: &[Vec<u32>]) {
    client.play(&[submission(sequence, pushes)], &mut |_, _, _| {});
}

/// Submits, and waits for a fence in the last words of the page.
fn run(client: &mut Client, sequence: u32, pushes: &[Vec<u32>]) {
    submit(client, sequence, &[pushes, &[query(0xff0, sequence, SHORT)]].concat());
    client.wait_until("the fence", |client| client.word(REPORTS, 0xff0) == sequence);
}

fn record_only(recording: Option<&str>) -> Emulator {
    Emulator::start_with(Execution::RecordOnly, LiveOptions { header: HEADER, ..LiveOptions::default() }, recording)
}

/// A program with a channel whose subchannel has the 3D object.
fn program(emulator: &Emulator) -> Client {
    let mut client = emulator.connect();
    client.create(&buffer(1, DOMAIN_GART, 0x2000_0000), false);
    client.create(&buffer(PUSHES, DOMAIN_GART, 0x2000_1000), false);
    client.create(&buffer(REPORTS, DOMAIN_GART, REPORTS_AT.into()), true);
    let channel = Record::Channel { vram_handle: 0xbeef_0201, gart_handle: 0xbeef_0202, notifier_buffer: 1 };
    for record in [channel, Record::Object { handle: THREE_D, class: 0x5097 }] {
        client.send(&record_message(&record));
    }
    run(&mut client, 1, &[packet(0, &[THREE_D])]);
    client
}

fn words(client: &Client, offset: u32) -> [u32; 4] {
    [0, 4, 8, 12].map(|word| client.word(REPORTS, offset + word))
}

#[test]
fn reports_have_the_forms_that_the_program_asks_for() {
    let emulator = record_only(None);
    let mut client = program(&emulator);
    for offset in (0..0x60).step_by(4) {
        client.set_word(REPORTS, offset, 0xee);
    }
    let semaphore = packet(0x10, &[0, REPORTS_AT + 0x50, 11, 2]);
    let forms = [
        query(0x00, 5, SHORT),
        query(0x10, 6, LONG),
        query(0x20, 7, COUNTER),
        query(0x30, 8, REVERSED),
        query(0x40, 9, SYNC),
        semaphore,
    ];
    run(&mut client, 2, &[forms.concat()]);
    // The first submission has five methods.
    assert_eq!(words(&client, 0x00), [5, 0xee, 0xee, 0xee]);
    assert_eq!(words(&client, 0x10), [6, 0, (5 + 8) * 10, 0]);
    assert_eq!(words(&client, 0x20), [0, 0, (5 + 12) * 10, 0]);
    assert_eq!(words(&client, 0x30), [0, 8, (5 + 16) * 10, 0]);
    assert_eq!(words(&client, 0x40), [0xee; 4]);
    assert_eq!(words(&client, 0x50), [11, 0, (5 + 24) * 10, 0]);
    drop(client);
    let ended = emulator.closed().unwrap();
    assert_eq!(ended.failures, Vec::<String>::new());
    let counts = (ended.counts.submissions, ended.counts.methods, ended.counts.reports);
    // Four forms and the semaphore, and two fences.
    assert_eq!(counts, (2, 5 + 24 + 4, 5 + 2));
}

#[test]
fn draws_and_clears_are_counted() {
    let emulator = record_only(None);
    let mut client = program(&emulator);
    // An RGBA8 target of 16 × 16 pixels, of that size also the screen and the viewport; no depth; rasterization.
    let target = [
        packet(0x200, &[0, REPORTS_AT, 0xd5, 0, 0]),
        packet(0x1240, &[16, 16]),
        packet(0x121c, &[1]),
        packet(0xff4, &[16 << 16, 16 << 16]),
        packet(0xc00, &[16 << 16, 16 << 16]),
        packet(0x1538, &[0]),
        packet(0x17b4, &[1]),
    ];
    let draw = [packet(0x15dc, &[5]), packet(0xd74, &[0, 3]), packet(0x15e0, &[0])].concat();
    run(&mut client, 2, &[target.concat(), draw.clone(), packet(0x19d0, &[0x3c]), draw]);
    drop(client);
    let counts = emulator.closed().unwrap().counts;
    assert_eq!((counts.draws, counts.clears), (2, 1));
}

#[test]
fn a_packet_goes_on_in_the_next_push() {
    let emulator = record_only(None);
    let mut client = program(&emulator);
    // Indices from another buffer: data that look like commands.
    let long = vec![0x0003_0000 | SUBCHANNEL << 13 | 0x15e8, 3];
    run(&mut client, 2, &[long, vec![0x1001, 0xffff_ffff, 0x0004_7b08]]);
    drop(client);
    assert_eq!(emulator.closed().unwrap().failures, Vec::<String>::new());
}

#[test]
fn addresses_have_forty_bits() {
    const HIGH: u32 = 7;
    let emulator = record_only(None);
    let mut client = program(&emulator);
    client.create(&buffer(HIGH, DOMAIN_GART, 0x12_3456_7000), true);
    run(&mut client, 2, &[packet(0x1b00, &[0x12, 0x3456_7008, 77, SHORT])]);
    assert_eq!(client.word(HIGH, 8), 77);
}

#[test]
fn a_buffer_that_is_mapped_later_has_its_reports() {
    const LATER: u32 = 7;
    let emulator = record_only(None);
    let mut client = program(&emulator);
    client.create(&buffer(LATER, DOMAIN_VRAM, 0x3000_0000), false);
    run(&mut client, 2, &[packet(0x1b00, &[0, 0x3000_0ffc, 78, SHORT])]);
    client.share(LATER);
    client.prepare(LATER, 0);
    assert_eq!(client.word(LATER, 0xffc), 78);
}

#[test]
fn what_no_driver_sends_is_counted_and_fences_still_come() {
    let emulator = record_only(None);
    let mut client = program(&emulator);
    let outside = packet(0x1b00, &[0, REPORTS_AT + 0x1000, 1, SHORT]);
    // The report has four words; the last three lie outside.
    let across = packet(0x1b00, &[0, REPORTS_AT + 0xffc, 9, LONG]);
    let unbound = vec![1 << 18 | 6 << 13 | 0x100, 0];
    run(&mut client, 2, &[outside, packet(0, &[7]), unbound, across, vec![0x0002_0000, 0xffff_ffff]]);
    // Nothing of a report is written that does not fit.
    assert_eq!(client.word(REPORTS, 0xffc), 0);
    submit(&mut client, 3, &[vec![0x0003_0000 | SUBCHANNEL << 13 | 0x15e8, 5, 1]]);
    run(&mut client, 4, &[]);
    drop(client);
    let ended = emulator.closed().unwrap();
    assert_eq!(
        ended.failures,
        [
            "submission 2: pusher error 4: 0x00020000 is no command, at 0x1000 (1 time)",
            "submission 3: the submission ends within a packet (1 time)",
        ]
    );
    assert_eq!(
        ended.outcome.anomalies,
        [
            "class 0x0000 method 0x0100: the subchannel has no object (1 time, first value 0x0)",
            "class 0x5097 method 0x0000 OBJECT: no object has this handle (1 time, first value 0x7)",
            "class 0x5097 method 0x15e8 VB_ELEMENT_U32: not drawn: no primitive has begun (1 time, first value 0x1)",
            "class 0x5097 method 0x1b0c QUERY_GET: the address is in no buffer (2 times, first value 0x1000f010)",
        ]
    );
}

#[test]
fn buffers_lie_in_virtual_memory() {
    let emulator = record_only(None);
    let refused = |buffer: Buffer| {
        let client = emulator.connect();
        client.send(&record_message(&Record::CreateBuffer(buffer)));
        client.wait_for_end();
        emulator.closed().error.unwrap()
    };
    let last = buffer(1, DOMAIN_GART, (1 << 40) - 4096);
    assert_eq!(refused(Buffer { bytes: 8192, ..last }), "buffer 1: 8192 bytes at 0xfffffff000 lie outside Gart");
    assert_eq!(
        refused(Buffer { offset: u64::MAX, ..last }),
        "buffer 1: 4096 bytes at 0xffffffffffffffff lie outside Gart"
    );
    assert_eq!(
        refused(Buffer { offset: 0, bytes: 1 << 32, domain: DOMAIN_VRAM, ..last }),
        "buffer 1: 4294967296 bytes at 0x0 lie outside Vram"
    );
    assert_eq!(refused(Buffer { domain: 6, ..last }), "buffer 1: domain 6, expected 2 (VRAM) or 4 (GART)");
    let mut client = emulator.connect();
    client.create(&last, true);
    drop(client);
    emulator.closed().unwrap();
}

#[test]
fn emulated_chips_and_later_ones_are_refused() {
    for (chipset, name) in [(0x40, "chipset 0x40 (GeForce 6800, NV40)"), (0xc0, "chipset 0xc0 (unknown)")] {
        let options = LiveOptions { header: Header { chipset, ..HEADER }, ..LiveOptions::default() };
        let emulator = Emulator::start_with(Execution::RecordOnly, options, None);
        emulator.connect().wait_for_end();
        let error = emulator.closed().error.unwrap();
        assert!(error.starts_with(&format!("streams of {name} cannot be recorded")), "{error}");
    }
}

#[test]
fn the_recording_holds_what_the_program_sent() {
    let emulator = record_only(Some("tesla.nvcap"));
    let mut client = program(&emulator);
    let tiled = Buffer { tile_mode: 0x20, tile_flags: 0x70, ..buffer(9, DOMAIN_VRAM, 0x3000_0000) };
    client.create(&tiled, false);
    client.set_word(REPORTS, 0x100, 0x1234_5678);
    run(&mut client, 2, &[packet(0xd74, &[0, 3])]);
    drop(client);
    assert!(emulator.closed().unwrap().recording.is_some());
    let capture = Capture::open(emulator.file("tesla.nvcap")).unwrap();
    assert_eq!((capture.header, capture.warnings.len()), (HEADER, 0));
    assert!(capture.records.contains(&Record::CreateBuffer(tiled)));
    // What was answered is no write of the program.
    let writes: Vec<_> = capture.records.iter().filter(|record| matches!(record, Record::Write { .. })).collect();
    let bytes = 0x1234_5678_u32.to_le_bytes().to_vec();
    assert_eq!(writes, [&Record::Write { handle: REPORTS, offset: 0x100, bytes }]);
    let expected = submission(2, &[packet(0xd74, &[0, 3]), query(0xff0, 2, SHORT)]);
    assert_eq!(capture.records.last(), Some(&expected));
    let mut text = Vec::new();
    list_capture(&capture, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    for line in [
        "chipset 0x50, 256 MiB VRAM, 512 MiB GART",
        "  3 ---- OBJECT = 0xbeef5097  object=0xbeef5097",
        "  3 5097 VERTEX_BUFFER_COUNT = 0x00000003",
        "  3 5097 QUERY_SEQUENCE = 0x00000002",
    ] {
        assert!(text.lines().any(|listed| listed == line), "no line {line:?} in {text}");
    }
    assert!(text.contains(" BONW buffer 9 VRAM 0x30000000+0x1000 tile_flags=0x70 tile_mode=0x20\n"), "{text}");
}

/// Random words, most of them packets to queries, end neither the session nor its answers.
#[test]
fn random_words_leave_fences_alone() {
    let emulator = record_only(None);
    let mut client = program(&emulator);
    let mut random = Random::new(0x5097);
    for sequence in 2..202 {
        let mut words: Vec<u32> = Vec::new();
        for _ in 0..random.below(40) {
            match random.below(4) {
                0 => words.push(random.word()),
                1 => words.extend(packet(random.word() & 0x1ffc, &[random.word(), random.word()])),
                _ => {
                    let high = if random.below(2) == 0 { 0 } else { random.word() };
                    let address = REPORTS_AT + random.word() % 0xfe0;
                    words.extend(packet(0x1b00, &[high, address, random.word(), random.word()]));
                }
            }
        }
        submit(&mut client, sequence, &[words]);
        run(&mut client, sequence, &[packet(0, &[THREE_D])]);
    }
    drop(client);
    let ended = emulator.closed().unwrap();
    assert_eq!(ended.counts.submissions, 1 + 2 * 200);
    assert!(!ended.failures.is_empty() && ended.failures.len() <= 65, "{:?}", ended.failures);
}
