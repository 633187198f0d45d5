//! Random valid states and programs on both engines: every byte of memory and every counter is equal.
//!
//! Two seeds determine a stream: that of its family and that of its number in it. The first selects all that is compiled
//! into kernels (programs, texture units, modes of the rasterizer, the output merger) from pools whose sizes have no common
//! multiple below a million, so that each family has a pipeline of its own: 80 families have 80. The second selects
//! the rest (vertices, primitives, constants, textures, prior contents of targets, rectangles, reference values), so that
//! members of a family share kernels. Compiling those of a family takes longer than hundreds of streams. Environment:
//!
//! - `CURIE_DIFFERENTIAL_CASES`: the number of families, 24 by default, and 80 every night.
//! - `CURIE_DIFFERENTIAL_MEMBERS`: the number of streams in each, 4 by default.
//! - `CURIE_DIFFERENTIAL_PATH`: `invocations` (the default), `workgroups` or `stages`, the kernels that draws go through.
//! - `CURIE_DIFFERENTIAL_EXACT_USES`: how many uses of a kernel precede its fast path, 0 by default.
//! - `CURIE_DIFFERENTIAL_COUNTS`: if set, counters are compared, too.
//! - `CURIE_DIFFERENTIAL_SEED`, `CURIE_DIFFERENTIAL_MEMBER`: the first family and its first member, 0 by default.
//!
//! A failure names both seeds. Its stream is written as a capture to `target/tmp/differential_FAMILY_MEMBER.nvcap` for
//! `curie replay`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod shared_kernels;

use std::io::Write as _;
use std::time::Instant;

use curie::counters::{Counter, Counters};
use curie::gpu::Gpu;
use curie::kernels::{KernelOptions, KernelPath};

use crate::common;
use crate::common::engine_pair::{EnginePair, Outcome, difference, different_byte};
use crate::common::nightly::cases;
use crate::common::random_stream::{BLOCK, RandomStream, has_drawn, places};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn random_streams_leave_the_same_bytes() {
    let path = std::env::var("CURIE_DIFFERENTIAL_PATH").map_or(KernelPath::Invocations, |path| path.parse().unwrap());
    let counts = std::env::var_os("CURIE_DIFFERENTIAL_COUNTS").is_some();
    let families = number("CURIE_DIFFERENTIAL_CASES", cases(12, 80));
    compare(path, counts, families, number("CURIE_DIFFERENTIAL_MEMBERS", 4));
}

#[test]
fn random_streams_count_the_same() {
    compare(KernelPath::Stages, true, cases(4, 16), 3);
}

#[test]
fn random_streams_count_the_same_in_whole_tiles() {
    compare(KernelPath::Invocations, true, cases(8, 30), 3);
}

#[test]
fn random_streams_are_the_same_in_workgroups() {
    compare(KernelPath::Workgroups, false, cases(4, 16), 3);
}

#[test]
fn random_streams_count_the_same_in_workgroups() {
    compare(KernelPath::Workgroups, true, cases(4, 16), 3);
}

/// Families after which engines are closed, because they keep kernels, and those of 400 pipelines fill a gigabyte or more.
const FAMILIES_OF_ENGINES: u64 = 100;

/// Engines for a family: every other one has batches and rounds that hold most draws, the others split all of them.
fn engines(gpu: Gpu, path: KernelPath, counts: bool, family: u64) -> EnginePair {
    let exact_uses = u32::try_from(number("CURIE_DIFFERENTIAL_EXACT_USES", 0)).unwrap();
    let [batch_primitives, quad_capacity] = if family.is_multiple_of(2) { [5, 512] } else { [300, 1 << 14] };
    let options = KernelOptions { batch_primitives, quad_capacity, path, exact_uses, ..KernelOptions::default() };
    EnginePair::with_options(gpu, options, counts)
}

/// Plays this many families of this many streams on both engines.
fn compare(path: KernelPath, counts: bool, families: u64, members: u64) {
    if common::gpu().is_none() {
        return;
    }
    let [first, first_member] = ["CURIE_DIFFERENTIAL_SEED", "CURIE_DIFFERENTIAL_MEMBER"].map(|name| number(name, 0));
    let mut pairs = [None, None];
    let mut failures = Vec::new();
    let (mut played, mut drawn) = (0, 0);
    let mut counted = Counters::default();
    let started = Instant::now();
    'families: for family in first..first + families {
        if (family - first).is_multiple_of(FAMILIES_OF_ENGINES) {
            pairs = [None, None];
        }
        let pair = pairs[usize::from(family % 2 == 1)]
            .get_or_insert_with(|| engines(common::gpu().expect("it was there before"), path, counts, family));
        for member in first_member..first_member + members {
            let stream = RandomStream { family, member };
            let capture = stream.capture();
            let [expected, actual] = pair.play(&capture);
            expected.counters.iter().for_each(|counters| counted += counters);
            drawn += u64::from(has_drawn(&expected.memory));
            played += 1;
            let name = format!("family {family}, member {member}");
            if let Some(difference) = difference(&expected, &actual) {
                let path = format!("{}/differential_{family}_{member}.nvcap", env!("CARGO_TARGET_TMPDIR"));
                std::fs::write(&path, capture.write()).unwrap();
                let pixel = different_byte(&expected, &actual).and_then(|at| stream.pixel(at));
                let pixel = pixel.map_or_else(String::new, |[x, y]| format!(", pixel ({x}, {y})"));
                failures.push(format!("{name}: {difference}{pixel}; {path}"));
            } else if !expected.anomalies.is_empty() {
                failures.push(format!("{name} is not a valid stream: {:?}", expected.anomalies));
            }
            if played % 1000 == 0 {
                let seconds = started.elapsed().as_secs();
                let failures = failures.len();
                let _ = writeln!(std::io::stderr(), "{name}: {played} streams in {seconds} s, {failures} failures");
            }
            if failures.len() >= 20 {
                break 'families;
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    // Many random streams must show something, or the comparison proves little.
    assert!(drawn * 4 > played, "only {drawn} of {played} streams drew anything");
    // So must their counters, if draws are counted.
    let shows = |counter| counted.total(counter) > 0;
    assert!(!counts || [Counter::Passed, Counter::Arithmetic, Counter::VertexInstructions].into_iter().all(shows));
}

#[test]
fn every_family_of_a_block_has_its_own_pipeline() {
    let pipelines: std::collections::BTreeSet<_> = (0..BLOCK).map(places).collect();
    assert_eq!(pipelines.len() as u64, BLOCK);
}

#[test]
fn two_seeds_give_the_same_stream_again() {
    let records = |family, member| RandomStream { family, member }.capture().write();
    assert_eq!(records(7, 3), records(7, 3));
    let others = [records(7, 0), records(7, 4), records(8, 3)];
    assert!(!others.contains(&records(7, 3)));
}

#[test]
fn a_difference_is_named_by_its_pixel() {
    let layouts = (0..40).map(|family| {
        let pixel = |at| RandomStream { family, member: 0 }.pixel(at).unwrap();
        assert_eq!(pixel(0), [0, 0]);
        assert_eq!(pixel(0x4000), [0, 0], "the second color");
        assert_eq!(RandomStream { family, member: 0 }.pixel(0x1_4000), None, "no surface");
        (pixel(63), pixel(0x1_0000 + 4 * 32))
    });
    let layouts: std::collections::BTreeSet<_> = layouts.collect();
    // Pixels of four bytes: the last of the first 16, and the 33rd of the depth surface.
    assert!(layouts.contains(&([15, 0], [0, 1])), "linear order: {layouts:?}");
    assert!(layouts.contains(&([3, 3], [0, 4])), "swizzled order: {layouts:?}");
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
