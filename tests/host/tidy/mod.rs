//! The rules of the source tree that a compiler does not check; every rule has a planted violation that it finds.
//!
//! [`layers`] keeps the order of the crate's modules, [`mirrors`] the same names in both engines, [`reached`] that no file
//! lies unused.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod layers;
mod mirrors;
mod reached;

use std::path::{Path, PathBuf};

/// Lines that no file may exceed; 100 to 400 are comfortable.
const LINE_LIMIT: usize = 800;

fn files_below(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The files below a folder with their texts; paths begin at the package, with `/` on every system.
fn texts_below(folder: &str, extensions: &[&str]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = files_below(folder, extensions).into_iter().map(|path| {
        let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        (name, std::fs::read_to_string(&path).unwrap())
    });
    files.collect()
}

fn sources() -> Vec<PathBuf> {
    ["src", "wgsl", "tests", "benches", "examples", "fuzz/fuzz_targets"]
        .iter()
        .flat_map(|folder| files_below(folder, &["rs", "wgsl"]))
        .collect()
}

/// What is wrong with one source file, if anything.
fn complaint(path: &Path, text: &str) -> Option<String> {
    let is_kernel_text = path.extension().is_some_and(|extension| extension == "wgsl");
    let opening = if is_kernel_text { "// " } else { "//! " };
    let is_fuzz_target = path.components().any(|part| part.as_os_str() == "fuzz_targets");
    let opens_well = text.starts_with(opening) || (is_fuzz_target && text.starts_with("#![no_main]"));
    if !opens_well {
        return Some(format!("{}: the first line says what the file is, after '{opening}'", path.display()));
    }
    let lines = text.lines().count();
    if lines > LINE_LIMIT {
        return Some(format!("{}: {lines} lines; split files over {LINE_LIMIT} by hardware block", path.display()));
    }
    let trailing = text.lines().position(|line| line.ends_with([' ', '\t']));
    trailing.map(|line| format!("{}:{}: trailing space", path.display(), line + 1))
}

#[test]
fn sources_follow_the_house_rules() {
    let sources = sources();
    assert!(sources.len() > 50, "the sources were not found");
    let complaints: Vec<_> =
        sources.iter().filter_map(|path| complaint(path, &std::fs::read_to_string(path).unwrap())).collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn the_rules_find_what_they_forbid() {
    let path = Path::new("x.rs");
    assert_eq!(complaint(path, "//! Good.\n"), None);
    assert!(complaint(path, "use x;\n").is_some());
    assert!(complaint(path, "//! Space. \n").is_some());
    assert_eq!(complaint(path, &"//! Long.\n".repeat(LINE_LIMIT)), None);
    assert!(complaint(path, &"//! Long.\n".repeat(LINE_LIMIT + 1)).is_some());
    assert!(complaint(Path::new("x.wgsl"), "fn main() {}\n").is_some());
}

/// Files outside of the reference that import it, with the reason for each; tests may import it anywhere.
const REFERENCE_USERS: [(&str, &str); 6] = [
    ("src/engine.rs", "chooses the engine"),
    ("src/view/machine.rs", "chooses the engine behind a window"),
    ("src/cli/run_program.rs", "runs one program on the engine that was asked for"),
    ("src/kernels/counted_draws.rs", "counts what vertices execute where that depends on their values"),
    ("src/bench/count.rs", "counts the work of a draw without timing it"),
    ("src/statistics/models/frames.rs", "models replay the traces that the reference records"),
];

/// Whether the text imports the reference outside of its unit tests.
fn imports_reference(text: &str) -> bool {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.contains("crate::reference") || code.contains("curie::reference")
}

#[test]
fn the_reference_is_a_leaf() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let users: Vec<_> = files_below("src", &["rs"])
        .into_iter()
        .map(|path| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned())
        .filter(|path| !path.starts_with("src/reference/") && !path.ends_with("tests.rs"))
        .filter(|path| imports_reference(&std::fs::read_to_string(root.join(path)).unwrap()))
        .collect();
    let mut allowed: Vec<_> = REFERENCE_USERS.iter().map(|(path, _)| (*path).to_owned()).collect();
    allowed.sort();
    assert_eq!(users, allowed);
    assert!(imports_reference("use crate::reference::Reference;\n"));
    assert!(!imports_reference("#[cfg(test)]\nmod tests {\n    use crate::reference::Reference;\n}\n"));
}

#[test]
fn links_between_documents_resolve() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents = files_below("docs", &["md"]);
    documents.extend(["README.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(|name| root.join(name)));
    for document in documents {
        let text = std::fs::read_to_string(&document).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = target.split('#').next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let path = document.parent().unwrap().join(target);
            assert!(path.exists(), "{} links to {target}, which does not exist", document.display());
        }
    }
}
