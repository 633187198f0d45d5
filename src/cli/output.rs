//! Lines on standard output.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use super::Failure;

/// Prints a line.
///
/// # Errors
/// When nobody can read it; see [`reader_has_gone`].
pub(super) fn print_line(line: impl Display) -> Result<(), Failure> {
    Ok(writeln!(io::stdout(), "{line}")?)
}

/// Prints a text that ends its lines itself.
///
/// # Errors
/// When nobody can read it.
pub(super) fn print_text(text: impl Display) -> Result<(), Failure> {
    Ok(write!(io::stdout(), "{text}")?)
}

/// Whether a command ended because its reader closed the pipe, as `head` does: then all that was wanted is done.
pub(super) fn reader_has_gone(failure: &Failure) -> bool {
    failure.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
