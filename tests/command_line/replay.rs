//! Tests the command line as users see it: output lines, pictures, messages, exit statuses.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Output;

use curie::present::read_png;

use super::command::{capture, command, curie, text};
use crate::common;
use crate::common::check_files::{CAPTURES, case, surface_lines};

/// An empty folder private to this test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The lines of a capture's surfaces.
fn expected(name: &str) -> String {
    surface_lines(&case(CAPTURES, name))
}

fn assert_status(output: &Output, status: i32) {
    assert_eq!(output.status.code(), Some(status), "{}", text(&output.stderr));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let flat = capture("flat");
    for arguments in [&["replay", "--engine", "reference", &flat][..], &["adapters"], &["adapters", "--json"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(arguments).stdout(writer).output().unwrap();
        assert_status(&output, 0);
        assert!(!text(&output.stderr).contains("panicked"), "{}", text(&output.stderr));
    }
}

#[test]
fn without_arguments_the_bundled_capture_makes_a_picture() {
    let folder = folder("bundled");
    let output = command(&[]).current_dir(&folder).output().unwrap();
    assert_status(&output, 0);
    assert_eq!(text(&output.stdout), expected("cube"));
    let picture = read_png(&folder.join("frame.png")).unwrap();
    assert_eq!((picture.width, picture.height), (256, 256));
}

/// 192 MiB are cleared at once. Some adapters bind no more than 128.
#[test]
fn a_command_that_an_adapter_cannot_hold_runs_on_the_reference_engine_with_a_note() {
    let Some(gpu) = common::gpu() else { return };
    let folder = folder("more_than_a_binding");
    let clear = "Render(target: \"large\", clear: (color: (1, 0.5, 1, 0.5), depth: 1), draws: [])";
    let scene = format!(
        "(size: (4096, 4096), targets: {{\"large\": (color: A16B16G16R16F, zeta: Z24S8)}}, passes: [{clear}, {clear}])"
    );
    std::fs::write(folder.join("scene.ron"), scene).unwrap();
    let render = |engine| curie(&["render", &text(folder.as_os_str().as_encoded_bytes()), "--engine", engine]);
    let [expected, output] = ["reference", "kernels"].map(render);
    assert_status(&output, 0);
    assert!(output.stdout == expected.stdout && !output.stdout.is_empty(), "{}", text(&output.stdout));
    let notes = text(&output.stderr).matches("note: a command reaches more memory than the adapter holds").count();
    assert_eq!(notes, usize::from(gpu.summary().max_binding_bytes < 192 << 20), "{}", text(&output.stderr));
}

#[test]
fn without_a_driver_the_reference_does_the_work_and_one_line_says_what_to_install() {
    let folder = folder("no_driver");
    let mut bundled = command(&[]);
    // No Vulkan loader then finds a driver; other systems have no such variable and keep their adapter.
    bundled.current_dir(&folder).env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
    let output = bundled.output().unwrap();
    assert_status(&output, 0);
    assert_eq!(text(&output.stdout), expected("cube"));
    if cfg!(target_os = "linux") {
        let message = text(&output.stderr);
        let notes: Vec<_> = message.lines().filter(|line| line.starts_with("note: using the reference")).collect();
        assert_eq!(notes.len(), 1, "{message}");
        assert!(notes[0].contains("apt install libvulkan1 mesa-vulkan-drivers"), "{message}");
        let output = command(&["replay", &capture("flat"), "--engine", "kernels"])
            .env("VK_DRIVER_FILES", "/nonexistent")
            .env("VK_ICD_FILENAMES", "/nonexistent")
            .output()
            .unwrap();
        assert_status(&output, 1);
        assert!(text(&output.stderr).contains("no adapter"));
    }
}

#[test]
fn without_a_runtime_directory_nothing_is_said_of_it() {
    for directory in [None, Some("")] {
        let mut replay = command(&["replay", &capture("flat")]);
        match directory {
            None => replay.env_remove("XDG_RUNTIME_DIR"),
            Some(directory) => replay.env("XDG_RUNTIME_DIR", directory),
        };
        let output = replay.output().unwrap();
        assert_status(&output, 0);
        assert_eq!(text(&output.stdout), expected("flat"));
        let lines = text(&output.stderr);
        assert!(lines.lines().all(|line| line.starts_with("note: ")), "{lines}");
    }
}

#[test]
fn both_engines_print_the_same_lines() {
    let capture = capture("query");
    let reference = curie(&["replay", &capture, "--engine", "reference"]);
    assert_status(&reference, 0);
    assert_eq!(text(&reference.stdout), expected("query"));
    if common::gpu().is_some() {
        for options in ["--tile-size=8", "--path=workgroups", "--path=stages", "--optimize"] {
            let kernels = curie(&["replay", &capture, "--engine", "kernels", options]);
            assert_status(&kernels, 0);
            assert_eq!(text(&kernels.stdout), text(&reference.stdout));
        }
    }
}

#[test]
fn json_says_the_same_as_the_lines() {
    let output = curie(&["replay", &capture("flat"), "--engine", "reference", "--json"]);
    assert_status(&output, 0);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["engine"], "reference");
    let surface = &json["surfaces"][0];
    let line = format!(
        "{:<6} {}x{} {} sha256:{}",
        surface["name"].as_str().unwrap(),
        surface["width"],
        surface["height"],
        surface["format"].as_str().unwrap(),
        surface["sha256"].as_str().unwrap()
    );
    assert_eq!(expected("flat").lines().next(), Some(line.as_str()));
}

#[test]
fn readbacks_come_before_the_surfaces_in_lines_and_in_json() {
    let capture = capture("copy");
    let replay = |more: &[&str]| {
        let output = curie(&[&["replay", &capture, "--engine", "reference"], more].concat());
        assert_status(&output, 0);
        text(&output.stdout)
    };
    let lines = replay(&["--readbacks"]);
    let readbacks = lines.strip_suffix(&expected("copy")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&replay(&["--readbacks", "--json"])).unwrap();
    let of_json = json["readbacks"].as_array().unwrap().iter().map(|readback| {
        let [number, submission, buffer, bytes] =
            ["number", "submission", "buffer", "bytes"].map(|name| readback[name].as_u64().unwrap());
        let sha256 = readback["sha256"].as_str().unwrap();
        format!("readback {number} submission {submission} buffer {buffer} {bytes} bytes sha256:{sha256}\n")
    });
    assert_eq!(of_json.collect::<String>(), readbacks);
    let begins = |(number, line): (usize, &str)| line.starts_with(&format!("readback {number} submission "));
    assert!(readbacks.lines().count() > 1 && readbacks.lines().enumerate().all(begins), "{readbacks}");
    assert!(!replay(&["--json"]).contains("readbacks"));
}

#[test]
fn a_flipped_picture_has_its_rows_reversed() {
    let folder = folder("flip");
    let write = |name: &str, more: &[&str]| {
        let path = folder.join(name);
        let capture = capture("textri");
        let mut arguments = vec!["replay", &capture, "--engine", "reference", "-o", path.to_str().unwrap()];
        arguments.extend(more);
        assert_status(&curie(&arguments), 0);
        read_png(&path).unwrap()
    };
    let picture = write("plain.png", &[]);
    assert_eq!(write("flipped.png", &["--flip"]), picture.clone().flipped());
    assert_ne!(picture.clone().flipped(), picture);
    let depth = write("depth.png", &["--surface", "depth"]);
    assert_eq!(depth.width, 256);
}

#[test]
fn failures_are_one_line_and_status_1() {
    let folder = folder("failures");
    let empty = folder.join("empty.nvcap");
    std::fs::write(&empty, []).unwrap();
    let garbage = folder.join("garbage.nvcap");
    std::fs::write(&garbage, [0xa5; 4096]).unwrap();
    for path in [folder.join("missing.nvcap"), empty, garbage] {
        let output = curie(&["replay", path.to_str().unwrap(), "--engine", "reference"]);
        assert_status(&output, 1);
        let message = text(&output.stderr);
        assert!(message.starts_with("error: ") && message.lines().count() == 1, "{message}");
        assert!(message.contains(path.file_name().unwrap().to_str().unwrap()), "{message}");
    }
    let capture = capture("flat");
    let output = command(&["replay", &capture, "--engine", "reference", "--surface", "color3", "-o", "x.png"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_status(&output, 1);
    assert!(text(&output.stderr).contains("no surface 'color3'"));
}

#[test]
fn a_truncated_last_record_is_reported_and_left_out() {
    let cut = folder("cut").join("cut.nvcap");
    let bytes = std::fs::read(capture("flat")).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() - 7]).unwrap();
    let output = curie(&["replay", cut.to_str().unwrap(), "--engine", "reference"]);
    assert_status(&output, 0);
    let message = text(&output.stderr);
    assert!(message.contains("the file ends after 5 of 8 bytes"), "{message}");
    assert_eq!(text(&output.stdout), expected("flat"));
}

#[test]
fn wrong_usage_is_status_2() {
    let capture = capture("flat");
    for arguments in [
        &["replay"][..],
        &["frobnicate"],
        &["replay", &capture, "--engine", "fast"],
        &["replay", &capture, "--tile-size", "9"],
        &["replay", &capture, "--path", "fast"],
        &["replay", &capture, "--surface", "alpha"],
    ] {
        let output = curie(arguments);
        assert_status(&output, 2);
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_replay_stops_where_it_is_told() {
    let capture = capture("multiframe");
    let until = |number: &str| {
        let output = curie(&["replay", &capture, "--engine", "reference", "--until", number]);
        assert_status(&output, 0);
        text(&output.stdout)
    };
    assert_ne!(until("3"), expected("multiframe"));
}

#[test]
fn adapters_are_listed_with_their_self_test() {
    if common::gpu().is_none() {
        return;
    }
    let output = curie(&["adapters"]);
    assert_status(&output, 0);
    assert!(text(&output.stdout).contains("self-test: passed"), "{}", text(&output.stdout));
    let output = curie(&["adapters", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(json.as_array().unwrap().iter().any(|row| row["self_test"] == "passed"));
}

#[test]
fn an_adapter_that_is_not_there_is_an_error() {
    let (capture, folder) = (capture("textri"), folder("no_adapter"));
    let statistics = folder.join("run.json").display().to_string();
    for arguments in [
        &["replay", &capture, "--adapter", "nosuch"][..],
        &["replay", &capture, "--adapter", "nosuch", "--statistics", &statistics, "--models"],
        &["cache-sweep", &capture, "--adapter", "nosuch"],
        &["cache-sweep", &capture, "--adapter", "nosuch", "--models-on", "device"],
        &[
            "replay",
            &capture,
            "--engine",
            "reference",
            "--adapter",
            "nosuch",
            "--statistics",
            &statistics,
            "--models",
            "--models-on",
            "device",
        ],
    ] {
        let output = curie(arguments);
        assert_status(&output, 1);
        let message = text(&output.stderr);
        assert!(message.starts_with("error: ") && message.contains("nosuch"), "{message}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_sweep_says_which_caches_it_leaves_out() {
    let capture = capture("textri");
    let output = curie(&["cache-sweep", &capture, "--sizes", "128,4096", "--lines", "64,256", "--ways", "1", "--csv"]);
    assert_status(&output, 0);
    let message = text(&output.stderr);
    let notes: Vec<_> = message.lines().filter(|line| line.starts_with("note: left out: ")).collect();
    assert_eq!(notes.len(), 1, "{message}");
    assert!(notes[0].contains("128 bytes in lines of 256, 1 to a set: first.size_bytes is 128, not "), "{message}");
    // Three shapes in two orders, and the header.
    assert_eq!(text(&output.stdout).lines().count(), 7);
    let unified = self::capture("geforce-8/lookups");
    let output = curie(&["cache-sweep", &unified, "--sizes", "128,4096", "--lines", "64,256", "--ways", "1", "--csv"]);
    assert_status(&output, 0);
    assert_eq!(text(&output.stdout).lines().count(), 7);
    let output = curie(&["cache-sweep", &capture, "--sizes", "128", "--lines", "256"]);
    assert_status(&output, 1);
    assert!(
        text(&output.stderr).contains("error: no combination of sizes, lines and ways makes a cache; of the first, ")
    );
}
