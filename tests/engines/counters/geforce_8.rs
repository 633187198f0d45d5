//! Every capture of the GeForce 8: counting changes no surface, both engines count alike, and sums hold.

use std::path::Path;

use curie::capture::Capture;
use curie::counters::{Counter, Counters, CountingOptions};
use curie::counting::CountingEngine;
use curie::kernels::{KernelOptions, Kernels};
use curie::reference::Reference;
use curie::replay::{Readback, ReplayOptions, Surface, replay};

use super::captures::{check_sums, difference};
use super::warps::check_models;
use crate::common;

/// What a capture leaves: hashes of surfaces and readbacks, and what the chip did not know.
fn played(capture: &Capture, engine: &mut dyn CountingEngine) -> Vec<String> {
    let options = ReplayOptions { readbacks: true, ..ReplayOptions::default() };
    let outcome = replay(capture, engine, &options, &mut |_, _| {}).unwrap();
    let hashes =
        outcome.readbacks.iter().map(Readback::hash_line).chain(outcome.surfaces.iter().map(Surface::hash_line));
    hashes.chain(outcome.anomalies.iter().map(ToString::to_string)).collect()
}

fn counted(capture: &Capture, engine: &mut dyn CountingEngine) -> (Vec<String>, Vec<Counters>) {
    engine.start_counting(CountingOptions::default()).unwrap();
    (played(capture, engine), engine.take_counters().unwrap())
}

/// The sums of SIMT programs.
fn check_processor(name: &str, counters: &Counters) {
    use Counter::*;
    let stages = |counter| counters.elements(counter).iter().copied();
    for (threads, warps) in stages(Threads).zip(stages(Warps)) {
        assert!(threads.div_ceil(32) <= warps && warps <= threads, "{name}");
    }
    for (executed, issued) in stages(ThreadInstructions).zip(stages(WarpInstructions)) {
        assert!(executed <= 32 * issued, "{name}");
    }
    assert_eq!(counters.total(UnitInstructions), counters.total(WarpInstructions), "{name}");
    assert_eq!(counters.elements(Threads)[2], 4 * counters.total(ShadedQuads), "{name}");
    assert!(counters.elements(Threads)[0] <= counters.total(CacheMisses), "{name}");
    assert_eq!(counters.elements(ThreadInstructions)[0], counters.total(VertexInstructions), "{name}");
    assert_eq!(counters.elements(ThreadFetches)[0], counters.total(VertexTextureLookups), "{name}");
}

fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/captures/geforce-8/{name}.nvcap"));
    let capture = Capture::read(&std::fs::read(path).unwrap()).unwrap();
    let header = capture.header;
    let reference = || Reference::new(header.vram_bytes, header.gart_bytes).unwrap();
    let plain = played(&capture, &mut reference());
    let (outcome, expected) = counted(&capture, &mut reference());
    assert_eq!(outcome, plain, "counting changes {name}");
    let mut sum = Counters::default();
    for counters in &expected {
        check_sums(name, counters);
        check_processor(name, counters);
        sum += counters;
    }
    check_sums(name, &sum);
    assert!(sum.total(Counter::Passed) > 0 && sum.total(Counter::Warps) > 0, "{name}");
    check_models(name, &capture, &expected);
    let Some(gpu) = common::gpu() else { return };
    let mut kernels = Kernels::new(gpu, KernelOptions::default(), header.vram_bytes, header.gart_bytes).unwrap();
    let (outcome, actual) = counted(&capture, &mut kernels);
    assert_eq!(difference(&expected, &actual), None, "{name}");
    assert_eq!(outcome, plain, "counting changes {name} on kernels");
}

macro_rules! captures {
    ($($name:ident)*) => {
        $( #[test] fn $name() { check(stringify!($name)); } )*

        #[test]
        fn all_captures_are_counted() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/captures/geforce-8");
            let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            let captures = paths.filter(|path| path.extension().is_some_and(|extension| extension == "nvcap"));
            let mut found: Vec<_> =
                captures.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
            found.sort_unstable();
            assert_eq!(found, [$(stringify!($name)),*]);
        }
    };
}

captures! {
    buffers clamped_colors clip_distances conditions cube_map culling depth_clamp eight_samples eight_targets flat_shading
    float_targets
    flow geometry_program instances integer_targets interpolation layers lookups multisample packed_vertices point_sizes
    primitive_restart render_targets rgtc_textures srgb_filter srgb_target srgb_textures stream_output target_formats
    texture_arrays texture_formats two_sided_lighting two_sided_stencil two_sources window_position
}
