//! Errors of check files, of streams that are compared, and of merging results.

use std::path::{Path, PathBuf};

/// Why something cannot be checked or compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A file has the wrong content.
    #[error("{}: {message}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The problem.
        message: String,
    },
    /// A line of a check file is wrong.
    #[error("{}:{line}: {message}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The problem.
        message: String,
    },
    /// A stream or program cannot be run.
    #[error("{0}")]
    Run(String),
}

impl CheckError {
    /// An error about the content of a file, with its causes.
    pub(super) fn content(path: &Path, error: &dyn std::error::Error) -> Self {
        Self::Content { path: path.to_owned(), message: with_causes(error) }
    }

    /// An error of a run, with its causes.
    pub(super) fn run(error: &dyn std::error::Error) -> Self {
        Self::Run(with_causes(error))
    }
}

/// Joins an error and its causes in one line.
#[must_use]
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        // Transparent errors repeat their cause.
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}
