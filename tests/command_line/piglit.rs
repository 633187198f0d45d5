//! Tests the script that replays what a piglit test draws with both engines and compares them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::command::{file, text};

/// Stands for `curie`: `gl` writes two recordings and a surface, and `replay` prints the lines of an engine.
const CURIE: &str = r#"#!/usr/bin/env bash
case $1 in
gl)
    echo stream >"$5"
    echo stream >"${5/stream/stream-1}"
    echo "$LIVE"
    echo 'PIGLIT: {"result": "pass" }'
    ;;
replay)
    [[ $2 == --engine ]] || exit 2
    [[ ${*: -1} == *-1.nvcap ]] || exit 0
    [[ $3 == reference ]] && echo "$REFERENCE" || echo "$KERNELS"
    exit "${REPLAY_STATUS:-0}"
    ;;
esac
"#;

const SURFACE: &str = "color0 1x1 A8R8G8B8 sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const READBACK: &str = "readback 0 submission 1 buffer 4 4096 bytes sha256:ad7facb2586fc6e966c004d7d1d16b024f5805ff";

/// What the script prints for these lines, and the recordings that it keeps.
fn compare(name: &str, live: &str, [reference, kernels]: [&str; 2], replay_status: &str) -> (String, usize) {
    let curie = PathBuf::from(file(&format!("piglit/{name}/curie"), CURIE));
    fs::set_permissions(&curie, Permissions::from_mode(0o755)).unwrap();
    let folder = curie.parent().unwrap();
    let (program, recordings) = (folder.join("clipflat"), folder.join("recordings"));
    let _ = fs::remove_dir_all(&recordings);
    let _ = fs::remove_file(&program);
    fs::create_dir(&recordings).unwrap();
    symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join("suites/piglit/engines"), &program).unwrap();
    let output = Command::new(&program)
        .args(["-auto", "-fbo"])
        .env("CURIE", &curie)
        .env("ENGINE", "reference")
        .env("CHIPSET", "G92")
        .env("PIGLIT", "/nonexistent")
        .env("RECORDINGS", &recordings)
        .env("LIVE", live)
        .env("REFERENCE", reference)
        .env("KERNELS", kernels)
        .env("REPLAY_STATUS", replay_status)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let kept = fs::read_dir(&recordings).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir());
    let files = kept.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
    let recordings = files.filter(|file| file.as_ref().unwrap().path().extension().unwrap() == "nvcap");
    (text(&output.stdout), recordings.count())
}

#[test]
fn equal_lines_pass_and_leave_nothing() {
    let lines = format!("{READBACK}\n{SURFACE}");
    let (output, kept) = compare("equal", SURFACE, [&lines; 2], "0");
    assert_eq!(kept, 0);
    let expected =
        format!("PIGLIT: {{\"subtest\": {{\"engines\" : \"pass\"}}}}\n{SURFACE}\nPIGLIT: {{\"result\": \"pass\" }}\n");
    assert_eq!(output, expected);
}

#[test]
fn planted_differences_fail_and_keep_the_recordings() {
    let lines = format!("{READBACK}\n{SURFACE}");
    let (other, other_surface) = (lines.replacen("ad7f", "ad7e", 1), SURFACE.replacen("9f86", "9f87", 1));
    for (name, live, replays, status, said) in [
        ("readback", SURFACE, [&lines, &other], "0", "ad7e"),
        ("live", &other_surface, [&lines, &lines], "0", "9f87"),
        ("error", SURFACE, [&lines, &lines], "1", "exit status 1"),
    ] {
        let (output, kept) = compare(name, live, replays.map(String::as_str), status);
        assert!(output.starts_with("PIGLIT: {\"subtest\": {\"engines\" : \"fail\"}}\n"), "{name}: {output}");
        assert!(output.contains(said), "{name}: {output}");
        assert_eq!(kept, 2, "{name}");
    }
}
