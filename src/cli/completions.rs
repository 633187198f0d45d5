//! `curie completions`: prints the script with which a shell completes the command's arguments.

use clap::CommandFactory as _;
use clap_complete::{Shell, generate};

use super::Failure;
use super::output::print_text;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut super::Arguments::command(), "curie", &mut script);
    print_text(String::from_utf8(script)?)
}
