//! Says why a subcommand failed.

/// Error of a subcommand; people see only its message.
pub(super) type Failure = Box<dyn std::error::Error>;

/// Wrong usage that only shows once the files are read.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Usage(pub(super) String);
