//! `curie disassemble`: prints a program as text that assembles to the same words. Other subcommands share its PROGRAM
//! argument.

use std::path::{Path, PathBuf};

use curie::asm::program_file::{self, FileOptions, MicrocodeFileError, read_program_file};
use curie::asm::{ProgramStage, tesla};
use curie::isa::VertexIsa;
use curie::isa::tesla::module::TeslaModule;
use curie::machine::{DEFAULT_MACHINE, FAMILIES, Machine, open};

use super::failure::Failure;
use super::output::print_text;
use super::stream::{input_name, read_input};

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    program: ProgramFile,
}

/// The program file, an argument of several subcommands.
#[derive(Debug, clap::Args)]
pub(crate) struct ProgramFile {
    /// Assembly text, microcode (`!!NV40vp`, `!!NV20vp` or `!!NV40fp` and hexadecimal words), raw little-endian words, a
    /// shader binary (SHBIN), a program that Cg compiled (`.vpo`, `.fpo`), or a cubin (text or ELF)
    #[arg(value_name = "PROGRAM")]
    path: PathBuf,
    /// The stage that runs raw words
    #[arg(long, value_enum)]
    stage: Option<Stage>,
    /// The machine whose processors run the program: a name of `curie machines`, or a file [default: a machine of the
    /// instruction set that the file names, or of NV40]
    #[arg(long, value_name = "NAME|FILE.toml")]
    machine: Option<String>,
    /// The executable (DVLE) of a shader binary, from 0
    #[arg(long, value_name = "NUMBER", default_value = "0")]
    executable: usize,
}

/// The largest program file; the longest programs take a few hundred kilobytes as text.
const MAX_BYTES: u64 = 16 << 20;

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Stage {
    Vertex,
    Fragment,
}

impl ProgramFile {
    /// Reads and decodes the file.
    pub(crate) fn read(&self) -> Result<program_file::ProgramFile, Failure> {
        let machine = self.machine.as_deref().map(open).transpose()?;
        self.read_for(machine.map(|machine| machine.vertex_stage.isa))
    }

    /// Reads and decodes the file for the machine that is named, or else for the default one of its instruction set.
    pub(crate) fn read_with_machine(&self) -> Result<(program_file::ProgramFile, Machine), Failure> {
        if let Some(name) = &self.machine {
            let machine = open(name)?;
            return Ok((self.read_for(Some(machine.vertex_stage.isa))?, machine));
        }
        let file = self.read_for(None)?;
        let isa = file.vertex_isa();
        let family = FAMILIES.iter().find(|family| family.vertex_stage.is_some_and(|stage| isa == Some(stage.isa)));
        Ok((file, open(family.map_or(DEFAULT_MACHINE, |family| family.default_machine))?))
    }

    /// The machine that is named.
    pub(crate) fn machine_name(&self) -> Option<&str> {
        self.machine.as_deref()
    }

    /// Reads the file if it is a module of Tesla kernels.
    pub(crate) fn read_module(&self) -> Result<Option<TeslaModule>, Failure> {
        let (path, bytes) = self.bytes()?;
        Ok(tesla::read_module(&path, &bytes).transpose()?)
    }

    /// The name and the contents of the file.
    fn bytes(&self) -> Result<(String, Vec<u8>), Failure> {
        Ok((input_name(&self.path), read_program(&self.path)?))
    }

    fn read_for(&self, isa: Option<VertexIsa>) -> Result<program_file::ProgramFile, Failure> {
        let (path, bytes) = self.bytes()?;
        let stage = self.stage.map(|stage| match stage {
            Stage::Vertex => ProgramStage::Vertex,
            Stage::Fragment => ProgramStage::Fragment,
        });
        let options = FileOptions { stage, isa, executable: self.executable };
        read_program_file(&path, &bytes, options).map_err(|error| match error {
            // Assembly errors name the file and show its lines.
            MicrocodeFileError::Assembly(errors) => Failure::from(*errors),
            error => format!("{path}: {error}").into(),
        })
    }
}

/// Reads the file of a program.
pub(super) fn read_program(path: &Path) -> Result<Vec<u8>, Failure> {
    Ok(read_input(path, MAX_BYTES).map_err(|error| format!("{}: {error}", input_name(path)))?)
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(module) = arguments.program.read_module()? {
        return print_text(tesla::listing(&module));
    }
    print_text(arguments.program.read()?.listing()?)
}
