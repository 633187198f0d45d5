//! Programs whose connections the emulator serves on the kernels, which share a device.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use curie::engine::{EngineChoice, EngineSource};
use curie::gpu::AdapterChoice;
use curie::kernels::KernelOptions;

use crate::common::gpu;
use crate::common::live::{Client, Emulator, Replay, capture, hash_lines, replayed};
use crate::common::live_clock::check_times;

/// The kernels; `None` without an adapter.
fn kernels() -> Option<EngineSource> {
    gpu()?;
    Some(EngineSource::open(EngineChoice::Kernels, &AdapterChoice::Best, KernelOptions::default()).unwrap())
}

fn on_kernels(recording: Option<&str>) -> Option<Emulator> {
    Some(Emulator::start(kernels()?, recording))
}

/// Plays a capture; after each wait the program's memory is the chip's of a replay on the reference.
fn play(mut client: Client, name: &str) {
    let capture = capture(name);
    let mut replay = Replay::new(&capture);
    let mut waits = 0;
    client.play(&capture.records, &mut |record, handle, content| {
        waits += 1;
        assert!(content == replay.content(record + 1, handle), "{name}: record {record}, buffer {handle}");
    });
    assert!(waits > 0, "{name} waits for nothing");
}

/// A program that does what the capture's did ends with the surfaces of the reference's replay.
fn check(name: &str) {
    let Some(emulator) = on_kernels(None) else { return };
    play(emulator.connect(), name);
    let ended = emulator.closed().unwrap();
    assert_eq!((ended.failures, ended.outcome.anomalies), (Vec::new(), Vec::new()), "{name}");
    assert_eq!(hash_lines(&ended.outcome.surfaces), replayed(&capture(name)), "{name}");
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
    let Some(kernels) = kernels() else { return };
    check_times(kernels);
}

#[test]
fn programs_at_the_same_time_do_not_meet() {
    let Some(emulator) = on_kernels(None) else { return };
    let names = ["textri", "query", "cube", "query"];
    let clients = names.map(|name| (emulator.connect(), name));
    std::thread::scope(|scope| {
        for (client, name) in clients {
            scope.spawn(move || play(client, name));
        }
    });
    let mut lines = names.map(|_| emulator.closed()).map(|closed| {
        let name = names[closed.connection as usize];
        (name, hash_lines(&closed.unwrap().outcome.surfaces))
    });
    lines.sort();
    let mut expected = names.map(|name| (name, replayed(&capture(name))));
    expected.sort();
    assert_eq!(lines, expected);
}
