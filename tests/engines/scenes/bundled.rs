//! The repository's scenes: golden hashes from the reference at a small size, the same bytes on the kernels, and again
//! from a capture.

use std::path::{Path, PathBuf};

use curie::capture::Capture;
use curie::reference::Reference;
use curie::scene::{SceneFile, SceneOptions};

use super::stage::{kernels, lines, play_on};

/// The size at which scenes are tested that draw all they have at any size.
const SIZE: (u32, u32) = (96, 72);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn capture(name: &str, frame: u32) -> Capture {
    // The halves of the floor are given in pixels.
    let size = (name != "anisotropic_floor").then_some(SIZE);
    let scene = SceneFile::open(&root().join("scenes").join(name), &SceneOptions { size });
    scene.and_then(|scene| scene.capture(frame..frame + 1)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The surfaces and memory after a scene, played from the file that its capture would be.
fn on_reference(name: &str) -> (String, [Vec<u8>; 2]) {
    let recorded = capture(name, 3);
    let read = Capture::read(&recorded.write()).unwrap();
    assert_eq!(read, recorded, "{name}: a capture reads back as it was written");
    let mut engine = Reference::new(read.header.vram_bytes, read.header.gart_bytes).unwrap();
    let (outcome, memory) = play_on(&read, &mut engine);
    (lines(&outcome), memory)
}

fn check_reference(name: &str) {
    let (lines, _) = on_reference(name);
    let golden = root().join(format!("tests/golden/scenes/{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&golden, &lines).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).expect("BLESS=1 writes the golden hashes of the reference");
    assert_eq!(lines, expected, "{name}: the reference's hashes changed; BLESS=1 accepts them");
}

/// Describes where two runs differ: in hashes, or in any byte of memory.
fn difference(expected: &(String, [Vec<u8>; 2]), actual: &(String, [Vec<u8>; 2])) -> Option<String> {
    if expected.0 != actual.0 {
        return Some(format!("hashes\n{}instead of\n{}", actual.0, expected.0));
    }
    for (space, (expected, actual)) in expected.1.iter().zip(&actual.1).enumerate() {
        if let Some(at) = expected.iter().zip(actual).position(|(expected, actual)| expected != actual) {
            return Some(format!("byte {at:#x} of space {space}"));
        }
        if expected.len() != actual.len() {
            return Some(format!("space {space} has another size"));
        }
    }
    None
}

fn check_kernels(name: &str) {
    let recorded = capture(name, 3);
    let Some(mut engine) = kernels(&recorded) else { return };
    let (outcome, memory) = play_on(&recorded, &mut engine);
    if let Some(difference) = difference(&on_reference(name), &(lines(&outcome), memory)) {
        panic!("{name}: {difference}");
    }
}

macro_rules! scenes {
    ( $( $name:ident )* ) => {
        const NAMES: &[&str] = &[ $( stringify!($name) ),* ];

        $( mod $name {
            #[test]
            fn has_its_golden_hashes() {
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
    anemones anisotropic_floor army deferred displacement edges hdr island julia particles phong reflection shadow_map shadow_volumes
}

#[test]
fn every_scene_is_tested() {
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(root().join("scenes")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|folder| folder.join("scene.ron").exists());
    let mut names: Vec<_> = folders.iter().map(|folder| folder.file_name().unwrap().to_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, NAMES);
}

#[test]
fn a_planted_difference_is_found() {
    let expected = ("line\n".to_owned(), [vec![1, 2, 3], vec![4]]);
    assert_eq!(difference(&expected, &expected.clone()), None);
    let mut actual = expected.clone();
    actual.1[0][2] = 9;
    assert_eq!(difference(&expected, &actual), Some("byte 0x2 of space 0".to_owned()));
    let mut actual = expected.clone();
    actual.0.push('x');
    assert!(difference(&expected, &actual).unwrap().contains("hashes"));
}

#[test]
fn every_scene_is_in_the_gallery() {
    let root = root();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    for name in NAMES {
        assert!(readme.contains(&format!("](docs/gallery/{name}.png)")), "{name} is not in the README's gallery");
        let picture = curie::present::read_png(&root.join(format!("docs/gallery/{name}.png"))).unwrap();
        assert_eq!((picture.width, picture.height), (256, 192), "{name}");
    }
}
