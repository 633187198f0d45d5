//! Every bundled capture on both engines: equal counters, and the sums that the documentation states.

use std::path::Path;

use curie::capture::Capture;
use curie::counters::{Counter, Counters, CountingOptions};
use curie::counting::CountingEngine;
use curie::kernels::{KernelOptions, KernelPath, Kernels};
use curie::reference::Reference;
use curie::replay::{ReplayOptions, replay};

use crate::common;
use crate::common::nightly::is_nightly;

fn counted(capture: &Capture, engine: &mut dyn CountingEngine) -> Vec<Counters> {
    engine.start_counting(CountingOptions::default()).unwrap();
    replay(capture, engine, &ReplayOptions::default(), &mut |_, _| {}).unwrap();
    engine.take_counters().unwrap()
}

fn on_reference(capture: &Capture) -> Vec<Counters> {
    counted(capture, &mut Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap())
}

fn on_kernels(capture: &Capture, options: KernelOptions) -> Option<Vec<Counters>> {
    let header = capture.header;
    Some(counted(capture, &mut Kernels::new(common::gpu()?, options, header.vram_bytes, header.gart_bytes).unwrap()))
}

/// The first counter that differs between two lists.
pub(super) fn difference(expected: &[Counters], actual: &[Counters]) -> Option<String> {
    if expected.len() != actual.len() {
        return Some(format!("{} draws instead of {}", actual.len(), expected.len()));
    }
    expected.iter().zip(actual).enumerate().find_map(|(draw, (expected, actual))| {
        let counter = Counter::ALL.iter().find(|counter| expected.elements(**counter) != actual.elements(**counter))?;
        let [expected, actual] = [expected, actual].map(|counters| counters.elements(*counter));
        Some(format!("{counter:?} of draw {draw}: {actual:?} instead of {expected:?}"))
    })
}

/// The sums that hold for every draw, and for sums of draws.
pub(super) fn check_sums(name: &str, counters: &Counters) {
    let total = |counter| counters.total(counter);
    let sum = |counters: &[Counter]| counters.iter().map(|counter| total(*counter)).sum::<u64>();
    use Counter::*;
    assert_eq!(total(Indices), sum(&[CacheHits, CacheMisses]), "{name}");
    assert_eq!(total(Assembled), sum(&[Culled, Rejected, SetUp]), "{name}");
    assert!(total(Clipped) <= total(SetUp), "{name}");
    assert_eq!(4 * total(Quads), sum(&[Fragments, Helpers]), "{name}");
    let rejects = [EarlyDepthBounds, EarlyStencil, EarlyDepth, LateDepthBounds, LateStencil, LateDepth];
    assert_eq!(total(Samples), sum(&rejects) + sum(&[MaskedSamples, Passed]), "{name}");
    assert!(total(ShadedQuads) <= total(Quads) && total(ShadedFragments) <= total(Fragments), "{name}");
    assert!(4 * total(ShadedQuads) >= total(ShadedFragments), "{name}");
    // The threads of a quad fetch on their own.
    let fetched = total(Lookups);
    assert!(fetched <= 4 * total(TextureInstructions), "{name}");
    assert!(total(Warps) != 0 || fetched == 4 * total(TextureInstructions), "{name}");
    assert!(total(Trilinear).max(total(Anisotropic)) <= total(Lookups), "{name}");
    assert!(total(TextureSamples) >= total(Trilinear) + total(Anisotropic), "{name}");
    assert!(total(ZetaWrittenBytes) <= total(ZetaReadBytes) && total(DepthWrites) <= total(DepthReads), "{name}");
}

/// Captures that are counted in all configurations on every change; the others are so every night.
const IN_ALL_CONFIGURATIONS: [&str; 4] = ["cube", "query", "ifelse", "dxt"];

fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/captures/{name}.nvcap"));
    let capture = Capture::read(&std::fs::read(path).unwrap()).unwrap();
    let expected = on_reference(&capture);
    assert!(!expected.is_empty(), "{name} draws");
    let mut sum = Counters::default();
    for counters in &expected {
        check_sums(name, counters);
        sum += counters;
    }
    check_sums(name, &sum);
    assert!(sum.total(Counter::Passed) > 0, "{name}");
    let default = KernelOptions::default();
    let small = KernelOptions {
        tile_size: 8,
        batch_primitives: 7,
        quad_capacity: 1 << 10,
        path: KernelPath::Stages,
        ..default
    };
    let workgroups = KernelOptions { path: KernelPath::Workgroups, ..default };
    // Some draws, or all, reach more pages than there are: the reference runs them.
    let paged = [3 << 20, 4 << 12].map(|memory_bytes| KernelOptions { memory_bytes, ..default });
    let others = [KernelOptions { tile_size: 32, ..default }, workgroups, small].into_iter().chain(paged);
    let all = is_nightly() || IN_ALL_CONFIGURATIONS.contains(&name);
    for options in std::iter::once(default).chain(others.filter(|_| all)) {
        let Some(actual) = on_kernels(&capture, options) else { return };
        assert_eq!(difference(&expected, &actual), None, "{name} {options:?}");
    }
}

#[test]
fn a_planted_difference_is_found() {
    let mut expected = vec![Counters::default(); 2];
    expected[1].add(Counter::Quads, 7);
    let mut actual = expected.clone();
    assert_eq!(difference(&expected, &actual), None);
    actual[1].add(Counter::Quads, 1);
    assert!(difference(&expected, &actual).unwrap().contains("Quads of draw 1"));
    assert!(difference(&expected, &actual[1..]).unwrap().contains("1 draws"));
}

macro_rules! captures {
    ($($name:ident)*) => {
        $( #[test] fn $name() { check(stringify!($name)); } )*

        #[test]
        fn those_in_all_configurations_are_among_them() {
            let all = [$(stringify!($name)),*];
            assert!(IN_ALL_CONFIGURATIONS.iter().all(|name| all.contains(name)));
        }
    };
}

captures! {
    flat smooth textri cube arbvpfp blend_stencil points_lines prims query ifelse loop_const npot dxt vfmt copy multiframe tex3d
}
