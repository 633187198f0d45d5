//! Checks that files and messages pass through the modules that bound reading, write whole files and survive a closed standard
//! error.

use super::layers::without_unit_tests;
use super::texts_below;

/// What stands for direct access.
const DIRECT: &[&str] = &[
    "eprintln!",
    "eprint!",
    "println!",
    "fs::read(",
    "fs::read_to_string(",
    "fs::write(",
    "File::open(",
    "File::create(",
    "OpenOptions::",
    ".read_to_end(",
    ".read_to_string(",
];

/// Files that may, with what bounds them.
const ALLOWED: &[(&str, &str)] = &[
    ("src/files.rs", "the module that all others use"),
    ("src/capture/read.rs", "decompresses at most the size of a capture"),
    ("src/cli/report.rs", "a statistics file is parsed while it is read, within the reader's limit"),
    ("crates/statistics/src/report/file.rs", "parses within its limit"),
    ("src/live/recording.rs", "a recording grows while the program runs; it gets its name at its end"),
    ("src/bench/memory.rs", "the kernel's own file of this process"),
    ("src/statistics/kernels/mod.rs", "a message of its tests"),
    ("client/src/marks.rs", "files with one line"),
];

/// Whether a line contains a path that begins with this name, not one that ends with it.
fn contains_path(line: &str, name: &str) -> bool {
    let mut found = line.match_indices(name);
    found.any(|(at, _)| !line[..at].ends_with(|before: char| before.is_alphanumeric()))
}

/// Each line of the code before its unit tests that has direct access.
fn found_in<'text>(path: &str, text: &'text str) -> Vec<&'text str> {
    if ALLOWED.iter().any(|(allowed, _)| *allowed == path) || path.ends_with("tests.rs") {
        return Vec::new();
    }
    let lines = without_unit_tests(text).lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    lines.filter(|line| DIRECT.iter().any(|direct| contains_path(line, direct))).collect()
}

#[test]
fn files_and_messages_have_one_way() {
    let texts: Vec<_> =
        ["src", "crates", "client/src", "wayland/src"].iter().flat_map(|folder| texts_below(folder, &["rs"])).collect();
    let found: Vec<_> =
        texts.iter().flat_map(|(path, text)| found_in(path, text).into_iter().map(move |line| (path, line))).collect();
    assert!(found.is_empty(), "use curie::files, or cli::message: {found:#?}");
    for (allowed, _) in ALLOWED {
        assert!(texts.iter().any(|(path, _)| path == allowed), "{allowed} does not exist");
    }
}

#[test]
fn planted_accesses_are_found() {
    assert_eq!(found_in("src/cli/list.rs", "    eprintln!(\"note\");\n").len(), 1);
    assert_eq!(found_in("src/launch/mod.rs", "let bytes = std::fs::read(path)?;\n").len(), 1);
    assert_eq!(found_in("src/launch/mod.rs", "let bytes = files::read(path, MAX_BYTES)?;\n").len(), 0);
    assert_eq!(found_in("src/files.rs", "let file = File::open(path)?;\n").len(), 0);
    assert_eq!(found_in("src/cli/list.rs", "SceneFile::open(path, &options)?; File::open(path)?\n").len(), 1);
    assert_eq!(found_in("src/cli/list.rs", "SceneFile::open(path, &options)?\n").len(), 0);
    let tested = "fn f() {}\n#[cfg(test)]\nmod tests {\n    fn g() { std::fs::write(a, b); }\n}\n";
    assert_eq!(found_in("src/gpu/mod.rs", tested).len(), 0);
}
