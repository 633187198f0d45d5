//! Real captures: the picture that each program means, golden hashes, and the same bytes on both engines.

mod common;

use std::path::{Path, PathBuf};

use curie::capture::Capture;
use curie::kernels::{KernelOptions, Kernels};
use curie::present::{Channel, Picture, read_png};
use curie::reference::Reference;
use curie::replay::{Outcome, ReplayOptions, replay};
use curie::work::Engine;

/// Steps of eight bits within which a pixel agrees with the picture that another renderer made.
const TOLERANCE: u8 = 8;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/captures")
}

fn capture(name: &str) -> Capture {
    Capture::read(&std::fs::read(folder().join(format!("{name}.nvcap"))).unwrap()).unwrap()
}

fn run(capture: &Capture, engine: &mut dyn Engine) -> Outcome {
    replay(capture, engine, &ReplayOptions::default(), &mut |_, _| {}).unwrap()
}

fn on_reference(capture: &Capture) -> Outcome {
    let mut engine = Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
    run(capture, &mut engine)
}

fn on_kernels(capture: &Capture, options: KernelOptions) -> Option<Outcome> {
    let gpu = common::gpu()?;
    let header = capture.header;
    let mut engine = Kernels::new(gpu, options, header.vram_bytes, header.gart_bytes).unwrap();
    Some(run(capture, &mut engine))
}

fn hash_lines(outcome: &Outcome) -> String {
    outcome.surfaces.iter().map(|surface| surface.hash_line() + "\n").collect()
}

/// Replays on the reference; the picture agrees with the one beside the capture in this share of its pixels, and the
/// hashes are those written down.
fn check_picture(name: &str, agreement: f64) {
    let outcome = on_reference(&capture(name));
    let picture = Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap();
    let expected = read_png(&folder().join(format!("{name}.png"))).unwrap();
    let difference = picture.difference(&expected, TOLERANCE).expect("sizes are equal");
    assert!(difference.agreement() >= agreement, "{name}: {} {difference:?}", difference.agreement());

    let lines = hash_lines(&outcome);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&golden, &lines).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).expect("BLESS=1 writes the golden hashes of the reference");
    assert_eq!(lines, expected, "{name}: the reference's hashes changed; BLESS=1 accepts them");
}

/// Replays on the kernels with several tile and batch sizes; every byte equals the reference's.
fn check_kernels(name: &str) {
    let capture = capture(name);
    let reference = on_reference(&capture);
    let default = KernelOptions::default();
    let variations = [default, KernelOptions { tile_size: 32, batch_primitives: 7, ..default }];
    for options in variations {
        let Some(kernels) = on_kernels(&capture, options) else { return };
        assert_eq!(reference.surfaces.len(), kernels.surfaces.len(), "{name}");
        for (expected, actual) in reference.surfaces.iter().zip(&kernels.surfaces) {
            let bytes = expected.format.bytes() as usize;
            let pairs = expected.rows.chunks(bytes).zip(actual.rows.chunks(bytes));
            let differing: Vec<_> = pairs.enumerate().filter(|(_, (left, right))| left != right).collect();
            if let Some((pixel, (left, right))) = differing.first() {
                let (x, y) = (*pixel as u32 % expected.width, *pixel as u32 / expected.width);
                let count = differing.len();
                let surface = &expected.name;
                panic!(
                    "{name} {surface} {options:?}: {count} pixels differ, first ({x}, {y}): {left:02x?} {right:02x?}"
                );
            }
        }
        assert_eq!(hash_lines(&reference), hash_lines(&kernels), "{name}");
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
// first sprite 1/8 pixel to the right, where texels no longer meet in pixel centres: 1976 of 65,536 pixels.
captures! {
    flat: 0.97;
    smooth: 0.97;
    textri: 0.97;
    cube: 0.97;
    arbvpfp: 0.97;
    blend_stencil: 0.97;
    points_lines: 0.96;
    prims: 0.97;
    query: 0.97;
    ifelse: 0.97;
    loop_const: 0.97;
    npot: 0.97;
    dxt: 0.97;
    vfmt: 0.97;
    copy: 0.97;
    multiframe: 0.97;
    tex3d: 0.97;
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
