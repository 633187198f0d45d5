//! `curie run-program`.

use super::Failure;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

/// Runs the subcommand.
pub(crate) fn run(_arguments: &Arguments) -> Result<(), Failure> {
    Err("not built yet".into())
}
