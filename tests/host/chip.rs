//! Runs streams through the chip onto an engine that only records commands.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::path::{Path, PathBuf};

use crate::common::recorder::Recorder;
use curie::capture::{Capture, Record};
use curie::chip::Chip;
use curie::machine::chip_of;
use curie::pipeline::{Elements, GpuCommand, PrimitiveType};

fn replay(capture: &Capture) -> (Chip, Recorder) {
    let mut chip = chip_of(&capture.header).unwrap();
    let mut engine = Recorder::new(capture.header.vram_bytes, capture.header.gart_bytes);
    for record in &capture.records {
        chip.apply(record, &mut engine).unwrap();
    }
    (chip, engine)
}

fn captures() -> Vec<PathBuf> {
    captures_of("scenes/captures")
}

fn captures_of(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().contains(".nvcap"));
    assert!(!paths.is_empty(), "no captures were found");
    paths.sort();
    paths
}

#[test]
fn recorded_captures_decode_without_anomalies() {
    for path in captures() {
        let capture = Capture::open(&path).unwrap();
        assert!(capture.warnings.is_empty(), "{}: {:?}", path.display(), capture.warnings);
        let (chip, engine) = replay(&capture);
        let anomalies: Vec<_> = chip.anomalies().iter().map(|(anomaly, _)| anomaly.to_string()).collect();
        assert_eq!(anomalies, [""; 0], "{}", path.display());
        assert!(engine.work.iter().any(|command| matches!(command, GpuCommand::Draw(_))), "{}", path.display());
        let surfaces = chip.bound_surfaces();
        assert_eq!(surfaces[0].name, "color0", "{}", path.display());
    }
}

/// Replays a capture, and steps of at most `most` methods of its submissions; returns the largest step, too.
fn replay_in_steps(capture: &Capture, most: u64) -> (Chip, Recorder, u64) {
    let mut chip = chip_of(&capture.header).unwrap();
    let mut engine = Recorder::new(capture.header.vram_bytes, capture.header.gart_bytes);
    let mut largest = 0;
    for record in &capture.records {
        let Record::Submit(submission) = record else {
            chip.apply(record, &mut engine).unwrap();
            continue;
        };
        let mut run = chip.start(submission).unwrap();
        while let Some(methods) = chip.execute_next(&mut run, most, &mut engine).unwrap() {
            assert!(methods >= 1 && methods <= most);
            largest = largest.max(methods);
        }
    }
    (chip, engine, largest)
}

/// Elements that follow one another in a packet are taken at once.
#[test]
fn words_of_elements_mean_the_same_one_by_one() {
    let mut largest = 0;
    for path in captures().into_iter().chain(captures_of("scenes/captures/geforce-8")) {
        let capture = Capture::open(&path).unwrap();
        let (one_by_one, expected, one) = replay_in_steps(&capture, 1);
        assert_eq!(one, 1);
        for most in [5, u64::MAX] {
            let (chip, engine, step) = replay_in_steps(&capture, most);
            assert_eq!(chip.counts(), one_by_one.counts(), "{}, {most}", path.display());
            assert!(engine.work == expected.work, "{}, {most}", path.display());
            largest = largest.max(step);
        }
    }
    assert!(largest >= 8, "{largest}");
}

#[test]
fn recorded_captures_are_written_back_byte_for_byte() {
    for path in captures() {
        let bytes = std::fs::read(&path).unwrap();
        let capture = Capture::read(&bytes).unwrap();
        if path.extension().is_some_and(|extension| extension == "nvcap") {
            assert!(capture.write() == bytes, "{}", path.display());
        }
    }
}

#[test]
fn flat_capture_draws_one_triangle() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/captures/flat.nvcap");
    let (chip, engine) = replay(&Capture::open(path).unwrap());
    let draws: Vec<_> = engine
        .work
        .iter()
        .filter_map(|command| match command {
            GpuCommand::Draw(draw) => Some(draw),
            _ => None,
        })
        .collect();
    let triangles: Vec<_> = draws.iter().filter(|draw| draw.primitive == PrimitiveType::Triangles).collect();
    assert_eq!(triangles.len(), 1);
    assert_eq!(triangles[0].elements, Elements::Ranges(vec![(0, 3)]));
    let surface = &chip.bound_surfaces()[0];
    assert_eq!((surface.width, surface.height, surface.format.name()), (256, 256, "A8R8G8B8"));
}
