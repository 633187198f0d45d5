//! `curie disassemble`: microcode as assembly; also the PROGRAM argument that three subcommands share.

use std::path::PathBuf;

use curie::program::file::{Program, ProgramStage, read_program};

use super::Failure;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    program: ProgramFile,
}

/// A microcode file, which several subcommands take.
#[derive(Debug, clap::Args)]
pub(crate) struct ProgramFile {
    /// Text that begins with `!!NV40vp` or `!!NV40fp` and goes on with hexadecimal words, or raw little-endian words
    #[arg(value_name = "PROGRAM")]
    path: PathBuf,
    /// What raw words are for
    #[arg(long, value_enum)]
    stage: Option<Stage>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Stage {
    Vertex,
    Fragment,
}

impl ProgramFile {
    /// Reads and decodes the file.
    pub(crate) fn read(&self) -> Result<Program, Failure> {
        let path = self.path.display();
        let bytes = std::fs::read(&self.path).map_err(|error| format!("{path}: {error}"))?;
        let stage = self.stage.map(|stage| match stage {
            Stage::Vertex => ProgramStage::Vertex,
            Stage::Fragment => ProgramStage::Fragment,
        });
        Ok(read_program(&bytes, stage).map_err(|error| format!("{path}: {error}"))?)
    }
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match arguments.program.read()? {
        Program::Vertex(program) => print!("{program}"),
        Program::Fragment(program) => print!("{program}"),
    }
    Ok(())
}
