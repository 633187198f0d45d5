//! `curie man`: writes the manual pages of the command and its subcommands.

use std::path::PathBuf;

use clap::Command;
use clap_mangen::generate_to;

use super::failure::Failure;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder, such as /usr/local/share/man/man1; it is created if it is missing
    folder: PathBuf,
}

/// Runs the subcommand; `command` is all of the command line.
pub(crate) fn run(arguments: &Arguments, command: Command) -> Result<(), Failure> {
    let folder = &arguments.folder;
    let write = || std::fs::create_dir_all(folder).and_then(|()| generate_to(command, folder));
    Ok(write().map_err(|error| format!("{}: {error}", folder.display()))?)
}
