//! `curie explain`: prints the schedule of a program on the chip's shader units, slot by slot.

use curie::asm::Assembly;
use curie::asm::program_file::Program;
use curie::statistics::explain::{Explanation, explain_vertex_program};
use curie::statistics::explain_fragment::FragmentExplanation;
use curie::statistics::fragment_schedule::FragmentOutputs;
use curie::statistics::models::shader_units;

use super::Failure;
use super::disassemble::ProgramFile;
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
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
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
