//! `curie assemble`: assembles a text into a program file.

use std::path::{Path, PathBuf};

use curie::asm::Microcode;
use curie::asm::object::write_object;

use super::Failure;
use super::disassemble::ProgramFile;
use super::output::print_text;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    program: ProgramFile,
    /// Write the words and their bindings, or the shader binary, to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = arguments.program.read()?;
    let output = arguments.output.as_deref();
    if let Microcode::Pica(program) = &file.microcode {
        let path = output.ok_or("a shader binary is not text; name a file with --output")?;
        return write(path, &program.binary().write()?);
    }
    let text = write_object(&file.assembly.ok_or("the program is microcode already")?);
    match output {
        Some(path) => write(path, text.as_bytes()),
        None => print_text(text),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    Ok(std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))?)
}
