//! Random valid states and programs on both engines: every byte of memory and every counter is equal.
//!
//! A case is a stream of methods that its seed alone determines. Baked state (programs, texture units, modes of the
//! rasterizer, the output merger) comes from pools, so that thousands of cases need some hundred kernels. Everything
//! else is new in each case. Environment:
//!
//! - `CURIE_DIFFERENTIAL_CASES`: the number of cases, 120 by default.
//! - `CURIE_DIFFERENTIAL_PATH`: `fused` (the default) or `split`, the kernels that draws go through; or `counted`, which
//!   also compares counters.
//! - `CURIE_DIFFERENTIAL_SEED`: the first seed, 0 by default. A failure names its seed.
//!
//! A failing case is written as a capture to `target/tmp/differential_SEED.nvcap` for `curie replay`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod case;
mod merger;
mod programs;
mod raster;
mod textures;
mod vertices;

use crate::common;
use std::io::Write as _;

use case::{BLOCK, MEMORY_BYTES, MEMORY_START, case};
use curie::capture::Capture;
use curie::counters::{Counter, Counters, CountingOptions};
use curie::counting::CountingEngine;
use curie::gpu::Gpu;
use curie::kernels::{KernelOptions, KernelPath, Kernels};
use curie::machine::chip_of;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::reference::Reference;

/// Bytes of VRAM that streams may declare.
const VRAM_BYTES: u64 = 4 << 20;

/// The result of a case: memory, the chip's reports, and the counters of its draws if they are counted.
#[derive(PartialEq, Eq)]
struct Outcome {
    memory: Vec<u8>,
    anomalies: Vec<String>,
    counters: Vec<Counters>,
}

/// Plays a case and reads all of its memory, the report buffer included.
fn play(capture: &Capture, engine: &mut dyn CountingEngine) -> Outcome {
    let mut chip = chip_of(&capture.header).unwrap();
    for record in &capture.records {
        chip.apply(record, engine).unwrap();
    }
    let counters = engine.take_counters().unwrap();
    let mut memory = vec![0; MEMORY_BYTES as usize + 4096];
    let (vram, reports) = memory.split_at_mut(MEMORY_BYTES as usize);
    let window = |space, start| MemoryWindow { space, start, bytes: u32::MAX };
    engine.read_memory(window(MemorySpace::Vram, MEMORY_START), vram).unwrap();
    engine.read_memory(window(MemorySpace::Gart, 1 << 20), reports).unwrap();
    Outcome { memory, anomalies: chip.anomalies().lines(), counters }
}

/// Describes where two outcomes differ.
fn difference(expected: &Outcome, actual: &Outcome) -> Option<String> {
    if expected.anomalies != actual.anomalies {
        return Some(format!("{:?} instead of {:?}", actual.anomalies, expected.anomalies));
    }
    if expected.counters.len() != actual.counters.len() {
        return Some(format!("{} draws instead of {}", actual.counters.len(), expected.counters.len()));
    }
    for (draw, (expected, actual)) in expected.counters.iter().zip(&actual.counters).enumerate() {
        let differs = |counter: &&Counter| expected.elements(**counter) != actual.elements(**counter);
        if let Some(counter) = Counter::ALL.iter().find(differs) {
            let [expected, actual] = [expected, actual].map(|counters| counters.elements(*counter));
            return Some(format!("{counter:?} of draw {draw}: {actual:?} instead of {expected:?}"));
        }
    }
    let at = expected.memory.iter().zip(&actual.memory).position(|(expected, actual)| expected != actual)?;
    let count = expected.memory.iter().zip(&actual.memory).filter(|(expected, actual)| expected != actual).count();
    let place = case::place(at);
    Some(format!("{count} bytes, first {place}: {:#04x} instead of {:#04x}", actual.memory[at], expected.memory[at]))
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn random_streams_leave_the_same_bytes() {
    let (path, counts) = match std::env::var("CURIE_DIFFERENTIAL_PATH").as_deref() {
        Ok("split") => (KernelPath::Split, false),
        Ok("counted") => (KernelPath::Fused, true),
        Ok("counted_split") => (KernelPath::Split, true),
        _ => (KernelPath::Fused, false),
    };
    compare(path, counts, number("CURIE_DIFFERENTIAL_CASES", 120));
}

#[test]
fn random_streams_count_the_same() {
    compare(KernelPath::Split, true, 20);
}

#[test]
fn random_streams_count_the_same_in_whole_tiles() {
    compare(KernelPath::Fused, true, 40);
}

/// Plays this many cases on both engines.
fn compare(path: KernelPath, counts: bool, count: u64) {
    let Some(gpu) = common::gpu() else { return };
    let first = number("CURIE_DIFFERENTIAL_SEED", 0);
    let engine = |gpu: Gpu| {
        let options =
            KernelOptions { tile_size: 8, batch_primitives: 5, quad_capacity: 512, path, ..KernelOptions::default() };
        let mut engine = Kernels::new(gpu, options, VRAM_BYTES, VRAM_BYTES).unwrap();
        if counts {
            engine.start_counting(CountingOptions::default()).unwrap();
        }
        engine
    };
    let mut kernels = engine(gpu);
    let mut reference = Reference::new(VRAM_BYTES, VRAM_BYTES).unwrap();
    if counts {
        reference.start_counting(CountingOptions::default()).unwrap();
    }
    let mut failures = Vec::new();
    let mut drawn = 0;
    let mut counted = Counters::default();
    for seed in first..first + count {
        if seed % 1000 == 999 {
            let _ = writeln!(std::io::stderr(), "seed {seed}");
        }
        if seed > first && seed.is_multiple_of(BLOCK) {
            // Kernels of the last block are never needed again, and take several gigabytes.
            kernels = engine(common::gpu().expect("it was there before"));
        }
        let capture = case(seed);
        let expected = play(&capture, &mut reference);
        let actual = play(&capture, &mut kernels);
        expected.counters.iter().for_each(|counters| counted += counters);
        drawn += usize::from(case::has_drawn(&expected.memory));
        if let Some(difference) = difference(&expected, &actual) {
            let path = format!("{}/differential_{seed}.nvcap", env!("CARGO_TARGET_TMPDIR"));
            std::fs::write(&path, capture.write()).unwrap();
            failures.push(format!("seed {seed}: {difference}; {path}"));
        } else if !expected.anomalies.is_empty() {
            failures.push(format!("seed {seed} is not a valid stream: {:?}", expected.anomalies));
        }
        if failures.len() >= 20 {
            break;
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    // So must their counters, if draws are counted.
    let shows = |counter| counted.total(counter) > 0;
    assert!(!counts || [Counter::Passed, Counter::Arithmetic, Counter::VertexInstructions].into_iter().all(shows));
    // Many random streams must show something, or the comparison proves little.
    assert!(drawn as u64 * 4 > count, "only {drawn} of {count} streams drew anything");
}

#[test]
fn a_seed_gives_the_same_stream_again() {
    assert_eq!(case(7).write(), case(7).write());
    assert_ne!(case(7).write(), case(8).write());
}

#[test]
fn a_planted_difference_is_found() {
    let outcome = |byte| Outcome { memory: vec![0, 0, byte], anomalies: Vec::new(), counters: Vec::new() };
    assert_eq!(difference(&outcome(1), &outcome(1)), None);
    assert!(difference(&outcome(1), &outcome(3)).unwrap().contains("0x03 instead of 0x01"));
    let warned = Outcome { anomalies: vec!["odd".to_owned()], ..outcome(1) };
    assert!(difference(&outcome(1), &warned).unwrap().contains("odd"));
    let counted = |quads| {
        let mut counters = Counters::default();
        counters.add(Counter::Quads, quads);
        Outcome { counters: vec![counters], ..outcome(1) }
    };
    assert_eq!(difference(&counted(1), &counted(1)), None);
    assert!(difference(&counted(1), &counted(2)).unwrap().contains("Quads of draw 0"));
    assert!(difference(&counted(1), &outcome(1)).unwrap().contains("0 draws"));
}
