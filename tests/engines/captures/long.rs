//! Captures that the reference would draw for minutes in a test: benchmarks with the picture of another renderer, and a
//! game. The kernels give the hashes that the reference wrote into the check file.

use curie::kernels::{KernelOptions, Kernels};
use curie::present::{Channel, Picture};
use curie::replay::{ReplayOptions, replay};

use super::{Bound, decoded, disagreement_with};
use crate::common;
use crate::common::check_files::{LONG_CAPTURES, assert_expected, case, cases, stream};

/// Replays on the kernels; the surfaces are those of the check file, and the picture keeps the bounds.
fn check(name: &str, bounds: &[Bound]) {
    let Some(gpu) = common::gpu() else { return };
    let case = case(LONG_CAPTURES, name);
    let stream = stream(&case);
    let capture = decoded(&stream.path);
    let header = capture.header;
    let mut engine = Kernels::new(gpu, KernelOptions::default(), header.vram_bytes, header.gart_bytes).unwrap();
    let options = ReplayOptions { until_draw: stream.until_draw, ..ReplayOptions::default() };
    let outcome = replay(&capture, &mut engine, &options, &mut |_, _| {}).unwrap();
    assert_expected(&case, &outcome);
    let picture = Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap();
    assert_eq!(disagreement_with(bounds, &format!("bench/{name}"), &picture), None);
}

macro_rules! benchmarks {
    ($($name:ident: within $steps:literal except $exceptions:literal;)*) => {
        $( #[test] fn $name() {
            let bound = Bound { picture: ".png", steps: $steps, exceptions: $exceptions };
            check(stringify!($name), &[bound]);
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

/// The title of Neverball up to a draw.
#[test]
fn neverball_title() {
    check("neverball_title", &[]);
}

#[test]
fn every_case_of_the_check_file_is_tested() {
    let names: Vec<String> = cases(LONG_CAPTURES).into_iter().map(|case| case.name).collect();
    assert_eq!(names, [BENCHMARKS, &["neverball_title"]].concat());
}
