//! `curie render` from the user's side.

use std::path::Path;
use std::process::{Command, Output};

use curie::present::read_png;

use super::stage::{folder, text};

fn curie(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_curie")).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A square with a color that depends on the frame.
fn blinking(name: &str) -> String {
    let scene = text(
        "frames: 4,
        meshes: {\"square\": (shape: Screen, attributes: {
            0: (from: Formula(\"position * 0.5\")),
            3: (from: Formula(\"(turn, 1 - turn, 0.5, 1)\"), format: U8_UNORM),
        })},
        passes: [Render(target: \"screen\", clear: (color: (0, 0, 0, 1), depth: 1), draws: [
            (mesh: \"square\", vertex: \"vertex\", fragment: \"fragment\"),
        ])]",
    );
    let folder = folder(name, &[("scene.ron", &scene)]);
    folder.to_str().unwrap().to_owned()
}

#[test]
fn a_capture_of_a_scene_replays_to_the_same_lines() {
    let scene = blinking("capture");
    let file = format!("{scene}/scene.nvcap");
    let rendered = stdout(&curie(&["render", &scene, "--engine", "reference", "--frame", "3", "--capture", &file]));
    assert!(rendered.starts_with("color0 64x64 A8R8G8B8 sha256:"), "{rendered}");
    assert_eq!(stdout(&curie(&["replay", &file, "--engine", "reference"])), rendered);
    let listing = stdout(&curie(&["list", &file]));
    assert!(listing.contains("VERTEX_BEGIN_END") && listing.contains("frame 3"), "{listing}");
}

#[test]
fn frames_of_an_animation_are_the_single_frames() {
    let scene = blinking("frames");
    let pattern = format!("{scene}/frame-%02d.png");
    let output = stdout(&curie(&["render", &scene, "--engine", "reference", "--frames", "3", "-o", &pattern]));
    for frame in ["0", "1", "2"] {
        let single = format!("{scene}/single.png");
        let lines = stdout(&curie(&["render", &scene, "--engine", "reference", "--frame", frame, "-o", &single]));
        for line in lines.lines() {
            assert!(output.contains(&format!("frame {frame} {line}")), "{output}\n{line}");
        }
        let numbered = read_png(Path::new(&format!("{scene}/frame-0{frame}.png"))).unwrap();
        assert_eq!(numbered, read_png(Path::new(&single)).unwrap());
    }
    assert_eq!(output.lines().count(), 6);
}

#[test]
fn options_of_replay_work_for_scenes() {
    let scene = blinking("options");
    let small = stdout(&curie(&["render", &scene, "--engine", "reference", "--size", "32x16", "--json"]));
    let json: serde_json::Value = serde_json::from_str(&small).unwrap();
    assert_eq!(json["surfaces"][0]["width"], 32);
    assert_eq!(json["surfaces"][1]["name"], "zeta");
    let wrong = curie(&["render", &scene, "--frame", "1", "--frames", "2"]);
    assert_eq!(wrong.status.code(), Some(2));
    let missing = curie(&["render", "no/such/scene", "--engine", "reference"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).starts_with("error: no/such/scene: "));
}

#[test]
fn a_broken_scene_is_shown_once_with_its_place() {
    let scene = blinking("broken");
    let file = format!("{scene}/scene.ron");
    let broken = std::fs::read_to_string(&file).unwrap().replace("mesh: \"square\"", "mesh: \"sqare\"");
    std::fs::write(&file, broken).unwrap();
    let output = curie(&["render", &scene, "--engine", "reference"]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("error: there is no mesh `sqare`\n"), "{message}");
    assert!(message.contains("scene.ron:8:"), "{message}");
    assert!(message.contains("did you mean `square`?"), "{message}");
}
