//! Reads and writes the files of checks.

use std::path::Path;

use super::CheckError;
use crate::files;

/// The largest file of text that is read.
const MAX_BYTES: u64 = 64 << 20;

/// Reads a file of at most `most` bytes.
pub(super) fn read(path: &Path, most: u64) -> Result<Vec<u8>, CheckError> {
    files::read(path, most).map_err(|source| CheckError::File { path: path.to_owned(), source })
}

/// Reads a text of at most 64 MiB.
///
/// # Errors
/// When it cannot be read, is longer or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, CheckError> {
    let message = "not UTF-8 text".to_owned();
    String::from_utf8(read(path, MAX_BYTES)?).map_err(|_| CheckError::Content { path: path.to_owned(), message })
}

/// Writes a file.
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), CheckError> {
    files::write(path, bytes).map_err(|source| CheckError::File { path: path.to_owned(), source })
}
