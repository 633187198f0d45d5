//! Captures that the reference would draw for minutes in a test: benchmarks with the picture of another renderer, and a
//! game. The kernels give the hashes that the reference has recorded.

use curie::kernels::{KernelOptions, Kernels};
use curie::present::{Channel, Picture};
use curie::replay::{ReplayOptions, replay};

use super::{Bound, decoded, disagreement_with, folder, golden, hash_lines};
use crate::common;

/// Replays on the kernels up to a draw; the hashes are the recorded ones, and the picture keeps the bounds.
fn check(name: &str, until_draw: Option<u64>, bounds: &[Bound]) {
    let Some(gpu) = common::gpu() else { return };
    let capture = decoded(&folder().join(format!("{name}.nvcap.zst")));
    let header = capture.header;
    let mut engine = Kernels::new(gpu, KernelOptions::default(), header.vram_bytes, header.gart_bytes).unwrap();
    let options = ReplayOptions { until_draw, ..ReplayOptions::default() };
    let outcome = replay(&capture, &mut engine, &options, &mut |_, _| {}).unwrap();
    let expected = std::fs::read_to_string(golden(name)).unwrap();
    assert_eq!(hash_lines(&outcome), expected, "{name}: docs/captures.md tells how the reference writes the hashes");
    let picture = Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap();
    assert_eq!(disagreement_with(bounds, name, &picture), None);
}

macro_rules! benchmarks {
    ($($name:ident: within $steps:literal except $exceptions:literal;)*) => {
        $( #[test] fn $name() {
            let bound = Bound { picture: ".png", steps: $steps, exceptions: $exceptions };
            check(concat!("bench/", stringify!($name)), None, &[bound]);
        } )*
        const BENCHMARKS: &[&str] = &[$( stringify!($name) ),*];
    };
}

benchmarks! {
    alu100: within 1 except 0;
    alu20: within 1 except 0;
    blend8: within 2 except 0;
    clear: within 0 except 0;
    fill_flat: within 1 except 0;
    lit10k: within 1 except 24;
    stencil: within 1 except 0;
    tex_bilinear: within 0 except 0;
    zcull: within 1 except 0;
    zonly: within 0 except 0;
}

/// The title of Neverball, after the objects of the scene and before the draw that dims it.
#[test]
fn neverball_title() {
    check("neverball_title", Some(3268), &[]);
}

#[test]
fn every_bundled_benchmark_is_checked() {
    let entries = std::fs::read_dir(folder().join("bench")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> =
        entries.filter_map(|name| Some(name.to_str().unwrap().strip_suffix(".nvcap.zst")?.to_owned())).collect();
    names.sort();
    assert_eq!(names, BENCHMARKS);
}
