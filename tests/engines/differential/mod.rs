//! Random valid states and programs on both engines: every byte of memory and every counter is equal.
//!
//! A case is a stream of methods that its seed alone determines. Baked state (programs, texture units, modes of the
//! rasterizer, the output merger) comes from pools whose sizes have no common multiple below a million, so that each case
//! has a pipeline of its own: 120 cases have 120, of some 300 kernels. Everything else is new in each case. Environment:
//!
//! - `CURIE_DIFFERENTIAL_CASES`: the number of cases, 120 by default.
//! - `CURIE_DIFFERENTIAL_PATH`: `invocations` (the default), `workgroups` or `stages`, the kernels that draws go through.
//! - `CURIE_DIFFERENTIAL_COUNTS`: if set, counters are compared, too.
//! - `CURIE_DIFFERENTIAL_SEED`: the first seed, 0 by default. A failure names its seed.
//!
//! A failing case is written as a capture to `target/tmp/differential_SEED.nvcap` for `curie replay`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write as _;

use curie::counters::{Counter, Counters};
use curie::gpu::Gpu;
use curie::kernels::KernelPath;

use crate::common;
use crate::common::engine_pair::{EnginePair, InputEngines, Outcome, difference};
use crate::common::random::Random;
use crate::common::random_stream::{BLOCK, case, has_drawn, places};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn random_streams_leave_the_same_bytes() {
    let path = std::env::var("CURIE_DIFFERENTIAL_PATH").map_or(KernelPath::Invocations, |path| path.parse().unwrap());
    let counts = std::env::var_os("CURIE_DIFFERENTIAL_COUNTS").is_some();
    compare(path, counts, number("CURIE_DIFFERENTIAL_CASES", 120));
}

#[test]
fn random_streams_count_the_same() {
    compare(KernelPath::Stages, true, 20);
}

#[test]
fn random_streams_count_the_same_in_whole_tiles() {
    compare(KernelPath::Invocations, true, 40);
}

#[test]
fn random_streams_are_the_same_in_workgroups() {
    compare(KernelPath::Workgroups, false, 20);
}

#[test]
fn random_streams_count_the_same_in_workgroups() {
    compare(KernelPath::Workgroups, true, 20);
}

/// Plays this many cases on both engines.
fn compare(path: KernelPath, counts: bool, count: u64) {
    let Some(gpu) = common::gpu() else { return };
    let first = number("CURIE_DIFFERENTIAL_SEED", 0);
    let engines = |gpu: Gpu| EnginePair::new(gpu, path, counts);
    let mut pair = engines(gpu);
    let mut failures = Vec::new();
    let mut drawn = 0;
    let mut counted = Counters::default();
    for seed in first..first + count {
        if seed % 1000 == 999 {
            let _ = writeln!(std::io::stderr(), "seed {seed}");
        }
        if seed > first && seed.is_multiple_of(400) {
            // The engine keeps its kernels, and those of 400 streams fill a gigabyte or more.
            pair = engines(common::gpu().expect("it was there before"));
        }
        let capture = case(seed);
        let [expected, actual] = pair.play(&capture);
        expected.counters.iter().for_each(|counters| counted += counters);
        drawn += usize::from(has_drawn(&expected.memory));
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

/// The fuzz target of both engines, on inputs that share a pipeline for each path.
#[test]
fn streams_of_inputs_leave_the_same_bytes() {
    if common::gpu().is_none() {
        return;
    }
    let mut engines = InputEngines::new(|| common::gpu().expect("it was there before"));
    let input = |seed: u8| {
        let mut random = Random::new(seed.into());
        let mut input: Vec<u8> = (0..1024).flat_map(|_| random.word().to_le_bytes()).collect();
        (input[0], input[1]) = (seed, 0);
        input
    };
    let drawn = (0..12).filter(|seed| engines.compare(&input(*seed))).count();
    assert!(drawn >= 4, "only {drawn} of 12 streams drew anything");
}

#[test]
fn every_stream_of_a_block_has_its_own_pipeline() {
    let pipelines: std::collections::BTreeSet<_> = (0..BLOCK).map(places).collect();
    assert_eq!(pipelines.len() as u64, BLOCK);
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
