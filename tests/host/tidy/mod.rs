//! The rules of the source tree that a compiler does not check; each rule has a test with a planted violation.
//!
//! [`layers`] checks the order of the crate's modules, [`mirrors`] the same names in both engines, [`reached`] that every
//! file is used, [`surroundings`] that files and messages pass through one module, and [`expectations`] that a failure of piglit
//! has a cause.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod counts;
mod expectations;
mod layers;
mod mirrors;
mod reached;
mod surroundings;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Maximum number of lines in a file; 100 to 400 are comfortable.
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

/// The files below a folder with their texts; paths are relative to the package, with `/` on every system.
fn texts_below(folder: &str, extensions: &[&str]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = files_below(folder, extensions).into_iter().map(|path| {
        let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        (name, std::fs::read_to_string(&path).unwrap())
    });
    files.collect()
}

fn sources() -> Vec<PathBuf> {
    ["src", "crates", "wgsl", "tests", "benches", "examples", "fuzz/fuzz_targets"]
        .iter()
        .flat_map(|folder| files_below(folder, &["rs", "wgsl"]))
        .collect()
}

/// The first violation in a source file, if any.
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

/// Files outside the reference that import it, with a reason for each; tests may import it anywhere.
const REFERENCE_USERS: [(&str, &str); 5] = [
    ("src/engine.rs", "chooses the engine"),
    ("src/cli/run_program.rs", "runs one program on the engine that was asked for"),
    ("src/kernels/draw_counting.rs", "follows vertices whose program branches on their values"),
    ("src/kernels/run_on_host.rs", "runs what reaches more memory than a device holds"),
    ("src/statistics/models/frames.rs", "models replay the traces that the reference records"),
];

/// Whether the text imports the reference outside its unit tests.
fn imports_reference(text: &str) -> bool {
    let code = layers::without_unit_tests(text).replace("curie::", "crate::");
    layers::used(&code).contains("reference")
}

// The root of the crate is exempt: it re-exports items of the reference for the library's users.
#[test]
fn the_reference_is_a_leaf() {
    let users: Vec<_> = texts_below("src", &["rs"])
        .into_iter()
        .filter(|(path, _)| !path.starts_with("src/reference/") && !path.ends_with("tests.rs"))
        .filter(|(_, text)| imports_reference(text))
        .map(|(path, _)| path)
        .collect();
    let mut allowed: Vec<_> = REFERENCE_USERS.iter().map(|(path, _)| (*path).to_owned()).collect();
    allowed.sort();
    assert_eq!(users, allowed);
    assert!(imports_reference("use crate::reference::Reference;\n"));
    assert!(imports_reference("use crate::{bench, reference::Reference};\n"));
    assert!(!imports_reference("/// See [`crate::reference`].\n"));
    assert!(!imports_reference("#[cfg(test)]\nmod tests {\n    use crate::reference::Reference;\n}\n"));
}

#[test]
fn links_between_documents_resolve() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents = files_below("docs", &["md"]);
    documents.extend(
        ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "scenes/README.md"]
            .map(|name| root.join(name)),
    );
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

/// The paths of a `use` statement without its keyword, with groups in braces expanded.
fn paths_of(tree: &str) -> Vec<String> {
    let Some((prefix, group)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let group = group.trim_end().strip_suffix('}').unwrap();
    let (mut depth, mut start, mut paths) = (0, 0, Vec::new());
    for (index, character) in group.char_indices().chain([(group.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let inner = group[start..index].trim();
                if !inner.is_empty() {
                    paths.extend(paths_of(inner).iter().map(|path| format!("{}{path}", prefix.trim())));
                }
                start = index + 1;
            }
            _ => (),
        }
    }
    paths
}

/// The files of a module, as paths below its folder, that one of them imports; `files` are all of them.
fn imports_of(module: &str, files: &[(String, String)], (name, text): (&str, &str)) -> Vec<String> {
    let path = name.strip_suffix(".rs").unwrap();
    let is_folder = path == "mod" || path.ends_with("/mod");
    let mut own: Vec<&str> = path.split('/').collect();
    if is_folder {
        own.pop();
    }
    let statements = text.split("\nuse ").skip(1).chain(text.split("\npub use ").skip(1));
    let statements = statements.chain(text.split("\npub(in crate::kernels) use ").skip(1));
    let mut imported = Vec::new();
    for path in statements.flat_map(|statement| paths_of(statement.split(';').next().unwrap())) {
        let (mut base, mut rest) = (own.clone(), path.as_str());
        if let Some(below) = rest.strip_prefix(&format!("crate::{module}::")) {
            (base, rest) = (Vec::new(), below);
        } else if rest.starts_with("super::") {
            while let Some(below) = rest.strip_prefix("super::") {
                base.pop();
                rest = below;
            }
        } else if !is_folder {
            continue;
        }
        base.extend(rest.split("::"));
        // The longest prefix of the path that is a file.
        let file = (0..=base.len()).rev().find_map(|length| {
            let path = base[..length].join("/");
            [format!("{path}.rs"), format!("{path}/mod.rs").trim_start_matches('/').to_owned()]
                .into_iter()
                .find(|candidate| files.iter().any(|(name, _)| name == candidate))
        });
        // A path that starts at a folder may belong to another crate.
        imported.extend(file.filter(|file| file != name));
    }
    imported
}

/// A cycle of files that import each other, if there is one.
fn import_circle(module: &str, files: &[(String, String)]) -> Option<Vec<String>> {
    fn visit(
        graph: &HashMap<String, Vec<String>>,
        file: &str,
        trail: &mut Vec<String>,
        done: &mut HashSet<String>,
    ) -> bool {
        if trail.iter().any(|visited| visited == file) {
            trail.push(file.to_owned());
            return true;
        }
        if done.contains(file) {
            return false;
        }
        trail.push(file.to_owned());
        if graph[file].iter().any(|imported| visit(graph, imported, trail, done)) {
            return true;
        }
        trail.pop();
        done.insert(file.to_owned());
        false
    }
    let graph: HashMap<_, _> =
        files.iter().map(|(name, text)| (name.clone(), imports_of(module, files, (name, text)))).collect();
    let (mut trail, mut done) = (Vec::new(), HashSet::new());
    let is_circle = files.iter().any(|(name, _)| visit(&graph, name, &mut trail, &mut done));
    is_circle.then_some(trail)
}

/// The files of a module, as paths below its folder, with their texts.
fn module_files(module: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(module);
    let name = |path: &Path| path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
    let files = files_below(&format!("src/{module}"), &["rs"]);
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn files_of_the_kernels_engine_do_not_import_each_other_in_circles() {
    let files = module_files("kernels");
    let merger = files.iter().find(|(name, _)| name == "draw_merger.rs").unwrap();
    let imported = imports_of("kernels", &files, (&merger.0, &merger.1));
    assert!(imported.contains(&"executor.rs".to_owned()) && imported.contains(&"plan/merging.rs".to_owned()));
    assert_eq!(import_circle("kernels", &files), None);
}

#[test]
fn a_planted_circle_is_found() {
    let file = |name: &str, text: &str| (name.to_owned(), format!("//! A file.\n\n{text}"));
    let mut files = vec![
        file("mod.rs", "mod a;\npub use a::A;\n"),
        file("a.rs", "use super::b::{self, c::{C, D}};\nuse crate::gpu::Gpu;\n"),
        file("b/mod.rs", "pub mod c;\n"),
        file("b/c.rs", "use std::fmt;\n\nmod tests {\n    use super::*;\n}\n"),
    ];
    assert_eq!(imports_of("kernels", &files, ("a.rs", &files[1].1)), ["b/mod.rs", "b/c.rs", "b/c.rs"]);
    assert_eq!(import_circle("kernels", &files), None);
    files[3] = file("b/c.rs", "use crate::kernels::a::A;\n");
    assert_eq!(import_circle("kernels", &files).unwrap(), ["mod.rs", "a.rs", "b/c.rs", "a.rs"]);
    // A folder's own declarations count as a file of its own.
    files[3] = file("b/c.rs", "use super::super::Window;\n");
    assert_eq!(import_circle("kernels", &files).unwrap(), ["mod.rs", "a.rs", "b/c.rs", "mod.rs"]);
}
