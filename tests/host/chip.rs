//! Runs streams through the chip onto an engine that only records commands.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use crate::common::recorder::Recorder;
use curie::capture::Capture;
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

fn captures() -> Vec<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/captures");
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
