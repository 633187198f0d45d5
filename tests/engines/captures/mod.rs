//! Real captures: the pictures of other renderers, the hashes of the check files, and the same bytes on both engines.
//!
//! docs/captures.md describes the captures and explains each difference that a bound allows.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod features;
mod geforce_8;
mod long;

use crate::common;
use crate::common::check_files::{self, assert_expected, case, differences};
use crate::common::nightly::is_nightly;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use curie::capture::Capture;
use curie::kernels::{KernelOptions, KernelPath, Kernels};
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::Engine;
use curie::present::{Channel, Picture, read_png};
use curie::reference::Reference;
use curie::replay::{Outcome, ReplayOptions, rehearse, replay, with_rehearsal};

/// How near a capture comes to another renderer's picture.
pub(super) struct Bound {
    /// The end of the picture's file name, after the capture's.
    picture: &'static str,
    /// The largest difference of a channel, in 8-bit steps.
    steps: u8,
    /// The number of pixels that differ by more.
    exceptions: usize,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/captures")
}

fn decoded(path: &Path) -> Capture {
    Capture::read(&std::fs::read(path).unwrap()).unwrap()
}

fn capture(name: &str) -> Capture {
    decoded(&folder().join(format!("{name}.nvcap")))
}

/// The result of a replay, with all of guest memory.
pub(super) struct Run {
    pub(super) outcome: Outcome,
    pub(super) memory: [Vec<u8>; 2],
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
pub(super) fn difference(expected: &Run, actual: &Run) -> Option<String> {
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

/// The number of pixels with a channel that differs by more than some steps.
fn pixels_beyond(steps: u8, left: &Picture, right: &Picture) -> usize {
    assert_eq!((left.width, left.height), (right.width, right.height));
    let pixels = left.rgb.chunks_exact(3).zip(right.rgb.chunks_exact(3));
    pixels.filter(|(left, right)| left.iter().zip(*right).any(|(l, r)| l.abs_diff(*r) > steps)).count()
}

/// Describes where a capture's picture leaves the bounds to the pictures beside it.
fn disagreement(name: &str, picture: &Picture) -> Option<String> {
    let (_, bounds) = CAPTURES.iter().chain(geforce_8::CAPTURES).find(|(capture, _)| *capture == name).unwrap();
    disagreement_with(bounds, name, picture)
}

/// Another renderer's picture beside a capture. A chip that draws another one's picture has it from there.
fn picture_beside(name: &str, end: &str) -> Picture {
    let own = folder().join(format!("{name}{end}"));
    let shared = || folder().join(format!("{}{end}", name.rsplit('/').next().unwrap_or(name)));
    read_png(&if own.exists() { own } else { shared() }).unwrap()
}

fn disagreement_with(bounds: &[Bound], name: &str, picture: &Picture) -> Option<String> {
    bounds.iter().find_map(|bound| {
        let expected = picture_beside(name, bound.picture);
        let exceptions = pixels_beyond(bound.steps, picture, &expected);
        (exceptions > bound.exceptions)
            .then(|| format!("{exceptions} pixels differ by more than {} from {name}{}", bound.steps, bound.picture))
    })
}

/// Replays on the reference; the picture keeps the bounds to those beside the capture, and the surfaces are those of the
/// check file.
fn check_picture(name: &str) {
    let (file, case_name) = match name.strip_prefix(geforce_8::FOLDER) {
        Some(name) => (check_files::GEFORCE_8, name),
        None => (check_files::CAPTURES, name),
    };
    let outcome = on_reference(&capture(name)).outcome;
    let picture = Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap();
    assert_eq!(disagreement(name, &picture), None);
    assert_expected(&case(file, case_name), &outcome);
}

/// Captures that are played in all configurations on every change, because together they have all primitives, per-pixel
/// tests, formats of targets, kinds of textures, branches, multisampling and copies. The others are so every night.
const IN_ALL_CONFIGURATIONS: [&str; 9] =
    ["prims", "blend_stencil", "target_formats", "dxt", "cube_map", "ifelse", "multisample", "copy", "points_lines"];

/// Replays on the kernels, with several tile and batch sizes; every byte of memory equals the reference's.
fn check_kernels(name: &str) {
    let capture = capture(name);
    let reference = on_reference(&capture);
    let default = KernelOptions::default();
    let small = KernelOptions {
        tile_size: 8,
        batch_primitives: 7,
        quad_capacity: 1 << 10,
        path: KernelPath::Stages,
        ..default
    };
    let workgroups = KernelOptions { path: KernelPath::Workgroups, ..default };
    // Pages come and go, and some draws reach more.
    let paged = KernelOptions { memory_bytes: 3 << 20, ..default };
    let others = [KernelOptions { tile_size: 32, ..default }, workgroups, small, paged];
    let others = if is_nightly() || IN_ALL_CONFIGURATIONS.contains(&name) { &others[..] } else { &[] };
    for &options in [default].iter().chain(others) {
        let Some(kernels) = on_kernels(&capture, options) else { return };
        if let Some(difference) = difference(&reference, &kernels) {
            panic!("{name} {options:?}: {difference}");
        }
    }
}

#[test]
fn captures_in_all_configurations_exist() {
    for name in IN_ALL_CONFIGURATIONS {
        assert!(CAPTURES.iter().any(|(capture, _)| *capture == name), "{name}");
    }
}

/// On llvmpipe with two cores, groups of kernels are dispatched over no workgroups before they draw; those of `multiframe`
/// bind buffers, blocks and images.
#[test]
fn kernels_that_are_compiled_on_all_cores_give_the_same_bytes() {
    let Some(gpu) = common::gpu() else { return };
    for name in ["cube", "multiframe"] {
        let capture = capture(name);
        let (header, gpu) = (capture.header, gpu.clone().compiling_on_all_cores());
        let mut engine = Kernels::new(gpu, KernelOptions::default(), header.vram_bytes, header.gart_bytes).unwrap();
        assert_eq!(difference(&on_reference(&capture), &run(&capture, &mut engine)), None, "{name}");
    }
}

/// A rehearsal computes nothing, and finds the kernels that the stream then needs, apart from the exact paths of states whose
/// fast path is compiled first.
#[test]
fn a_rehearsal_finds_the_kernels_of_a_stream() {
    let Some(gpu) = common::gpu() else { return };
    let gpu = gpu.compiling_on_all_cores();
    // Only llvmpipe on several cores needs it.
    let Some(idle) = gpu.rehearsal() else { return };
    let capture = capture("multiframe");
    let (options, kernels) =
        (ReplayOptions::default(), KernelOptions { exact_uses: u32::MAX, ..KernelOptions::default() });
    let before = gpu.compiled();
    rehearse(idle, (&capture, &options, kernels), &AtomicBool::new(false)).unwrap();
    let rehearsed = gpu.compiled();
    assert!(rehearsed > before && rehearsed.is_some_and(|(done, known)| known >= done + 8), "{rehearsed:?}");
    let mut engine = Kernels::new(gpu.clone(), kernels, capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
    assert_eq!(difference(&on_reference(&capture), &run(&capture, &mut engine)), None);
    let needed = gpu.compiled();
    assert_eq!(needed.map(|(_, known)| known), rehearsed.map(|(_, known)| known));
}

/// A rehearsal that has not begun ends with the play, also if that panics.
#[test]
fn a_play_ends_its_rehearsal() {
    let Some(gpu) = common::gpu() else { return };
    let gpu = gpu.compiling_on_all_cores();
    let capture = capture("flat");
    let stream = (&capture, &ReplayOptions::default(), KernelOptions::default());
    assert_eq!(with_rehearsal(Some(&gpu), stream, || 7), 7);
    let panics = || with_rehearsal(Some(&gpu), stream, || std::panic::resume_unwind(Box::new("as planned")));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
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
fn a_planted_difference_from_a_check_file_is_found() {
    let mut case = case(check_files::CAPTURES, "flat");
    let mut outcome = on_reference(&capture("flat")).outcome;
    assert_eq!(differences(&case, &outcome), Vec::<String>::new());
    let zeta = case.expected.surfaces.pop();
    let [found] = &differences(&case, &outcome)[..] else { panic!("the case lists color0 alone") };
    assert!(found.starts_with("zeta ") && found.ends_with("is not in the check file"), "{found}");
    case.expected.surfaces.extend(zeta);
    outcome.surfaces[0].rows[0] ^= 1;
    let [found] = &differences(&case, &outcome)[..] else { panic!("one byte is not as before") };
    assert!(found.starts_with("color0: 256x256 A8R8G8B8 "), "{found}");
    outcome.surfaces.pop();
    assert!(differences(&case, &outcome)[1].starts_with("zeta: not bound instead of "));
}

#[test]
fn a_planted_difference_of_pictures_is_found() {
    let grey = |values: [u8; 4]| Picture { width: 4, height: 1, rgb: values.map(|value| [value; 3]).concat() };
    let left = grey([10, 20, 30, 40]);
    let mut right = left.clone();
    right.rgb[4] += 8;
    assert_eq!(pixels_beyond(8, &left, &right), 0);
    right.rgb[4] += 1;
    assert_eq!(pixels_beyond(8, &left, &right), 1);
    right.rgb[9] -= 2;
    right.rgb[11] -= 3;
    assert_eq!([0, 1, 2, 3].map(|steps| pixels_beyond(steps, &left, &right)), [2, 2, 2, 1]);
}

#[test]
fn a_picture_beyond_its_bounds_is_found() {
    let mut picture = read_png(&folder().join("culling.softpipe.png")).unwrap();
    assert_eq!(disagreement("culling", &picture), None);
    picture.rgb[0] ^= 1;
    assert!(disagreement("culling", &picture).unwrap().starts_with("1 pixels differ by more than 0"));
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

/// Each neighboring place gives a picture a larger mean difference than its own place.
fn check_place(name: &str, end: &str) {
    let outcome = on_reference(&capture(name)).outcome;
    let picture = Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap();
    let expected = picture_beside(name, end);
    let own = mean_difference(&picture, &expected, [0, 0]);
    for step in (0..9).map(|place| [place % 3 - 1, place / 3 - 1]).filter(|step| *step != [0, 0]) {
        let moved = mean_difference(&picture, &expected, step);
        assert!(own * 1.3 < moved, "{own} in place, {moved} at {step:?}");
    }
}

/// The renderer of the picture averages an ellipse where the chip takes samples along a line. Neither is an oracle for the
/// other's pixels, but both have the texture at the same place.
#[test]
fn anisotropic_samples_lie_where_the_picture_has_them() {
    check_place("npot", ".png");
}

/// The positions of the samples inside of a pixel differ, but their center is that of the pixel.
#[test]
fn multisampled_edges_lie_where_the_picture_has_them() {
    check_place("multisample", ".llvmpipe.png");
}

macro_rules! captures {
    ($folder:literal; $($name:ident: $($picture:literal within $steps:literal except $exceptions:literal),+;)*) => {
        mod picture {
            $( #[test] fn $name() { super::check_picture(concat!($folder, stringify!($name))); } )*
        }
        mod kernels {
            $( #[test] fn $name() { super::check_kernels(concat!($folder, stringify!($name))); } )*
        }
        /// The captures with the bounds of their pictures.
        pub(super) const CAPTURES: &[(&str, &[Bound])] = &[$(
            (concat!($folder, stringify!($name)), &[$( Bound { picture: $picture, steps: $steps, exceptions: $exceptions } ),+])
        ),*];
    };
}
use captures;

// The stream of points_lines draws its round point as a square, its second sprite without texture coordinates, and its
// first sprite 1/8 pixel to the right, where texels no longer meet in pixel centers: 1976 of 65,536 pixels. That of prims
// has a polygon stipple in the driver's order (docs/adr/0016-polygon-stipple.md). That of npot is anisotropic, and its renderer
// averages an ellipse.
captures! {
    "";
    flat: ".png" within 8 except 26;
    smooth: ".png" within 8 except 26;
    textri: ".png" within 8 except 26;
    cube: ".png" within 8 except 12;
    arbvpfp: ".png" within 8 except 0;
    blend_stencil: ".png" within 8 except 26;
    points_lines: ".png" within 8 except 2000;
    prims: ".png" within 8 except 3402;
    query: ".png" within 8 except 0;
    ifelse: ".png" within 8 except 16;
    loop_const: ".png" within 8 except 1048;
    npot: ".png" within 8 except 17870;
    dxt: ".png" within 8 except 0;
    vfmt: ".png" within 8 except 1;
    copy: ".png" within 8 except 44;
    multiframe: ".png" within 8 except 22;
    tex3d: ".png" within 8 except 0;
    culling: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    two_sided_color: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    two_sided_program: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 12_800;
    two_sided_stencil: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    point_sprites: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    clip_planes: ".llvmpipe.png" within 1 except 0, ".softpipe.png" within 1 except 80;
    fog: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    window_position: ".llvmpipe.png" within 1 except 0, ".softpipe.png" within 1 except 0;
    flat_shading: ".llvmpipe.png" within 0 except 4, ".softpipe.png" within 0 except 0;
    primitive_restart: ".llvmpipe.png" within 0 except 5, ".softpipe.png" within 0 except 0;
    render_targets: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    cube_map: ".llvmpipe.png" within 1 except 7, ".softpipe.png" within 1 except 0;
    shadow_compare: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    multisample: ".llvmpipe.png" within 0 except 268, ".llvmpipe.png" within 128 except 0,
        ".softpipe.png" within 0 except 485, ".softpipe.png" within 191 except 0;
    srgb_textures: ".llvmpipe.png" within 1 except 0, ".softpipe.png" within 1 except 0;
    srgb_filter: ".llvmpipe.png" within 1 except 3168, ".llvmpipe.png" within 57 except 0,
        ".softpipe.png" within 1 except 3168, ".softpipe.png" within 58 except 0;
    texture_formats: ".llvmpipe.png" within 1 except 0, ".softpipe.png" within 1 except 0;
    target_formats: ".llvmpipe.png" within 1 except 148, ".llvmpipe.png" within 9 except 0,
        ".softpipe.png" within 1 except 4, ".softpipe.png" within 4 except 0;
}

/// The captures whose programs were also drawn by two other renderers.
fn captures_with_two_pictures() -> impl Iterator<Item = &'static str> {
    let has_two = |bounds: &&[Bound]| {
        [".llvmpipe.png", ".softpipe.png"].map(|end| bounds.iter().any(|bound| bound.picture == end)) == [true; 2]
    };
    CAPTURES.iter().filter(move |(_, bounds)| has_two(bounds)).map(|(name, _)| *name)
}

#[test]
fn every_case_of_the_check_files_is_tested() {
    for (file, folder, captures) in
        [(check_files::CAPTURES, "", CAPTURES), (check_files::GEFORCE_8, geforce_8::FOLDER, geforce_8::CAPTURES)]
    {
        for case in check_files::cases(file) {
            let name = format!("{folder}{}", case.name);
            assert!(captures.iter().any(|(capture, _)| *capture == name), "{name} has no test");
        }
    }
}
