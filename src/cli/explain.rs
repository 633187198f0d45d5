//! `curie explain`: prints the schedule of a program on the chip's shader units, slot by slot, or what a kernel needs.

use curie::asm::Assembly;
use curie::asm::program_file::Program;
use curie::isa::tesla::module::TeslaModule;
use curie::launch::find_kernel;
use curie::statistics::explain::{Explanation, explain_vertex_program};
use curie::statistics::explain_fragment::FragmentExplanation;
use curie::statistics::fragment_schedule::FragmentOutputs;
use curie::statistics::launch::KernelExplanation;
use curie::statistics::models::shader_units;

use super::disassemble::ProgramFile;
use super::failure::Failure;
use super::launch::machine_for;
use super::output::{print_line, print_text};

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    program: ProgramFile,
    /// The fragment program returns its results in R0, R2, R3, R4 instead of H0, H4, H6, H8
    #[arg(long)]
    full_outputs: bool,
    /// The program writes depth
    #[arg(long)]
    depth: bool,
    /// The kernel, of a file of kernels [default: the only one]
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// The threads of a block of a kernel [default: a table of sizes]
    #[arg(long, value_name = "THREADS", value_parser = clap::value_parser!(u32).range(1..=512))]
    block: Option<u32>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(module) = arguments.program.read_module()? {
        return explain_kernel(arguments, &module);
    }
    let (file, machine) = arguments.program.read_with_machine()?;
    let explanation: Box<dyn Explanation> = match &file.program {
        Program::Vertex(program) => {
            let Some(microcode) = file.vertex_microcode() else { unreachable!("the program was decoded from it") };
            explain_vertex_program(program, microcode.statements()?, &machine)?
        }
        Program::Fragment(program) => {
            let outputs = outputs(arguments, file.assembly.as_ref());
            Box::new(FragmentExplanation::new(program, outputs, &shader_units(&machine)))
        }
    };
    if arguments.json { print_line(explanation.to_json()) } else { print_text(explanation) }
}

/// Prints what a kernel needs, and what its instructions wait for.
fn explain_kernel(arguments: &Arguments, module: &TeslaModule) -> Result<(), Failure> {
    let kernel = find_kernel(module, arguments.entry.as_deref())?;
    let machine = machine_for(arguments.program.machine_name(), module.generation)?;
    let explanation = KernelExplanation::new(kernel, &machine, arguments.block);
    if arguments.json { print_line(explanation.to_json()) } else { print_text(explanation) }
}

/// Outputs of the program, as given by the arguments and the program text.
fn outputs(arguments: &Arguments, assembly: Option<&Assembly>) -> FragmentOutputs {
    let mut outputs =
        FragmentOutputs { has_full_outputs: arguments.full_outputs, exports_depth: arguments.depth, targets: 1 };
    if let Some(Assembly::Fragment(fragment)) = assembly {
        outputs.has_full_outputs |= fragment.has_full_outputs();
        outputs.exports_depth |= fragment.writes_depth;
        outputs.targets = fragment.color_targets.max(1);
    }
    outputs
}
