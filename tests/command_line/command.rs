//! Runs `curie` with arguments, and writes the files that it reads.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

/// The command before it runs, for a test that changes its surroundings.
pub(super) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_curie"));
    command.args(arguments);
    command
}

pub(super) fn curie(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What a command that succeeds prints.
pub(super) fn stdout(arguments: &[&str]) -> String {
    let output = curie(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The message of a command that fails.
pub(super) fn error(arguments: &[&str]) -> String {
    let output = curie(arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", text(&output.stdout));
    text(&output.stderr)
}

/// Writes a file into the folder that all tests share; the name may contain folders.
pub(super) fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let folder = path.parent().unwrap();
    std::fs::create_dir_all(folder).unwrap();
    // Another test may read a file of this name and content, which therefore is never half written.
    let mut written = tempfile::NamedTempFile::new_in(folder).unwrap();
    written.write_all(content.as_ref()).unwrap();
    written.persist(&path).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The path of a bundled capture.
pub(super) fn capture(name: &str) -> String {
    format!("{}/scenes/captures/{name}.nvcap", env!("CARGO_MANIFEST_DIR"))
}
