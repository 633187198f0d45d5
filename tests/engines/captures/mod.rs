//! Real captures: the picture that each program intends, golden hashes, and the same bytes on both engines.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;
use std::path::{Path, PathBuf};

use curie::capture::Capture;
use curie::kernels::{KernelOptions, KernelPath, Kernels};
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::Engine;
use curie::present::{Channel, Picture, read_png};
use curie::reference::Reference;
use curie::replay::{Outcome, ReplayOptions, replay};

/// The tolerance, in 8-bit steps, for a pixel that agrees with another renderer's picture.
const TOLERANCE: u8 = 8;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/captures")
}

fn capture(name: &str) -> Capture {
    Capture::read(&std::fs::read(folder().join(format!("{name}.nvcap"))).unwrap()).unwrap()
}

/// The result of a replay, with all of guest memory.
struct Run {
    outcome: Outcome,
    memory: [Vec<u8>; 2],
}

fn run(capture: &Capture, engine: &mut dyn Engine) -> Run {
    let outcome = replay(capture, engine, &ReplayOptions::default(), &mut |_, _| {}).unwrap();
    let memory = MemorySpace::ALL.map(|space| {
        let mut bytes = vec![0; engine.memory_extent(space) as usize];
        engine.read_memory(MemoryWindow { space, start: 0, bytes: u32::MAX }, &mut bytes).unwrap();
        bytes
    });
    Run { outcome, memory }
}

fn on_reference(capture: &Capture) -> Run {
    let mut engine = Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
    run(capture, &mut engine)
}

fn on_kernels(capture: &Capture, options: KernelOptions) -> Option<Run> {
    let gpu = common::gpu()?;
    let header = capture.header;
    let mut engine = Kernels::new(gpu, options, header.vram_bytes, header.gart_bytes).unwrap();
    Some(run(capture, &mut engine))
}

/// Describes where two runs differ: in hashes, in reports, in any byte of memory.
fn difference(expected: &Run, actual: &Run) -> Option<String> {
    let lines = [expected, actual].map(|run| hash_lines(&run.outcome));
    if lines[0] != lines[1] {
        return Some(format!("hashes\n{}instead of\n{}", lines[1], lines[0]));
    }
    if expected.outcome.anomalies != actual.outcome.anomalies {
        return Some(format!("{:?} instead of {:?}", actual.outcome.anomalies, expected.outcome.anomalies));
    }
    for (space, (expected, actual)) in expected.memory.iter().zip(&actual.memory).enumerate() {
        if expected.len() != actual.len() {
            return Some(format!("space {space} has {} bytes instead of {}", actual.len(), expected.len()));
        }
        if let Some(at) = expected.iter().zip(actual).position(|(expected, actual)| expected != actual) {
            return Some(format!("byte {at:#x} of space {space}: {} instead of {}", actual[at], expected[at]));
        }
    }
    None
}

fn hash_lines(outcome: &Outcome) -> String {
    outcome.surfaces.iter().map(|surface| surface.hash_line() + "\n").collect()
}

/// The share of pixels without a channel that differs by more than the tolerance.
fn agreement(left: &Picture, right: &Picture) -> f64 {
    assert_eq!((left.width, left.height), (right.width, right.height));
    let pixels = left.rgb.chunks_exact(3).zip(right.rgb.chunks_exact(3));
    let is_near = |(left, right): &(&[u8], &[u8])| left.iter().zip(*right).all(|(l, r)| l.abs_diff(*r) <= TOLERANCE);
    f64::from(u32::try_from(pixels.filter(is_near).count()).unwrap()) / f64::from(left.width * left.height)
}

/// Replays on the reference; this share of the pixels agrees with the picture beside the capture, and the hashes are
/// the recorded ones.
fn check_picture(name: &str, expected_agreement: f64) {
    let outcome = on_reference(&capture(name)).outcome;
    let picture = Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap();
    let expected = read_png(&folder().join(format!("{name}.png"))).unwrap();
    let agreement = agreement(&picture, &expected);
    assert!(agreement >= expected_agreement, "{name}: {agreement}");

    let lines = hash_lines(&outcome);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&golden, &lines).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).expect("BLESS=1 writes the golden hashes of the reference");
    assert_eq!(lines, expected, "{name}: the reference's hashes changed; BLESS=1 accepts them");
}

/// Replays on the kernels with several tile and batch sizes; every byte of memory equals the reference's.
fn check_kernels(name: &str) {
    let capture = capture(name);
    let reference = on_reference(&capture);
    let default = KernelOptions::default();
    let small =
        KernelOptions { tile_size: 8, batch_primitives: 7, quad_capacity: 1 << 10, path: KernelPath::Split, ..default };
    for options in [default, KernelOptions { tile_size: 32, ..default }, small] {
        let Some(kernels) = on_kernels(&capture, options) else { return };
        if let Some(difference) = difference(&reference, &kernels) {
            panic!("{name} {options:?}: {difference}");
        }
    }
}

#[test]
fn a_planted_difference_is_found() {
    let capture = capture("flat");
    let expected = on_reference(&capture);
    let mut actual = on_reference(&capture);
    assert_eq!(difference(&expected, &actual), None);
    let last = actual.memory[1].len() - 1;
    actual.memory[1][last] ^= 1;
    assert!(difference(&expected, &actual).unwrap().contains("space 1"));
    actual.outcome.surfaces[0].rows[0] ^= 1;
    assert!(difference(&expected, &actual).unwrap().contains("hashes"));
}

#[test]
fn a_planted_difference_of_pictures_is_found() {
    let grey = |values: [u8; 4]| Picture { width: 4, height: 1, rgb: values.map(|value| [value; 3]).concat() };
    let left = grey([10, 20, 30, 40]);
    let mut right = left.clone();
    right.rgb[4] += TOLERANCE;
    assert!((agreement(&left, &right) - 1.0).abs() < 1e-9);
    right.rgb[4] += 1;
    assert!((agreement(&left, &right) - 0.75).abs() < 1e-9);
}

/// Returns the mean difference of the channels of two pictures. The right picture is first moved by (dx, dy) pixels, and
/// what leaves at one edge comes back at the other.
fn mean_difference(left: &Picture, right: &Picture, [dx, dy]: [i64; 2]) -> f64 {
    let [width, height] = [left.width, left.height].map(i64::from);
    let at = |x: i64, y: i64| usize::try_from(3 * (width * y + x)).unwrap();
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let sum: u64 = pixels
        .map(|(x, y)| {
            let moved = at((x + dx).rem_euclid(width), (y + dy).rem_euclid(height));
            let channels = left.rgb[at(x, y)..][..3].iter().zip(&right.rgb[moved..][..3]);
            channels.map(|(left, right)| u64::from(left.abs_diff(*right))).sum::<u64>()
        })
        .sum();
    sum as f64 / left.rgb.len() as f64
}

/// The renderer of the picture averages an ellipse where the chip takes samples along a line. Neither is an oracle for the
/// other's pixels, but both have the texture at the same place.
#[test]
fn anisotropic_samples_lie_where_the_picture_has_them() {
    let outcome = on_reference(&capture("npot")).outcome;
    let picture = Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap();
    let expected = read_png(&folder().join("npot.png")).unwrap();
    let own = mean_difference(&picture, &expected, [0, 0]);
    for step in (0..9).map(|place| [place % 3 - 1, place / 3 - 1]).filter(|step| *step != [0, 0]) {
        let moved = mean_difference(&picture, &expected, step);
        assert!(own * 1.3 < moved, "{own} in place, {moved} at {step:?}");
    }
}

macro_rules! captures {
    ($($name:ident: $agreement:literal;)*) => {
        mod picture {
            $( #[test] fn $name() { super::check_picture(stringify!($name), $agreement); } )*
        }
        mod kernels {
            $( #[test] fn $name() { super::check_kernels(stringify!($name)); } )*
        }
        const NAMES: &[&str] = &[$( stringify!($name) ),*];
    };
}

// The stream of points_lines draws its round point as a square, its second sprite without texture coordinates, and its
// first sprite 1/8 pixel to the right, where texels no longer meet in pixel centers: 1976 of 65,536 pixels. That of npot is
// anisotropic, and its renderer averages an ellipse.
captures! {
    flat: 0.999;
    smooth: 0.999;
    textri: 0.999;
    cube: 0.999;
    arbvpfp: 1.0;
    blend_stencil: 0.999;
    points_lines: 0.969;
    prims: 0.999;
    query: 1.0;
    ifelse: 0.999;
    loop_const: 0.98;
    npot: 0.72;
    dxt: 1.0;
    vfmt: 0.999;
    copy: 0.999;
    multiframe: 0.999;
    tex3d: 1.0;
}

#[test]
fn every_bundled_capture_is_checked() {
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "nvcap") {
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(NAMES.contains(&name), "{name} has no test");
        }
    }
}
