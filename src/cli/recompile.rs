//! `curie recompile`: prints the WGSL that a program is recompiled to.

use curie::arith::vertex::VertexRuleSet;
use curie::asm::program_file::Program;
use curie::kernels::shade_quads::disabled_texture_unit;
use curie::pipeline::program_run::RunSettings;
use curie::recompiler::fragment::{self, FragmentKernelKey};
use curie::recompiler::quad_inputs::QuadSource;
use curie::recompiler::vertex::{self, VertexFetch, VertexKernelKey};

use super::disassemble::ProgramFile;
use super::failure::Failure;
use super::output::print_text;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    program: ProgramFile,
    /// The vertex program uses the legacy arithmetic rules instead of the modern ones
    #[arg(long)]
    legacy_rules: bool,
    /// The fragment program returns its results in R0, R2, R3, R4 instead of H0, H4, H6, H8
    #[arg(long)]
    full_outputs: bool,
    /// The program writes depth
    #[arg(long)]
    depth: bool,
}

/// Runs the subcommand.
///
/// Vertex programs read converted attributes, as for immediate vertices. The texture units of fragment programs are
/// disabled.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = arguments.program.read()?;
    let implied = RunSettings::of_file(&file);
    let rules = if arguments.legacy_rules { VertexRuleSet::Nv40Legacy } else { implied.rules };
    let source = match file.program {
        Program::Vertex(program) => vertex::source(&VertexKernelKey {
            program,
            rules,
            fetch: VertexFetch::Immediate,
            outputs: u16::MAX,
            output_map: None,
            has_runs: false,
        }),
        Program::Fragment(program) => {
            let depth = arguments.depth || implied.exports_depth;
            let full_outputs = arguments.full_outputs || implied.has_full_outputs;
            let key = FragmentKernelKey::new(&program, depth, full_outputs, 1, QuadSource::Interpolated);
            fragment::source(&key, &|unit| Ok(disabled_texture_unit(unit)))?
        }
    };
    print_text(source)
}
