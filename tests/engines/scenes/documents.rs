//! The statements of the scene guide are true.

use curie::scene::expression::FUNCTIONS;

use super::stage::{picture, pixel};

fn guide() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/scenes.md")).unwrap()
}

#[test]
fn the_minimal_scene_of_the_guide_shows_a_box() {
    let guide = guide();
    let blocks: Vec<_> = guide.split("\n```").collect();
    let block = |start: &str| {
        let found = blocks.iter().find(|block| block.trim_start_matches("ron").trim_start().starts_with(start));
        found
            .unwrap_or_else(|| panic!("the guide has a block that starts with {start}"))
            .trim_start_matches("ron")
            .trim_start()
    };
    let files = [("place.vp", block("!!ARBvp1.0")), ("color.fp", block("!!ARBfp1.0"))];
    let picture = picture("guide", block("(\n    size"), &files);
    assert_eq!((picture.width, picture.height), (320, 240));
    assert_eq!(pixel(&picture, 0, 0), [26, 26, 38], "the clear colour");
    let center = pixel(&picture, 160, 120);
    assert!(center[2] > 150 && center[1] > 80, "the face that looks up and forwards: {center:?}");
}

#[test]
fn the_minimal_scene_looks_the_same_on_a_geforce_8() {
    let guide = guide();
    let blocks: Vec<_> = guide.split("\n```").collect();
    let block = |language: &str, start: &str| {
        let found = blocks
            .iter()
            .filter_map(|block| block.strip_prefix(language))
            .find(|block| block.trim_start().starts_with(start));
        found.unwrap_or_else(|| panic!("the guide has a block that starts with {start}")).trim_start().to_owned()
    };
    let files = [("place.vp", block("", "!!ARBvp1.0")), ("color.fp", block("", "!!ARBfp1.0"))];
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let scene = block("ron", "(\n    size");
    let old = picture("guide_nv40", &scene, &files);
    let changed = scene
        .replace("size: (320, 240),", "size: (320, 240), chipset: \"G92\",")
        .replace("\"place.vp\"", "\"box.tesla\", entry: \"place\"")
        .replace("\"color.fp\"", "\"box.tesla\", entry: \"color\"");
    let new = picture("guide_tesla", &changed, &[("box.tesla", &block("text", "!!Tesla1.0"))]);
    let differs = |(one, other): (&u8, &u8)| one.abs_diff(*other) > 1;
    let count = old.rgb.iter().zip(&new.rgb).filter(|pair| differs(*pair)).count();
    // Edges may lie differently on few pixels.
    assert!(count < old.rgb.len() / 1000, "{count} values differ");
}

#[test]
fn the_guide_lists_every_function() {
    let guide = guide();
    for (name, _, summary) in FUNCTIONS {
        assert!(guide.lines().any(|line| line.starts_with(&format!("| `{name}(")) && line.contains(summary)), "{name}");
    }
}

#[test]
fn every_bundled_scene_has_a_licence_for_its_meshes() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/README.md")).unwrap();
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/scenes"))];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".mesh") {
                assert!(readme.contains(&format!("`{name}`")), "scenes/README.md says nothing about {name}");
            }
        }
    }
}
