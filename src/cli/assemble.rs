//! `curie assemble`: assembles a text into a program file.

use std::path::PathBuf;

use curie::asm::Microcode;
use curie::asm::cubin::write_cubin;
use curie::asm::object::write_object;
use curie::asm::tesla::KINDS;
use curie::isa::tesla::module::TeslaModule;
use curie::shader::simt::ProgramKind;

use super::disassemble::ProgramFile;
use super::failure::Failure;
use super::output::{OutputFormat, print_text, write_file};

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    program: ProgramFile,
    /// Write the words and their bindings, the shader binary, or the cubin text to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_parser = OutputFormat::PROGRAM.parser())]
    output: Option<PathBuf>,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = arguments.output.as_deref();
    if let Some(module) = arguments.program.read_module()? {
        let text = module_text(&module);
        return match output {
            Some(path) => write_file(path, text.as_bytes()),
            None => print_text(text),
        };
    }
    let file = arguments.program.read()?;
    if let Microcode::Pica(program) = &file.microcode {
        let path = output.ok_or("a shader binary is not text; name a file with --output")?;
        return write_file(path, &program.binary().write()?);
    }
    if file.compiled_inputs.is_some() {
        return Err("the program is compiled already".into());
    }
    let text = write_object(&file.assembly.ok_or("the program is microcode already")?);
    match output {
        Some(path) => write_file(path, text.as_bytes()),
        None => print_text(text),
    }
}

/// A module as cubin text; with programs of the graphics pipeline, which cubin text does not hold, as their words.
fn module_text(module: &TeslaModule) -> String {
    if module.kernels.iter().all(|kernel| kernel.kind == ProgramKind::Compute) {
        return write_cubin(module);
    }
    let programs = module.kernels.iter().map(|kernel| {
        let kind = KINDS.iter().find(|(kind, _)| *kind == kernel.kind).map_or("", |(_, name)| name);
        let words = kernel.code.chunks(4).map(|line| {
            let line: Vec<_> = line.iter().map(|word| format!("{word:#010x}")).collect();
            format!("{}\n", line.join(" "))
        });
        format!("// {kind} {}\n{}", kernel.name, words.collect::<String>())
    });
    programs.collect()
}
