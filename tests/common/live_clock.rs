//! Runs a program whose reports hold the time of a host, on either engine, and replays its recording.

use std::sync::atomic::{AtomicU64, Ordering};

use curie::capture::{Capture, Record};
use curie::command::builder::{CaptureBuilder, StreamBuilder, THREE_D};
use curie::command::methods::three_d::sync;
use curie::engine::EngineSource;
use curie::live::LiveOptions;
use curie::memory::PAGE_BYTES;

use super::live::{Emulator, Replay};

/// The notifier and push buffers of the builder.
const NOTIFIER: u32 = 1;
const PUSH_BUFFER: u32 = 2;

/// Where the reports of the builder begin in the notifier buffer.
const REPORTS: u32 = 0x40;

/// What the next reading gives: each is a quarter of the one before, so all but the first are in the past.
static NEXT: AtomicU64 = AtomicU64::new(1 << 60);

fn host() -> u64 {
    NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |time| Some(time / 4)).unwrap()
}

/// Reports that a submission asks for: samples, then what z-cull discarded.
const KINDS: [u32; 2] = [1, 2];

/// A submission that asks for reports, then a fence.
pub(crate) fn submission(sequence: u32) -> Record {
    let mut stream = StreamBuilder::new();
    stream.bind_three_d();
    for (report, kind) in (2 * (sequence - 1)..).zip(KINDS) {
        stream.method(THREE_D, sync::QUERY_GET, kind << 24 | report << 4);
    }
    stream.methods(THREE_D, sync::FENCE_OFFSET, &[0, sequence]);
    Record::Submit(stream.finish(sequence, PUSH_BUFFER))
}

fn times(content: &[u8]) -> [u64; 4] {
    std::array::from_fn(|report| {
        let at = REPORTS as usize + report * 16;
        u64::from_le_bytes(content[at..at + 8].try_into().unwrap())
    })
}

/// A program reads the time of the host in reports, a clock that goes back does not show, and the recording has what a
/// replay needs to write the same bytes.
pub(crate) fn check_times(engines: EngineSource) {
    NEXT.store(1 << 60, Ordering::Relaxed);
    let options = LiveOptions { clock: Some(host), ..LiveOptions::default() };
    let emulator = Emulator::start_with(engines, options, Some("times.nvcap"));
    let mut client = emulator.connect();
    client.play(&CaptureBuilder::new().finish().records, &mut |_, _, _| {});
    for sequence in [1, 2] {
        client.play(&[submission(sequence)], &mut |_, _, _| {});
        client.wait_until("the fence", |client| client.word(NOTIFIER, 0) == sequence);
    }
    let seen = client.content(NOTIFIER);
    let [first, rest @ ..] = times(&seen);
    assert_eq!(first, 1 << 60);
    assert!(first < rest[0] && rest.is_sorted() && rest[2] < first + 1000, "{first} {rest:?}");
    drop(client);
    let ended = emulator.closed().unwrap();
    assert_eq!((ended.failures, ended.outcome.anomalies), (Vec::new(), Vec::new()));
    let recording = Capture::open(ended.recording.unwrap().path).unwrap();
    let recorded: Vec<&Record> =
        recording.records.iter().filter(|record| matches!(record, Record::Times(_) | Record::Submit(_))).collect();
    assert_eq!(recorded[..1], [&Record::Times(vec![1 << 60, 1 << 58])]);
    assert_eq!(recorded[2..3], [&Record::Times(vec![1 << 56, 1 << 54])]);
    let replayed = |recording: &Capture| Replay::new(recording).content(recording.records.len(), NOTIFIER);
    assert!(replayed(&recording) == seen, "the replay writes other bytes");
    // Without the times, it does not.
    let records = recording.records.iter().filter(|record| !matches!(record, Record::Times(_))).cloned().collect();
    let untimed = replayed(&Capture { records, ..recording });
    assert!(times(&untimed)[0] < 10_000 && untimed.len() == PAGE_BYTES as usize);
}
