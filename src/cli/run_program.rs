//! `curie run-program`: runs one program over given inputs and prints its result registers.

use std::collections::HashSet;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use curie::arith::pica::F24;
use curie::arith::vertex::VertexRuleSet;
use curie::asm::inputs::{ElementInputs, InputError};
use curie::asm::program_file::{Program, ProgramFile};
use curie::asm::{Assembly, tesla};
use curie::engine::{ComputeEngine, EngineChoice, open_gpu};
use curie::files;
use curie::gpu::{AdapterChoice, Gpu};
use curie::isa::VertexIsa;
use curie::isa::tesla::module::TeslaModule;
use curie::kernels::run_elements::run_elements as run_on_kernels;
use curie::launch::{
    ElementsRequest, ElementsRun, TextureArgumentError, bind_textures, find_kernel, run_elements, sampled_units,
};
use curie::pipeline::launch::{Fault, LaunchOptions, WARP_THREADS};
use curie::pipeline::program_run::{ElementResult, ProgramTextures, RunSettings};
use curie::plural::counted;
use curie::reference::run_program::{reached_constants, run_textured_program};
use curie::shader::analysis::vertex_resources::VertexResources;

use super::disassemble::ProgramFile as ProgramArgument;
use super::failure::{Failure, Usage};
use super::launch::Tolerance;
use super::message;
use super::output::both;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    program: ProgramArgument,
    /// A file of inputs: NAME=x,y,z,w groups, one line per vertex or fragment; of the Tesla processor, four lines are a quad
    #[arg(long, value_name = "FILE", conflicts_with = "input")]
    inputs: Option<PathBuf>,
    /// An input of a single vertex or fragment, by its name in the program's language.
    ///
    /// !!ARBvp1.0, !!ARBfp1.0: vertex.attrib[0]=…, vertex.position=…, fragment.texcoord[0]=…, program.local[0]=…,
    /// program.env[0]=…, state.matrix.mvp.row[0]=….
    /// !!VP1.0 to !!VP3.0, !!VSP1.0, !!FP1.0: v[0]=…, v[OPOS]=…, c[3]=…, f[TEX0]=…, p[0]=…, or a declared name.
    /// Microcode and its native languages: v[0]=…, c[3]=…, f[TEX0]=….
    /// PICA200: v0=…, c3=…, i1=…, b2=true, or the name of a uniform.
    /// Tesla: words a[0x10]=1,2, v[0x4]=…, c0[0x0]=…, and helper.
    /// What is not given is 0,0,0,1.
    #[arg(long, value_name = "NAME=x,y,z,w", verbatim_doc_comment)]
    input: Vec<String>,
    /// The arithmetic rules of a vertex program [default: those of the language, modern for microcode]
    #[arg(long, value_enum)]
    rules: Option<RuleSet>,
    /// The engine: auto, kernels or reference
    #[arg(long, default_value = "auto")]
    engine: EngineChoice,
    /// The booleans of BRB and CLB; bit n is b[n]
    #[arg(long, value_name = "MASK", default_value = "0", value_parser = parse_mask)]
    booleans: u32,
    /// The fragment program returns its results in R0, R2, R3, R4 instead of H0, H4, H6, H8
    #[arg(long)]
    full_outputs: bool,
    /// The fragment program writes depth; it is printed as o[DEPR]
    #[arg(long)]
    depth: bool,
    /// The program of a module for the Tesla processor [default: the only one]
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// A texture, by its unit or its name: its format, its size, options, then a file of texels or a PNG file, zeros, or
    /// numbers in brackets; of a Tesla program as for `launch`
    ///
    /// Options: wrap=clamp|repeat|mirror|border|half-border|mirror-once, filter=nearest|linear, mipmaps, cube, rectangle, srgb,
    /// compare=lequal|less|…
    #[arg(long = "texture", value_name = "UNIT=FORMAT[,SIZE][,OPTION…]:FILE", allow_hyphen_values = true)]
    textures: Vec<String>,
    /// How many registers from $r0 are the results of a Tesla fragment program [default: 4]
    #[arg(long, value_name = "COUNT")]
    results: Option<u32>,
    #[command(flatten)]
    tolerance: Tolerance,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum RuleSet {
    Legacy,
    Modern,
}

fn parse_mask(text: &str) -> Result<u32, std::num::ParseIntError> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    }
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(module) = arguments.program.read_module()? {
        return run_module(arguments, &module);
    }
    if arguments.entry.is_some() || arguments.results.is_some() {
        return Err("--entry and --results are for programs of the Tesla processor".into());
    }
    let file = arguments.program.read()?;
    let textures = bind_textures(&file, &textures(arguments)?, Path::new(""))?;
    let settings = settings(arguments, RunSettings::of_file(&file));
    let mut elements = read_elements(arguments, |groups| file.parse_inputs(groups))?;
    let has_short_floats = file.vertex_isa() == Some(VertexIsa::Pica200);
    if let Some(Assembly::Vertex(vertex)) = &file.assembly {
        elements.iter_mut().for_each(|(_, element)| element.bind_constants(vertex));
    }
    warn_of_missing(&file, &settings, &textures, elements.iter().map(|(_, element)| element));
    let gpu = open_adapter(arguments)?;
    let bare: Vec<&ElementInputs> = elements.iter().map(|(_, element)| element).collect();
    let results = match &file.assembly {
        Some(Assembly::Fragment(fragment)) => {
            let mut results = Vec::with_capacity(bare.len());
            // Constants are part of the microcode, so fragments with other parameters need another program.
            for group in bare.chunk_by(|a, b| a.parameters == b.parameters) {
                let program = Program::Fragment(fragment.bound(&|source| group[0].parameter(*source))?);
                results.extend(run_all(gpu.as_ref(), &program, &settings, &textures, group)?);
            }
            results
        }
        _ => run_all(gpu.as_ref(), &file.program, &settings, &textures, &bare)?,
    };
    let mut output = BufWriter::new(std::io::stdout().lock());
    for ((line, _), result) in elements.iter().zip(&results) {
        if result.is_discarded {
            message::line(format_args!("line {line}: the fragment is discarded"));
            continue;
        }
        for (register, value) in &result.named_by(&file).registers {
            let [x, y, z, w] = value.map(f32::from_bits);
            let [a, b, c, d] = value;
            write!(output, "{line} {register} {x:?} {y:?} {z:?} {w:?} {a:08x} {b:08x} {c:08x} {d:08x}")?;
            if has_short_floats {
                let [a, b, c, d] = value.map(|component| F24.encode(component));
                write!(output, " {a:06x} {b:06x} {c:06x} {d:06x}")?;
            }
            writeln!(output)?;
        }
    }
    output.flush()?;
    Ok(())
}

/// Reads the textures that the arguments describe.
fn textures<T: FromStr<Err = TextureArgumentError>>(arguments: &Arguments) -> Result<Vec<T>, Failure> {
    let read = |text: &String| text.parse().map_err(|error| Usage(format!("--texture: {error}")).into());
    arguments.textures.iter().map(read).collect()
}

/// Says which inputs and constants the program reads although they are not given, and which units it samples although there
/// is no texture.
fn warn_of_missing<'e>(
    file: &ProgramFile,
    settings: &RunSettings,
    textures: &ProgramTextures,
    elements: impl Iterator<Item = &'e ElementInputs>,
) {
    let addressing = match &file.program {
        Program::Vertex(program) => Some(program).filter(|program| {
            let resources = VertexResources::of(program);
            resources.has_indexed_constants || resources.has_wrapped_constants
        }),
        Program::Fragment(_) => None,
    };
    let (mut inputs, mut constants) = (Names::default(), Names::default());
    for element in elements {
        inputs.extend(file.missing_inputs(element));
        let reached = addressing.map(|program| reached_constants(program, settings, textures, element));
        constants.extend(file.missing_constants(element, &reached.unwrap_or_default()));
    }
    inputs.warn("inputs");
    constants.warn("constants");
    let mut units = sampled_units(&file.program);
    units.retain(|unit| !textures.has(*unit));
    if !units.is_empty() {
        let names: Vec<_> = units.iter().map(u8::to_string).collect();
        message::warning(format_args!("every texel is 0,0,0,1: there are no textures for units {}", names.join(", ")));
    }
}

/// Names in the order of their first use.
#[derive(Debug, Default)]
struct Names {
    names: Vec<String>,
    known: HashSet<String>,
}

impl Names {
    fn extend(&mut self, names: Vec<String>) {
        self.names.extend(names.into_iter().filter(|name| self.known.insert(name.clone())));
    }

    /// Says that what has the names is not given.
    fn warn(&self, what: &str) {
        if !self.names.is_empty() {
            message::warning(format_args!("{what} that are not given are 0,0,0,1: {}", self.names.join(", ")));
        }
    }
}

/// The settings that the arguments give, or else the program implies.
fn settings(arguments: &Arguments, implied: RunSettings) -> RunSettings {
    let rules = arguments.rules.map_or(implied.rules, |rules| match rules {
        RuleSet::Legacy => VertexRuleSet::Nv40Legacy,
        RuleSet::Modern => VertexRuleSet::Nv40Modern,
    });
    RunSettings {
        rules,
        booleans: arguments.booleans,
        has_full_outputs: implied.has_full_outputs || arguments.full_outputs,
        exports_depth: implied.exports_depth || arguments.depth,
        ..implied
    }
}

fn run_all(
    gpu: Option<&Gpu>,
    program: &Program,
    settings: &RunSettings,
    textures: &ProgramTextures,
    elements: &[&ElementInputs],
) -> Result<Vec<ElementResult>, Failure> {
    Ok(match gpu {
        Some(gpu) => run_on_kernels(gpu, program, settings, textures, elements)?,
        None => {
            let run = |element: &&ElementInputs| run_textured_program(program, settings, textures, element);
            elements.iter().map(run).collect::<Result<Vec<_>, _>>()?
        }
    })
}

/// Opens the adapter that runs the program; `None` for the reference.
fn open_adapter(arguments: &Arguments) -> Result<Option<Gpu>, Failure> {
    match arguments.engine {
        EngineChoice::Reference => Ok(None),
        EngineChoice::Kernels => Ok(Some(open_gpu(&AdapterChoice::Best)?)),
        EngineChoice::Auto => match open_gpu(&AdapterChoice::Best) {
            Ok(gpu) => Ok(Some(gpu)),
            Err(error) => {
                message::note(format_args!("using the reference engine: {error}"));
                Ok(None)
            }
        },
    }
}

/// Runs a program of a module for the Tesla processor, and prints its results.
fn run_module(arguments: &Arguments, module: &TeslaModule) -> Result<(), Failure> {
    let kind = find_kernel(module, arguments.entry.as_deref())?.kind;
    let (lines, elements): (Vec<_>, Vec<_>) =
        read_elements(arguments, |groups| tesla::parse_inputs(groups, kind))?.into_iter().unzip();
    let request = ElementsRequest {
        entry: arguments.entry.clone(),
        elements,
        results: arguments.results,
        textures: textures(arguments)?,
    };
    let engine = ComputeEngine::open(arguments.engine, &AdapterChoice::Best)?;
    let ElementsRun { results, report } = run_elements(module, &request, &engine, &LaunchOptions::default())?;
    let print = || -> Result<(), Failure> {
        let mut output = BufWriter::new(std::io::stdout().lock());
        for ((line, result), element) in lines.iter().zip(&results).zip(&request.elements) {
            for (register, word) in result.iter().flatten() {
                writeln!(output, "{line} {register} {:?} {word:08x}", f32::from_bits(*word))?;
            }
            if result.is_none() && !element.is_helper {
                message::line(format_args!("line {line}: the fragment is discarded"));
            }
        }
        Ok(output.flush()?)
    };
    let printed = print();
    for fault in &report.faults {
        let Fault { instruction, kind, count, .. } = fault;
        // Each warp is a block of the launch.
        let line = lines.get((fault.first.block[0] * WARP_THREADS + fault.first.thread[0]) as usize);
        let first = line.map_or_else(|| "a helper".to_owned(), |line| format!("line {line}"));
        let address = fault.address.map(|address| format!(" at {address:#x}")).unwrap_or_default();
        let times = counted(count, "time");
        message::note(format_args!("{instruction:#06x}: {kind}, {times}, first by {first}{address}"));
    }
    both(printed, arguments.tolerance.judge("program", "fault", report.faults.len()))
}

/// The largest file of inputs.
const MAX_BYTES: u64 = 1 << 30;

/// Reads the elements with their line numbers, without blank lines and comments.
fn read_elements<Element>(
    arguments: &Arguments,
    parse: impl Fn(&str) -> Result<Element, InputError>,
) -> Result<Vec<(usize, Element)>, Failure> {
    let Some(path) = &arguments.inputs else {
        return Ok(vec![(1, parse(&arguments.input.join(" "))?)]);
    };
    let text = files::read_text(path, MAX_BYTES).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut elements = Vec::new();
    for (line, groups) in (1..).zip(text.lines()) {
        let groups = groups.split('#').next().unwrap_or_default();
        if !groups.trim().is_empty() {
            let element = parse(groups).map_err(|error| format!("{}: line {line}: {error}", path.display()))?;
            elements.push((line, element));
        }
    }
    Ok(elements)
}
