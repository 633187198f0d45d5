//! The rules of the source tree that a compiler does not check; each rule has a test with a planted violation.
//!
//! [`layers`] checks the order of the crate's modules, [`circles`] that no files import each other in circles, [`mirrors`] the
//! same names in both engines, [`dialects`] that the text around programs knows none of their dialects, [`reached`] that every
//! file is used, [`surroundings`] that files and messages pass through one module, and [`expectations`] that a failure of piglit
//! has a cause.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod circles;
mod counts;
mod dialects;
mod expectations;
mod layers;
mod mirrors;
mod reached;
mod surroundings;

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

/// A flag for the order of a surface's pixels or of a texture's texels; there are three, and `LayoutKind` says which.
fn flag_of_order(text: &str) -> Option<&str> {
    let words = text.split(|character: char| !character.is_alphanumeric() && character != '_');
    words.into_iter().find(|word| ["is_linear", "is_swizzled", "is_tiled"].contains(word))
}

#[test]
fn no_flag_tells_the_order_of_a_surface() {
    for folder in ["src", "crates", "wgsl"] {
        for (path, text) in texts_below(folder, &["rs", "wgsl"]) {
            assert_eq!(flag_of_order(&text), None, "in {path}");
        }
    }
    assert_eq!(flag_of_order("if surface.is_linear {"), Some("is_linear"));
    assert_eq!(flag_of_order("is_linear_filter"), None);
}

/// Places that ask whether an adapter is a software adapter, with a reason for each; kernels ask for its choices.
const SOFTWARE_ASKED: [(&str, &str); 4] = [
    ("src/gpu/", "what a device has and how long it keeps kernels"),
    ("src/kernels/software/", "the switch between choices"),
    ("src/engine.rs", "`auto` takes no software adapter for models"),
    ("src/statistics/models/runner.rs", "the same for long traces"),
];

fn asks_for_software(text: &str) -> bool {
    text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains("is_software"))
}

#[test]
fn one_switch_tells_software_adapters_apart() {
    let files = texts_below("src", &["rs"]);
    for (path, text) in &files {
        let is_listed = SOFTWARE_ASKED.iter().any(|(place, _)| path.starts_with(place));
        assert!(is_listed || !asks_for_software(text), "{path} asks whether an adapter is a software adapter");
    }
    for (place, _) in SOFTWARE_ASKED {
        let is_used = files.iter().any(|(path, text)| path.starts_with(place) && asks_for_software(text));
        assert!(is_used, "{place} does not ask: take it off the list");
    }
    assert!(asks_for_software("if summary.is_software() {") && !asks_for_software("// is_software"));
}

/// Places outside the folders for software adapters that name their modules other than the switch, with a reason for each.
const SOFTWARE_USERS: [(&str, &str); 23] = [
    ("src/kernels/draw_pipeline.rs", "refreshes the image of texels, and lets invocations continue tiles"),
    ("src/kernels/mod.rs", "names the image of texels for tests"),
    ("src/kernels/pipeline_cache.rs", "holds the iterations of a quad beside its kernel"),
    ("src/kernels/plan/draw_path.rs", "decides which kernels draw pixels in pairs"),
    ("src/kernels/plan/draw_sources.rs", "writes the kernels of both paths"),
    ("src/kernels/plan/vertex_dispatches.rs", "plans multi-draws"),
    ("src/kernels/stages/launch.rs", "asks whether lanes access memory in their order"),
    ("src/kernels/stages/mod.rs", "checks the bindings of kernels"),
    ("src/kernels/stages/run_vertex_programs.rs", "dispatches multi-draws"),
    ("src/kernels/stages/transfer.rs", "fills rows with 64-bit words"),
    ("src/kernels/tiles/draw_tiles.rs", "holds the kernels of both paths"),
    ("src/recompiler/compute/fast_floats.rs", "writes native operations of the fast path"),
    ("src/recompiler/compute/run_vertices.rs", "runs several vertices one after the other"),
    ("src/recompiler/compute/shade_quads.rs", "declares the iterations of a quad"),
    ("src/recompiler/compute/thread_program.rs", "checks constants and results of the fast path"),
    ("src/recompiler/fragment/", "the same"),
    ("src/recompiler/quad_program", "the same"),
    ("src/recompiler/rop/", "loads and stores pixels in pairs"),
    ("src/recompiler/texture/", "declares and counts iterations of fetches, and reads the image of texels"),
    ("src/recompiler/tiles/", "shares its text with invocations that draw tiles"),
    ("src/recompiler/vertex/", "runs several vertices one after the other"),
    ("wgsl/interp/plane_equations.wgsl", "evaluates planes on the fast path"),
    ("wgsl/raster/count_coverage.wgsl", "counts its iterations"),
];

/// Whether the text names a module for software adapters other than the switch.
fn names_software(text: &str) -> bool {
    let code = text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    let rest: Vec<_> = code.flat_map(|line| line.split("software::").skip(1)).collect();
    rest.iter().any(|name| !name.starts_with("adapter_choices"))
}

#[test]
fn few_places_know_what_serves_software_adapters() {
    let mut files = texts_below("src", &["rs"]);
    files.extend(texts_below("wgsl", &["wgsl"]));
    files.retain(|(path, text)| !path.contains("/software/") && names_software(text));
    for (path, _) in &files {
        let is_listed = SOFTWARE_USERS.iter().any(|(place, _)| path.starts_with(place));
        assert!(is_listed, "{path} names what serves only software adapters");
    }
    for (place, _) in SOFTWARE_USERS {
        assert!(files.iter().any(|(path, _)| path.starts_with(place)), "{place} names nothing: take it off the list");
    }
    assert!(names_software("use crate::recompiler::software::continuations::TilePath;\n"));
    assert!(!names_software("// software::x\nuse super::software::adapter_choices::AdapterChoices;\n"));
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
