//! The repository's scenes: the hashes of the check file, which the reference gave at a small size, the same bytes on the
//! kernels, and again from a capture.

use curie::capture::Capture;
use curie::check::{Case, open_stream};
use curie::pipeline::Engine;
use curie::reference::Reference;

use super::stage::{kernels, play_on};
use crate::common::check_files::{SCENES, assert_expected, case, cases, rooted, stream};
use crate::engines::captures::{Run, difference};

fn capture(case: &Case) -> Capture {
    let stream = stream(case);
    open_stream(&stream.path, stream.options).unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

fn play(capture: &Capture, engine: &mut dyn Engine) -> Run {
    let (outcome, memory) = play_on(capture, engine);
    Run { outcome, memory }
}

/// Plays a scene from the file that its capture would be.
fn on_reference(case: &Case) -> Run {
    let recorded = capture(case);
    let read = Capture::read(&recorded.write()).unwrap();
    assert_eq!(read, recorded, "{}: a capture reads back as it was written", case.name);
    let mut engine = Reference::new(read.header.vram_bytes, read.header.gart_bytes).unwrap();
    play(&read, &mut engine)
}

fn check_reference(name: &str) {
    let case = case(SCENES, name);
    assert_expected(&case, &on_reference(&case).outcome);
}

fn check_kernels(name: &str) {
    let case = case(SCENES, name);
    let recorded = capture(&case);
    let Some(mut engine) = kernels(&recorded) else { return };
    if let Some(difference) = difference(&on_reference(&case), &play(&recorded, &mut engine)) {
        panic!("{name}: {difference}");
    }
}

macro_rules! scenes {
    ( $( $name:ident )* ) => {
        const NAMES: &[&str] = &[ $( stringify!($name) ),* ];

        $( mod $name {
            #[test]
            fn has_its_hashes() {
                super::check_reference(stringify!($name));
            }

            #[test]
            fn gives_the_same_bytes_on_the_kernels() {
                super::check_kernels(stringify!($name));
            }
        } )*
    };
}

scenes! {
    anemones anisotropic_floor army deferred displacement edges fur hdr island julia particles phong reflection shadow_map
    shadow_volumes sparks wheel
}

#[test]
fn every_case_of_the_check_file_is_tested() {
    let names: Vec<String> = cases(SCENES).into_iter().map(|case| case.name).collect();
    assert_eq!(names, NAMES);
}

#[test]
fn every_scene_is_in_the_gallery() {
    let readme = std::fs::read_to_string(rooted("README.md")).unwrap();
    for name in NAMES {
        assert!(readme.contains(&format!("](docs/gallery/{name}.png)")), "{name} is not in the README's gallery");
        let picture = curie::present::read_png(&rooted(&format!("docs/gallery/{name}.png"))).unwrap();
        assert_eq!((picture.width, picture.height), (256, 192), "{name}");
    }
}
