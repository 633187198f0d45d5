//! Prints lines on standard output, and writes files.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use curie::files;

use super::Failure;

/// Prints a line.
///
/// # Errors
/// When the reader has closed the pipe; see [`reader_has_gone`].
pub(super) fn print_line(line: impl Display) -> Result<(), Failure> {
    Ok(writeln!(io::stdout(), "{line}")?)
}

/// Prints text without adding a line end.
///
/// # Errors
/// When the reader has closed the pipe.
pub(super) fn print_text(text: impl Display) -> Result<(), Failure> {
    Ok(write!(io::stdout(), "{text}")?)
}

/// Writes a file, which appears under its name when it is whole.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    Ok(files::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))?)
}

/// Whether a command failed only because its reader closed the pipe, as `head` does.
pub(super) fn reader_has_gone(failure: &Failure) -> bool {
    failure.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
