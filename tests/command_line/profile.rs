//! Tests `curie profile` as users and scripts see it: table, JSON, trace, messages. No test judges a time.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

use curie::capture::Capture;
use serde_json::Value;

use super::command::{capture, curie, error, file, stdout, text};
use crate::common;

/// Two frames of two draws each. The second draw of a frame samples its own target.
const SCENE: &str = r#"(
    size: (8, 8),
    frames: 2,
    targets: { "screen": (color: A8R8G8B8) },
    textures: { "own": (image: Target("screen", Color(0))) },
    meshes: { "square": (shape: Screen, attributes: { 0: (from: Position) }) },
    programs: { "place": (file: "place.vp"), "color": (file: "color.fp"), "sample": (file: "sample.fp") },
    passes: [ Render(target: "screen", draws: [
        (mesh: "square", vertex: "place", fragment: "color"),
        (mesh: "square", vertex: "place", fragment: "sample", textures: { 0: "own" }),
    ]) ],
)"#;

/// The scene's file, in a folder of its own.
fn scene(folder: &str) -> String {
    file(&format!("{folder}/place.vp"), "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n");
    file(&format!("{folder}/color.fp"), "!!ARBfp1.0\nMOV result.color, { 1, 0, 0, 1 };\nEND\n");
    file(&format!("{folder}/sample.fp"), "!!ARBfp1.0\nTEX result.color, fragment.position, texture[0], 2D;\nEND\n");
    file(&format!("{folder}/small.ron"), SCENE)
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(&[&["profile", "--json"], arguments].concat())).unwrap()
}

fn numbers(rows: &Value) -> Vec<u64> {
    rows.as_array().unwrap().iter().map(|row| row["draw"].as_u64().unwrap()).collect()
}

/// The counters of a stream's draws, by replay.
fn counted(subcommand: &str, stream: &str, name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    stdout(&[subcommand, stream, "--engine", "reference", "--statistics", path.to_str().unwrap()]);
    let statistics: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    statistics["draws"].as_array().unwrap().clone()
}

/// Checks a profile's draws against the counters of a replay.
fn assert_counts(rows: &[Value], counted: &[Value]) {
    assert_eq!(rows.len(), counted.len());
    for (row, counted) in rows.iter().zip(counted) {
        let counters = &counted["counters"];
        let sum = |names: &[&str]| names.iter().map(|name| counters["bytes"][name].as_u64().unwrap()).sum::<u64>();
        assert_eq!([&row["draw"], &row["primitive"]], [&counted["draw"], &counted["primitive"]]);
        assert_eq!([&row["quads"], &row["fragments"]], ["quads", "fragments"].map(|name| &counters["raster"][name]));
        assert_eq!(row["bytes_read"], sum(&["indices", "attributes", "color_read", "zeta_read"]), "{row}");
        assert_eq!(row["bytes_written"], sum(&["color_written", "zeta_written"]), "{row}");
    }
}

#[test]
fn draws_have_times_counts_and_kernels() {
    if common::gpu().is_none() {
        return;
    }
    let cube = capture("cube");
    let profile = json(&[&cube, "--sort", "draw"]);
    let rows = profile["draws"].as_array().unwrap();
    assert_counts(rows, &counted("replay", &cube, "profile_cube.json"));
    // Merged draws have no time of their own.
    let time = |value: &Value| value.as_f64().or(value.is_null().then_some(0.0)).unwrap();
    let mut compiled = BTreeSet::new();
    for row in rows {
        let kernels = row["kernels"].as_array().unwrap();
        let sum: f64 = kernels.iter().map(|kernel| time(&kernel["milliseconds"])).sum();
        assert!((time(&row["device_milliseconds"]) - sum).abs() < 1e-9, "{row}");
        assert_eq!(sum > 0.0, row["path"] != "merged", "{row}");
        assert!(time(&row["host_milliseconds"]) > 0.0, "{row}");
        for kernel in kernels {
            assert!(kernel["passes"].as_u64().unwrap() > 0, "{row}");
            let is_compiled = kernel["compiled"].as_u64().unwrap() > 0;
            assert_eq!(time(&kernel["compile_milliseconds"]) > 0.0, is_compiled, "{kernel}");
            if is_compiled {
                compiled.insert(kernel["name"].as_str().unwrap());
            }
        }
    }
    assert!(compiled.contains("run_vertex_programs") && compiled.len() > 2, "{compiled:?}");
    let others = profile["others"].as_array().unwrap().iter();
    let all: f64 = others.map(|kernel| time(&kernel["milliseconds"])).sum();
    let all = all + rows.iter().map(|row| time(&row["device_milliseconds"])).sum::<f64>();
    assert!((time(&profile["device_milliseconds"]) - all).abs() < 1e-9);
}

#[test]
fn merged_draws_have_one_time() {
    if common::gpu().is_none() {
        return;
    }
    let profile = json(&[&capture("cube"), "--sort", "draw"]);
    let [first, second, third, last] = &profile["draws"].as_array().unwrap()[..] else { panic!("{profile}") };
    assert_eq!(first["together_with"], Value::from(vec![1, 2]));
    for merged in [second, third] {
        assert_eq!(merged["together_with"], Value::from(vec![0]));
        assert_eq!([&merged["path"], &merged["path_text"]], ["merged", "drawn together with draw 0"]);
        assert_eq!([&merged["device_milliseconds"], &merged["kernels"]], [&Value::Null, &Value::Array(vec![])]);
        assert!(merged["host_milliseconds"].as_f64().unwrap() > 0.0);
    }
    assert_eq!(last["together_with"], Value::Array(vec![]));
}

#[test]
fn slow_paths_have_a_reason() {
    let Some(gpu) = common::gpu() else { return };
    let scene = scene("profile_paths");
    let profile = json(&[&scene, "--sort", "draw"]);
    let rows = profile["draws"].as_array().unwrap();
    assert_counts(rows, &counted("render", &scene, "profile_paths/counts.json"));
    let [first, second] = &rows[..] else { panic!("{profile}") };
    assert_eq!(second["separation"], "its pixel state differs");
    let reason = if gpu.summary().is_software() { "the draw samples its own targets" } else { "separate stages" };
    assert_eq!(second["path"], "separate");
    assert!(second["path_text"].as_str().unwrap().contains(reason), "{second}");
    let names: Vec<_> = second["kernels"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"shade_quads") && names.contains(&"merge_pixels"), "{names:?}");
    if gpu.summary().is_software() {
        assert_eq!([&first["path"], &first["path_text"]], ["fused", "fused kernel, fast path"]);
        let paths: BTreeSet<_> = first["kernels"].as_array().unwrap().iter().map(|row| row["path"].as_str()).collect();
        // It leaves no tile, so the exact path has no kernel.
        assert_eq!(paths, BTreeSet::from([None, Some("fast")]));
        let rarely = json(&[&scene, "--sort", "draw", "--exact-uses", "8"]);
        let reason = rarely["draws"][0]["path_text"].as_str().unwrap();
        assert_eq!(reason, "fused kernel, exact path only: its state was used too rarely to compile the fast path");
    }
}

#[test]
fn the_table_has_a_line_for_each_draw_and_kernel() {
    if common::gpu().is_none() {
        return;
    }
    let scene = scene("profile_table");
    let table = stdout(&["profile", &scene, "--sort", "quads"]);
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0][..2], ["kernels", "on"], "{table}");
    assert_eq!(lines[1][..3], ["draw", "frame", "primitive"], "{table}");
    let is_draw = |line: &&Vec<&str>| line.first().is_some_and(|word| word.parse::<usize>().is_ok());
    let draws: Vec<_> = lines.iter().filter(is_draw).collect();
    // Draws with as many quads keep their order.
    assert_eq!(draws.iter().map(|line| line[0]).collect::<Vec<_>>(), ["0", "1"], "{table}");
    assert!(table.lines().any(|line| line.contains("shade_quads") && line.contains(" pass")), "{table}");
    assert_eq!(lines.last().unwrap()[0], "total:", "{table}");
    let cube = stdout(&["profile", &capture("cube"), "--top", "1", "--sort", "draw"]);
    assert!(cube.contains("; together with 2 more, up to draw 2\n"), "{cube}");
    assert!(cube.contains("(3 more draws; --top lists them)\nother commands\n"), "{cube}");
}

#[test]
fn draws_are_sorted_and_limited() {
    if common::gpu().is_none() {
        return;
    }
    let stream = capture("multiframe");
    let by_draw = json(&[&stream, "--sort", "draw"]);
    let all = numbers(&by_draw["draws"]);
    assert_eq!(all, (0..all.len() as u64).collect::<Vec<_>>());
    for (order, key) in [("quads", "quads"), ("device", "device_milliseconds"), ("host", "host_milliseconds")] {
        let sorted = json(&[&stream, "--sort", order, "--top", "3"]);
        let rows = sorted["draws"].as_array().unwrap();
        let values: Vec<_> = rows.iter().map(|row| row[key].as_f64().unwrap()).collect();
        assert_eq!(values.len(), 3);
        assert!(values.is_sorted_by(|left, right| left >= right), "{order}: {values:?}");
    }
    let frames: BTreeSet<_> = by_draw["draws"].as_array().unwrap().iter().map(|row| row["frame"].as_u64()).collect();
    let last = frames.last().unwrap().unwrap();
    let of_last = json(&[&stream, "--sort", "draw", "--frame", &last.to_string()]);
    let of_frame = by_draw["draws"].as_array().unwrap().iter().filter(|row| row["frame"] == last);
    assert_eq!(numbers(&of_last["draws"]), of_frame.map(|row| row["draw"].as_u64().unwrap()).collect::<Vec<_>>());
    assert!(numbers(&of_last["draws"]).len() < all.len());
}

/// The events of a trace.
fn events(path: &str) -> Vec<Value> {
    let trace: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(trace["displayTimeUnit"], "ms");
    trace["traceEvents"].as_array().unwrap().clone()
}

/// Whether the events of a track are nested or apart, as viewers require; times are whole nanoseconds.
fn is_nested(events: &[&Value]) -> bool {
    let nanoseconds = |event: &Value, key: &str| (event[key].as_f64().unwrap() * 1000.0).round();
    let mut spans: Vec<_> = events
        .iter()
        .map(|event| {
            let start = nanoseconds(event, "ts");
            (start, start + nanoseconds(event, "dur"))
        })
        .collect();
    spans.sort_by(|left, right| left.0.total_cmp(&right.0).then(right.1.total_cmp(&left.1)));
    let mut open: Vec<f64> = Vec::new();
    spans.into_iter().all(|(start, end)| {
        open.retain(|outer| *outer > start);
        let fits = open.last().is_none_or(|outer| end <= *outer);
        open.push(end);
        fits
    })
}

#[test]
fn a_trace_has_each_draw_once_on_nested_tracks() {
    if common::gpu().is_none() {
        return;
    }
    for (name, stream) in [("scene", scene("profile_trace")), ("cube", capture("cube"))] {
        let path = file(&format!("profile_trace/{name}.json"), "");
        let profile = json(&[&stream, "--sort", "draw", "--trace", &path]);
        let events = events(&path);
        let of = |category: &'static str| events.iter().filter(move |event| event["cat"] == category);
        for event in &events {
            let (phase, name) = (event["ph"].as_str().unwrap(), event["name"].as_str().unwrap());
            assert!(matches!(phase, "X" | "M") && !name.is_empty(), "{event}");
            assert!(event["pid"].is_u64() && event["tid"].is_u64() && event["args"].is_object(), "{event}");
            assert!(event["ts"].as_f64().unwrap() >= 0.0 && event["dur"].as_f64().unwrap() >= 0.0, "{event}");
        }
        let tracks: Vec<_> = of("__metadata").filter(|event| event["name"] == "thread_name").collect();
        assert_eq!(tracks.len(), 2);
        for track in tracks {
            let on_track: Vec<_> =
                events.iter().filter(|event| event["ph"] == "X" && event["tid"] == track["tid"]).collect();
            assert!(!on_track.is_empty() && is_nested(&on_track), "{track}");
        }

        let draws: Vec<_> = of("draw").map(|event| event["args"]["draw"].as_u64().unwrap()).collect();
        assert_eq!(draws, numbers(&profile["draws"]), "each draw is once on the host's track");
        let drawn: Vec<_> = of("draws").flat_map(|event| event["args"]["draws"].as_array().unwrap().clone()).collect();
        assert_eq!(drawn, draws.iter().map(|draw| Value::from(*draw)).collect::<Vec<_>>(), "and once on the device's");
        let rows = profile["draws"].as_array().unwrap().iter().chain([&profile]);
        let kernels = rows.flat_map(|row| ["kernels", "others"].map(|key| row[key].as_array())).flatten().flatten();
        let passes: u64 = kernels.map(|kernel| kernel["passes"].as_u64().unwrap()).sum();
        assert_eq!(of("kernel").count() as u64, passes);
    }
}

#[test]
fn planted_overlaps_are_found() {
    let event = |start: f64, length: f64| serde_json::json!({ "ts": start, "dur": length });
    let [outer, inner, overlapping] = [event(0.0, 2.0), event(0.5, 1.5), event(1.0, 1.001)];
    assert!(is_nested(&[&outer, &inner]));
    assert!(!is_nested(&[&outer, &overlapping]));
}

#[test]
fn bad_input_is_named() {
    assert!(error(&["profile", "/nonexistent/x.nvcap"]).contains("/nonexistent/x.nvcap: "));
    assert!(error(&["profile", "/nonexistent/x.ron"]).contains("x.ron"));
    let text_file = file("profile/text.nvcap", "no capture at all, but long enough");
    assert!(error(&["profile", &text_file]).contains("this is not a capture"));
    let output = curie(&["profile", &capture("cube"), "--sort", "color"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(error(&["profile", &capture("cube"), "--adapter", "no such adapter"]).contains("no such adapter"));
    if common::gpu().is_none() {
        return;
    }
    let idle = file("profile/idle.nvcap", Capture::default().write());
    assert!(error(&["profile", &idle]).contains("idle.nvcap: it has no draws"));
    assert!(error(&["profile", &capture("cube"), "--frame", "999"]).contains("cube.nvcap: no draws in frame 999"));
    let folder = env!("CARGO_TARGET_TMPDIR");
    assert!(error(&["profile", &capture("flat"), "--trace", folder]).contains(folder));
}
