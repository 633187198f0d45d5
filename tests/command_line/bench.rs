//! Tests `curie bench` as users and scripts see it: lines, JSON, comparisons, messages. No test judges a rate.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Output;

use curie::capture::{Capture, Record};
use serde_json::Value;

use super::command::{capture, curie, file, text};
use crate::common;

fn bench(arguments: &[&str]) -> Output {
    curie(&with(&["bench"], arguments))
}

fn json(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The message of a failed run, without the name of the file that it must mention.
fn complaint(arguments: &[&str], named: &str) -> String {
    let output = bench(arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let message = text(&output.stderr);
    assert!(message.starts_with("error: ") && message.contains(named), "{message}");
    message
}

const QUICK: &[&str] = &["--engine", "reference", "--seconds", "0", "--json"];

fn with<'a>(first: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [first, more].concat()
}

#[test]
fn json_has_rates_of_every_scene() {
    file("bench/place.vp", "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n");
    file("bench/color.fp", "!!ARBfp1.0\nMOV result.color, { 1, 0, 0, 1 };\nEND\n");
    let scene = file("bench/small.ron", SCENE);
    let report = json(&bench(&with(&[&capture("flat"), &scene], QUICK)));
    assert_eq!(report["adapter"], "reference");
    let scenes = report["scenes"].as_array().unwrap();
    assert_eq!(scenes.iter().map(|scene| &scene["name"]).collect::<Vec<_>>(), ["flat", "small"]);
    for scene in scenes {
        let rate = |name: &str| scene["frames_per_second"][name].as_f64().unwrap();
        assert!(0.0 < rate("min") && rate("min") <= rate("median") && rate("median") <= rate("max"));
        for name in ["mpix_per_second", "mtexel_per_second", "mvert_per_second", "mtri_per_second"] {
            assert!(scene[name].as_f64().unwrap() >= 0.0, "{name}");
        }
        assert!(scene["mpix_per_second"].as_f64().unwrap() > 0.0);
        assert!(scene["samples"].as_u64().unwrap() >= 3);
        assert_eq!(scene["stages"], Value::Array(vec![]), "nobody asked for stages");
    }
    assert_eq!([&scenes[1]["frames"], &scenes[1]["draws"]], [&Value::from(3), &Value::from(2.0)]);
    // Two squares of 8 × 8 pixels per frame, with four vertices and two triangles each.
    let rate = |name: &str| scenes[1][name].as_f64().unwrap();
    assert!((rate("mpix_per_second") / rate("mvert_per_second") - 128.0 / 8.0).abs() < 1e-9);
    assert!((rate("mvert_per_second") / rate("mtri_per_second") - 2.0).abs() < 1e-9);
}

/// Three frames of two draws.
const SCENE: &str = r#"(
    size: (8, 8),
    frames: 3,
    targets: { "screen": (color: A8R8G8B8) },
    meshes: { "square": (shape: Screen, attributes: { 0: (from: Position) }) },
    programs: { "place": (file: "place.vp"), "color": (file: "color.fp") },
    passes: [ Render(target: "screen", draws: [ (mesh: "square", vertex: "place", fragment: "color", repeat: 2) ]) ],
)"#;

#[test]
fn stages_are_timed_on_the_device() {
    if common::gpu().is_none() {
        return;
    }
    let report = json(&bench(&[&capture("flat"), "--engine", "kernels", "--stages", "--seconds", "0", "--json"]));
    let stages = report["scenes"][0]["stages"].as_array().unwrap();
    assert!(!stages.is_empty());
    for stage in stages {
        assert!(stage["name"].is_string() && stage["passes"].as_f64().unwrap() > 0.0, "{stage}");
    }
    assert!(stages.iter().any(|stage| stage["milliseconds"].as_f64().unwrap() > 0.0), "{stages:?}");
}

/// The machines of `--vertex-processors`, in order.
const MACHINES: [&str; 3] = ["geforce-6800-ultra", "geforce-3", "pica200"];

#[test]
fn vertex_processors_are_rows_of_the_json_object() {
    let report = json(&bench(&["--vertex-processors", "--seconds", "0", "--json"]));
    let [scenes, rows] = ["scenes", "vertex_processors"].map(|key| report[key].as_array().unwrap());
    assert_eq!(scenes.iter().map(|scene| &scene["name"]).collect::<Vec<_>>(), MACHINES);
    assert_eq!(rows.iter().map(|row| &row["machine"]).collect::<Vec<_>>(), MACHINES);
    for (row, scene) in rows.iter().zip(scenes) {
        let rate = row["mvert_per_second"].as_f64().unwrap();
        assert!(rate > 0.0, "{row}");
        assert_eq!(row["mvert_per_second"], scene["mvert_per_second"]);
        let ratio = rate / rows[0]["mvert_per_second"].as_f64().unwrap();
        assert!((row["ratio"].as_f64().unwrap() / ratio - 1.0).abs() < 1e-9, "{row}");
        // A frame is a list of triangles without shared vertices.
        assert!((rate / scene["mtri_per_second"].as_f64().unwrap() - 3.0).abs() < 1e-9, "{scene}");
    }
    assert_eq!(rows[0]["ratio"], 1.0);
    assert_eq!([&report["headline"], &report["scaling"]], [&Value::Null; 2], "nobody asked for these");
}

#[test]
fn vertex_processors_are_lines_below_the_table() {
    let output = bench(&["--vertex-processors", "--seconds", "0"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    let lines: Vec<Vec<&str>> = printed.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0][..2], ["stream", "frames/s"], "{printed}");
    for (index, machine) in MACHINES.into_iter().enumerate() {
        let (scene, row) = (&lines[1 + index], &lines[4 + index]);
        assert_eq!((scene.len(), scene[0]), (lines[0].len(), machine), "{printed}");
        let [name, rate, "Mvert/s", ratio, "times"] = row[..] else { panic!("{printed}") };
        assert_eq!(name, machine);
        assert!(rate.parse::<f64>().unwrap() > 0.0 && ratio.parse::<f64>().unwrap() > 0.0, "{printed}");
    }
    assert_eq!(lines[4][3], "1.000");
}

#[test]
fn a_baseline_gives_ratios() {
    let flat = capture("flat");
    let mut earlier = json(&bench(&with(&[&flat], QUICK)));
    // Pretend that it was a million times slower and contained another scene.
    let median = &mut earlier["scenes"][0]["frames_per_second"]["median"];
    let planted = median.as_f64().unwrap() / 1e6;
    *median = Value::from(planted);
    let mut gone = earlier["scenes"][0].clone();
    gone["name"] = Value::from("gone");
    earlier["scenes"].as_array_mut().unwrap().push(gone);
    let baseline = file("bench/planted.json", earlier.to_string());

    let report = json(&bench(&with(&[&flat, "--baseline", &baseline], QUICK)));
    let now = report["scenes"][0]["frames_per_second"]["median"].as_f64().unwrap();
    let ratio = report["baseline"]["ratios"]["flat"].as_f64().unwrap();
    assert!((ratio / (now / planted) - 1.0).abs() < 1e-9);
    assert_eq!(report["baseline"]["ratios"].as_object().unwrap().len(), 1);
    assert!((report["baseline"]["geometric_mean"].as_f64().unwrap() / ratio - 1.0).abs() < 1e-9);

    let lines = bench(&[&flat, "--engine", "reference", "--seconds", "0", "--baseline", &baseline]);
    let lines = text(&lines.stdout);
    assert!(lines.starts_with("reference\nstream "), "{lines}");
    assert!(lines.lines().any(|line| line.starts_with("flat") && line.ends_with("times the baseline")), "{lines}");
}

#[test]
fn bad_baselines_are_named() {
    let flat = capture("flat");
    let with_baseline = |baseline: &str| complaint(&with(&[&flat, "--baseline", baseline], QUICK), baseline);
    assert!(with_baseline("/nonexistent/baseline.json").contains("No such file"));
    assert!(with_baseline(&file("bench/no.json", "frames: many")).contains("not an output of 'curie bench --json'"));
    assert!(
        with_baseline(&file("bench/other.json", r#"{"frames": 3}"#)).contains("not an output of 'curie bench --json'")
    );
    let empty = file("bench/empty.json", r#"{"adapter": "x", "scenes": []}"#);
    assert!(with_baseline(&empty).contains("none of its scenes was measured now; it has none"));
}

#[test]
fn streams_without_frames_are_named() {
    let complain = |path: &str| complaint(&with(&[path], QUICK), path);
    assert!(complain("/nonexistent/x.nvcap").contains("No such file"));
    assert!(
        complain(&file("bench/text.nvcap", "no capture at all, but long enough")).contains("this is not a capture")
    );

    let idle = file("bench/idle.nvcap", Capture::default().write());
    assert!(complain(&idle).contains("it submits no words"));
    let marks = vec![Record::Mark(b"frame 0".to_vec()), Record::Mark(b"end".to_vec())];
    let unworked = file("bench/unworked.nvcap", Capture { records: marks, ..Capture::default() }.write());
    assert!(complain(&unworked).contains("no submission follows any of its marks 'frame N'"));

    let scene = file("bench/broken.ron", "(size: (1, 1), passes: [");
    assert!(complain(&scene).contains("broken.ron"));
}

#[test]
fn impossible_options_are_wrong_usage() {
    for arguments in [["--seconds", "-1"], ["--frames-in-flight", "0"], ["--frames", "0"]] {
        assert_eq!(bench(&arguments).status.code(), Some(2), "{arguments:?}");
    }
}
