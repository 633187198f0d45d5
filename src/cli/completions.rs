//! `curie completions`: prints the script with which a shell completes the command's arguments.

use clap::Command;
use clap_complete::{Shell, generate};

use super::failure::Failure;
use super::output::print_text;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

/// Runs the subcommand; `command` is all of the command line.
pub(crate) fn run(arguments: &Arguments, command: &mut Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(arguments.shell, command, "curie", &mut script);
    print_text(String::from_utf8(script)?)
}
