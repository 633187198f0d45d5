//! `curie assemble`: assembles a text into a program file.

use std::path::PathBuf;

use curie::asm::object::write_object;

use super::Failure;
use super::disassemble::ProgramFile;
use super::output::print_text;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    program: ProgramFile,
    /// Write the words and their bindings to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = arguments.program.read()?;
    let assembly = file.assembly.ok_or("the program is microcode already")?;
    let text = write_object(&assembly);
    match &arguments.output {
        Some(path) => std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?,
        None => print_text(text)?,
    }
    Ok(())
}
