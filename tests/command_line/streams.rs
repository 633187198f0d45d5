//! Tests which streams the commands take, where they stop, and where their pictures go.

use std::fs::File;
use std::path::Path;

use curie::present::read_png;

use super::command::{capture, command, curie, error, file, stdout, text};

/// The message of a command that is used wrongly.
fn misuse(arguments: &[&str]) -> String {
    let output = curie(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "");
    text(&output.stderr)
}

#[test]
fn replay_and_render_take_captures_and_scenes() {
    let (flat, reference) = (capture("flat"), ["--engine", "reference"]);
    let run = |command: &str, stream: &[&str]| stdout(&[&[command], stream, &reference].concat());
    assert_eq!(run("render", &[&flat]), run("replay", &[&flat]));
    let scene = ["scenes/edges", "--size", "32x24", "--frame", "2"];
    let lines = run("replay", &scene);
    assert!(lines.starts_with("color0 32x24 "), "{lines}");
    assert_eq!(run("render", &scene), lines);
    // A scene needs no .ron at its end.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("streams/edges");
    std::fs::create_dir_all(&folder).unwrap();
    for entry in std::fs::read_dir("scenes/edges").unwrap() {
        let path = entry.unwrap().path();
        let name = if path.ends_with("scene.ron") { "scene.txt".as_ref() } else { path.file_name().unwrap() };
        std::fs::copy(&path, folder.join(name)).unwrap();
    }
    let copy = folder.join("scene.txt").display().to_string();
    assert_eq!(run("replay", &[&copy, "--size", "32x24", "--frame", "2"]), lines);
    assert!(stdout(&["list", "scenes/edges"]).contains("VERTEX_BEGIN_END"));
}

#[test]
fn what_is_no_stream_is_said() {
    for command in ["replay", "render", "list", "bench", "cache-sweep", "profile"] {
        let message = error(&[command, "scenes/captures"]);
        assert!(message.starts_with("error: scenes/captures: a folder without scene.ron"), "{command}: {message}");
        let message = error(&[command, "README.md"]);
        assert!(message.starts_with("error: README.md: this is not a capture"), "{command}: {message}");
        let message = error(&[command, "no/such/file"]);
        assert!(message.starts_with("error: no/such/file: "), "{command}: {message}");
    }
}

#[test]
fn options_for_scenes_do_not_fit_captures() {
    let flat = capture("flat");
    for option in [["--frame", "1"], ["--frames", "2"], ["--size", "8x8"], ["--capture", "target/none.nvcap"]] {
        for command in ["replay", "render"] {
            let message = misuse(&[&[command, &flat][..], &option].concat());
            assert!(message.contains(option[0]) && message.contains("is a capture"), "{message}");
        }
    }
    assert!(!Path::new("target/none.nvcap").exists());
}

#[test]
fn a_stop_behind_the_end_fails_after_the_results() {
    let (flat, whole) = (capture("flat"), stdout(&["replay", &capture("flat"), "--engine", "reference"]));
    let draws = whole_draws(&flat);
    for (option, number, message) in [
        ("--until-draw", draws, format!("there is no draw {draws}: the stream has {draws}, counted from 0")),
        ("--until", 9999, "there is no submission 9999: those of the stream have numbers from ".to_owned()),
    ] {
        let output = curie(&["replay", &flat, "--engine", "reference", option, &number.to_string()]);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), whole.clone()), "{option}");
        assert!(text(&output.stderr).contains(&format!("error: {message}")), "{}", text(&output.stderr));
    }
    let last = (draws - 1).to_string();
    assert_eq!(stdout(&["replay", &flat, "--engine", "reference", "--until-draw", &last]), whole);
    let scene = ["render", "scenes/edges", "--size", "8x8", "--frames", "2", "--engine", "reference"];
    assert!(error(&[&scene[..], &["--until-draw", "999"]].concat()).contains("there is no draw 999"));
}

/// The draws of a capture, from its listing.
fn whole_draws(capture: &str) -> usize {
    let listing = stdout(&["list", capture]);
    listing.lines().filter(|line| line.contains(" VERTEX_BEGIN_END = ") && !line.contains("primitive=STOP")).count()
}

#[test]
fn pictures_go_to_standard_output_and_captures_come_from_standard_input() {
    let whole = stdout(&["replay", &capture("flat"), "--engine", "reference"]);
    let piped = command(&["replay", "-", "-o", "-", "--engine", "reference"])
        .stdin(File::open(capture("flat")).unwrap())
        .output()
        .unwrap();
    assert!(piped.status.success(), "{}", text(&piped.stderr));
    assert!(text(&piped.stderr).ends_with(&whole), "{}", text(&piped.stderr));
    let [of_pipe, of_file] = ["streams/pipe.png", "streams/file.png"].map(|name| file(name, &piped.stdout));
    stdout(&["replay", &capture("flat"), "--engine", "reference", "-o", &of_file]);
    assert_eq!(read_png(of_pipe.as_ref()).unwrap(), read_png(of_file.as_ref()).unwrap());
    // A file of this name.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("streams/dash");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(capture("flat"), folder.join("-")).unwrap();
    let named = command(&["replay", "./-", "--engine", "reference"]).current_dir(&folder).output().unwrap();
    assert_eq!(text(&named.stdout), whole);
    let several = misuse(&["render", "scenes/edges", "--frames", "2", "-o", "-"]);
    assert!(several.contains("one picture"), "{several}");
}

#[test]
fn pictures_are_png() {
    for command in [&["replay", &capture("flat")][..], &["render", "scenes/edges"]] {
        let message = misuse(&[command, &["-o", "picture.jpg"]].concat());
        assert!(message.contains("written as PNG, not .jpg"), "{message}");
    }
}

#[test]
fn results_are_printed_although_the_picture_cannot_be_written() {
    let (flat, nowhere) = (capture("flat"), "no/such/folder/a.png");
    let whole = stdout(&["replay", &flat, "--engine", "reference"]);
    let output = curie(&["replay", &flat, "--engine", "reference", "-o", nowhere]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), whole));
    assert!(text(&output.stderr).contains(nowhere));
}

#[test]
fn frames_never_overwrite_each_other() {
    let name = file("streams/same.png", "");
    let run = ["render", "scenes/edges", "--size", "16x12", "--engine", "reference"];
    stdout(&[&run[..], &["--frames", "2", "-o", &name]].concat());
    for number in ["0", "1"] {
        let single = file("streams/single.png", "");
        stdout(&[&run[..], &["--frame", number, "-o", &single]].concat());
        let numbered = name.replace(".png", &format!("-000{number}.png"));
        assert_eq!(read_png(numbered.as_ref()).unwrap(), read_png(single.as_ref()).unwrap());
    }
    assert_eq!(std::fs::read(&name).unwrap(), b"", "the name itself stays");
}
