//! Reads what the bundled captures and scenes must give from the check files beside them.

use std::path::{Path, PathBuf};

use curie::check::{Case, CheckFile, Stream, Subject, compare_outcome};
use curie::replay::{Outcome, Surface};

/// The captures that tests draw on both engines.
pub(crate) const CAPTURES: &str = "scenes/captures/check.toml";

/// The captures of the GeForce 8 that tests draw on both engines.
pub(crate) const GEFORCE_8: &str = "scenes/captures/geforce-8/check.toml";

/// The captures that tests draw on the kernels alone.
pub(crate) const LONG_CAPTURES: &str = "scenes/captures/check-long.toml";

/// The streams of compute launches.
pub(crate) const COMPUTE: &str = "scenes/compute/check.toml";

/// The scenes.
pub(crate) const SCENES: &str = "scenes/check.toml";

/// A path of the repository.
pub(crate) fn rooted(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// All cases of a check file.
pub(crate) fn cases(file: &str) -> Vec<Case> {
    CheckFile::open(&rooted(file)).unwrap_or_else(|error| panic!("{error}")).cases
}

/// A case of a check file.
pub(crate) fn case(file: &str, name: &str) -> Case {
    let found = cases(file).into_iter().find(|case| case.name == name);
    found.unwrap_or_else(|| panic!("{file} has no case {name}"))
}

/// What a case plays.
pub(crate) fn stream(case: &Case) -> &Stream {
    match &case.subject {
        Subject::Stream(stream) => stream,
        Subject::Program(_) => panic!("{} is a program", case.name),
    }
}

/// The lines that `curie replay` prints for the surfaces that a case expects.
pub(crate) fn surface_lines(case: &Case) -> String {
    case.expected.surfaces.iter().map(|(name, summary)| format!("{name:<6} {summary}\n")).collect()
}

/// Describes where an outcome differs from what a case expects. A surface that the case does not list is a difference, too.
pub(crate) fn differences(case: &Case, outcome: &Outcome) -> Vec<String> {
    assert!(case.expected.counters.is_empty(), "an outcome has no counters");
    let is_listed = |surface: &&Surface| case.expected.surfaces.iter().any(|(name, _)| *name == surface.name);
    let unlisted = outcome.surfaces.iter().filter(|surface| !is_listed(surface));
    let unlisted = unlisted.map(|surface| format!("{} is not in the check file", surface.hash_line()));
    compare_outcome(case, outcome, None, "").into_iter().chain(unlisted).collect()
}

/// Fails where an outcome differs from what a case expects.
pub(crate) fn assert_expected(case: &Case, outcome: &Outcome) {
    let found = differences(case, outcome);
    assert!(found.is_empty(), "{}: {found:#?}; `curie check --bless` accepts changes", case.name);
}

/// The bundled captures and scenes.
pub(crate) fn bundled_streams() -> Vec<PathBuf> {
    let is_capture = |path: &Path| [".nvcap", ".nvcap.zst"].iter().any(|end| path.to_str().unwrap().ends_with(end));
    let (mut folders, mut streams) = (vec![rooted("scenes")], Vec::new());
    while let Some(folder) = folders.pop() {
        let paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        folders.extend(paths.iter().filter(|path| path.is_dir()).cloned());
        streams.extend(paths.into_iter().filter(|path| is_capture(path) || path.join("scene.ron").exists()));
    }
    streams
}
