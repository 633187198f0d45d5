//! Programs whose connections the emulator serves, on the reference: what they draw, what they see, what is recorded.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod exports;
mod hostile;
mod memory;
mod record_only;

use curie::capture::{Capture, CaptureWarning, Record};
use curie::command::builder::CaptureBuilder;
use curie::engine::{EngineChoice, EngineSource};
use curie::gpu::AdapterChoice;
use curie::kernels::KernelOptions;
use curie::live::LiveOptions;

use crate::common::live::{Emulator, Replay, capture, hash_lines, replayed};
use crate::common::live_clock::{check_times, submission};

fn reference() -> EngineSource {
    EngineSource::open(EngineChoice::Reference, &AdapterChoice::Best, KernelOptions::default()).unwrap()
}

fn on_reference(recording: Option<&str>) -> Emulator {
    Emulator::start(reference(), recording)
}

/// A program that does what the capture's did ends with the surfaces of the replay, and after each wait its memory is
/// the chip's.
fn check(name: &str) {
    let capture = capture(name);
    let emulator = on_reference(None);
    let mut client = emulator.connect();
    let mut replay = Replay::new(&capture);
    let mut waits = 0;
    client.play(&capture.records, &mut |record, handle, content| {
        waits += 1;
        assert!(content == replay.content(record + 1, handle), "{name}: record {record}, buffer {handle}");
    });
    assert!(waits > 0, "{name} waits for nothing");
    drop(client);
    let ended = emulator.closed().unwrap();
    assert_eq!((ended.failures, ended.outcome.anomalies), (Vec::new(), Vec::new()), "{name}");
    assert_eq!(hash_lines(&ended.outcome.surfaces), replayed(&capture), "{name}");
    let submissions = capture.records.iter().filter(|record| matches!(record, Record::Submit(_))).count();
    assert_eq!(ended.counts.submissions, submissions as u64);
}

#[test]
fn cube_is_drawn_as_in_its_replay() {
    check("cube");
}

#[test]
fn textri_is_drawn_as_in_its_replay() {
    check("textri");
}

#[test]
fn query_is_drawn_as_in_its_replay() {
    check("query");
}

#[test]
fn copy_is_drawn_as_in_its_replay() {
    check("copy");
}

#[test]
fn reports_hold_the_time_of_the_host() {
    check_times(reference());
}

#[test]
fn another_texture_ends_with_other_lines() {
    let mut capture = capture("textri");
    let expected = replayed(&capture);
    // The first pages are the texture.
    let pages = capture.records.iter_mut().find_map(|record| match record {
        Record::Pages { bytes, .. } => Some(bytes),
        _ => None,
    });
    for byte in pages.unwrap() {
        *byte ^= 0x10;
    }
    let emulator = on_reference(None);
    let mut client = emulator.connect();
    client.play(&capture.records, &mut |_, _, _| {});
    drop(client);
    assert_ne!(hash_lines(&emulator.closed().unwrap().outcome.surfaces), expected);
}

/// Plays a capture to an emulator that records.
fn record(name: &str, file: &str) -> Emulator {
    let emulator = on_reference(Some(file));
    let mut client = emulator.connect();
    client.play(&capture(name).records, &mut |_, _, _| {});
    drop(client);
    let recorded = emulator.closed().unwrap().recording.unwrap();
    assert!(recorded.error.is_none(), "{:?}", recorded.error);
    assert_eq!(recorded.path, emulator.file(file));
    emulator
}

#[test]
fn recordings_replay_to_the_same_surfaces() {
    for file in ["query.nvcap", "query.nvcap.zst"] {
        let emulator = record("query", file);
        let bytes = std::fs::read(emulator.file(file)).unwrap();
        assert_eq!(bytes.starts_with(b"NVCAPT"), file.ends_with(".nvcap"));
        let recording = Capture::open(emulator.file(file)).unwrap();
        assert_eq!(recording.warnings, []);
        assert!(recording.records.iter().any(|record| matches!(record, Record::Write { .. })));
        assert_eq!(replayed(&recording), replayed(&capture("query")), "{file}");
        let files = std::fs::read_dir(emulator.file("")).unwrap().count();
        assert_eq!(files, 2, "the socket and the recording");
    }
}

#[test]
fn a_recording_that_was_cut_off_replays_as_far_as_it_goes() {
    let emulator = record("textri", "textri.nvcap");
    let file = emulator.file("textri.nvcap");
    let bytes = std::fs::read(&file).unwrap();
    let whole = Capture::read(&bytes).unwrap();
    // Inside of the second submission, so the first is still there.
    let second = whole.records.iter().enumerate().filter(|(_, record)| matches!(record, Record::Submit(_))).nth(1);
    let (second, _) = second.unwrap();
    let before = Capture { records: whole.records[..second].to_vec(), ..whole };
    std::fs::write(&file, &bytes[..before.write().len() + 100]).unwrap();
    let cut = Capture::open(&file).unwrap();
    let [CaptureWarning::Truncated { found: 100, record, .. }] = cut.warnings[..] else { panic!("{:?}", cut.warnings) };
    assert_eq!(record, second);
    assert_eq!(cut.records, before.records);
    assert_eq!(replayed(&cut), replayed(&before));
}

#[test]
fn a_connection_without_submissions_leaves_no_recording() {
    let emulator = on_reference(Some("none.nvcap"));
    drop(emulator.connect());
    assert!(emulator.closed().unwrap().recording.is_none());
    assert!(!emulator.file("none.nvcap").exists());
}

#[test]
fn the_submission_in_which_the_emulator_panics_is_recorded() {
    let options = LiveOptions { clock: Some(|| panic!("a clock without time")), ..LiveOptions::default() };
    let emulator = Emulator::start_with(reference(), options, Some("panic.nvcap"));
    let mut client = emulator.connect();
    client.play(&CaptureBuilder::new().finish().records, &mut |_, _, _| {});
    client.play(&[submission(1)], &mut |_, _, _| {});
    let closed = emulator.closed();
    assert!(closed.ended.is_none() && closed.error.unwrap().contains("a clock without time"));
    let recording = Capture::open(emulator.file("panic.nvcap")).unwrap();
    assert_eq!(recording.warnings, []);
    assert_eq!(recording.records.last(), Some(&submission(1)));
    // A replay has no such clock.
    assert_eq!(replayed(&recording), replayed(&CaptureBuilder::new().finish()));
}
