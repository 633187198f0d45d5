//! `curie man`: writes the manual pages of the command and its subcommands.

use std::path::PathBuf;

use clap::CommandFactory as _;
use clap_mangen::generate_to;

use super::Failure;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder, such as /usr/local/share/man/man1; it is created if it is missing
    folder: PathBuf,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let folder = &arguments.folder;
    let write = || std::fs::create_dir_all(folder).and_then(|()| generate_to(super::Arguments::command(), folder));
    Ok(write().map_err(|error| format!("{}: {error}", folder.display()))?)
}
