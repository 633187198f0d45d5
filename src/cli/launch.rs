//! `curie launch`: runs a kernel on a grid of threads, prints the hashes of its buffers.

use std::path::PathBuf;

use curie::engine::{ComputeEngine, EngineChoice};
use curie::gpu::AdapterChoice;
use curie::isa::tesla::TeslaGeneration;
use curie::launch::{
    Argument, KernelRequest, KernelRun, ModuleFileError, Table, TextureArgument, buffer_hash, prepare, read_module,
    run as run_kernel,
};
use curie::machine::{MachineKind, TeslaMachine, machine_names, open_tesla};
use curie::pipeline::launch::{LaunchBuffer, LaunchMemory, LaunchOptions, TraceStep};
use curie::plural::counted;
use curie::shader::simt::{ProgramInstruction, SimtProgram};
use curie::statistics::launch::{LaunchModel, LaunchReportPage};

use super::disassemble::read_program;
use super::failure::Failure;
use super::message;
use super::output::{OutputFormat, both, print_line, print_text, write_file};

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The file of the kernel: assembly for the Tesla processor, PTX, or a cubin (text or ELF)
    kernel: PathBuf,
    /// The kernel [default: the only one]
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// The blocks of the grid
    #[arg(long, value_name = "X[,Y]", value_parser = grid)]
    grid: [u32; 3],
    /// The threads of a block
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = block)]
    block: [u32; 3],
    /// An argument, in the order of the parameters: i32:5, u32:0x10 or f32:1.5; a buffer f32:[1,2,…], i32:[…], u32:[…],
    /// zeros:BYTES or buf:FILE; a structure, bytes:HEX
    #[arg(long = "arg", value_name = "VALUE", allow_hyphen_values = true)]
    arguments: Vec<Argument>,
    /// A texture by its name or unit: its format, its size, [wrap=clamp|repeat|mirror|border], [filter=nearest|linear],
    /// [normalized], then a file of texels, zeros, or components in brackets
    #[arg(long = "texture", value_name = "NAME=FORMAT,SIZE[,OPTION…]:FILE", allow_hyphen_values = true)]
    textures: Vec<TextureArgument>,
    /// Bytes of shared memory of a block, beyond those that the kernel declares
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    shared: u32,
    /// Bits of an address among the parameters, where the file does not tell: 32 or 64
    #[arg(long, value_name = "BITS", default_value = "64", value_parser = ["32", "64"])]
    pointers: String,
    /// Write a buffer to a file afterwards; arguments have numbers from 0, variables their names
    #[arg(long, value_name = "BUFFER=FILE", value_parser = buffer_file)]
    out: Vec<(String, PathBuf)>,
    /// Print a buffer as numbers: f32, i32, u32, x32 or u8
    #[arg(long, value_name = "BUFFER=TYPE[:COLUMNS]", value_parser = assignment)]
    print: Vec<(String, String)>,
    /// Print each instruction of a warp with the registers that it writes; warps are counted through the grid
    #[arg(long, value_name = "warp=N", value_parser = traced_warp)]
    trace: Option<u64>,
    /// Look for accesses of two warps of a block to the same memory without a barrier between them
    #[arg(long)]
    races: bool,
    #[command(flatten)]
    tolerance: Tolerance,
    /// Most instructions of all warps together
    #[arg(long, value_name = "INSTRUCTIONS", default_value_t = LaunchOptions::default().instruction_limit)]
    limit: u64,
    /// The machine whose processor runs the kernel: a name of `curie machines`, or a file [default: the first that has the
    /// kernel's instructions]
    #[arg(long, value_name = "NAME|FILE.toml")]
    machine: Option<String>,
    /// Write counts and models of the launch to a file, as JSON
    #[arg(long, value_name = "FILE", value_parser = OutputFormat::STATISTICS.parser())]
    statistics: Option<PathBuf>,
    /// Print counts and models of the launch, with a row for each instruction
    #[arg(long, conflicts_with = "json")]
    profile: bool,
    /// The engine: auto (kernels on a hardware adapter, else the reference), kernels or reference
    #[arg(long, default_value = "auto")]
    engine: EngineChoice,
    /// The adapter of the kernels: best, software, or a part of its name
    #[arg(long, default_value = "best")]
    adapter: AdapterChoice,
    /// Print one JSON object instead of lines
    #[arg(long)]
    json: bool,
}

/// Whether what a run reports makes it fail.
#[derive(Debug, clap::Args)]
pub(super) struct Tolerance {
    /// Succeed although there are faults, or races of a kernel
    #[arg(long)]
    lenient: bool,
    /// Fail at faults and races, which is the default
    #[arg(long, conflicts_with = "lenient")]
    strict: bool,
}

impl Tolerance {
    /// Fails if there are kinds of mistakes in a kernel or program, unless they are to be tolerated.
    pub(super) fn judge(&self, what: &str, mistakes: &str, kinds: usize) -> Result<(), Failure> {
        match kinds {
            0 => Ok(()),
            _ if self.lenient => Ok(()),
            kinds => Err(format!("the {what} has {}", counted(kinds, &format!("kind of {mistakes}"))).into()),
        }
    }
}

/// Reads sizes of up to this many axes; the others are 1.
fn sizes(text: &str, axes: usize) -> Result<[u32; 3], String> {
    let numbers: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
    match numbers {
        Ok(numbers) if numbers.len() <= axes => {
            let mut sizes = [1; 3];
            sizes[..numbers.len()].copy_from_slice(&numbers);
            Ok(sizes)
        }
        _ => Err(format!("up to {axes} numbers with commas")),
    }
}

fn grid(text: &str) -> Result<[u32; 3], String> {
    sizes(text, 2)
}

fn block(text: &str) -> Result<[u32; 3], String> {
    sizes(text, 3)
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("BUFFER=…")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Reads the name of a buffer and of a file for its bytes.
fn buffer_file(text: &str) -> Result<(String, PathBuf), String> {
    let (name, path) = assignment(text)?;
    Ok((name, OutputFormat::BYTES.file(path.into())?))
}

fn traced_warp(text: &str) -> Result<u64, String> {
    let number = text.strip_prefix("warp=").and_then(|number| number.parse().ok());
    number.ok_or_else(|| "warp=N".to_owned())
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let name = arguments.kernel.display().to_string();
    let bytes = read_program(&arguments.kernel)?;
    let module = read_module(&name, &bytes).map_err(|error| -> Failure {
        match error {
            ModuleFileError::Text(errors) => errors.into(),
            error @ ModuleFileError::Language { .. } => error.into(),
        }
    })?;
    let request = KernelRequest {
        entry: arguments.entry.clone(),
        grid: arguments.grid,
        block: arguments.block,
        arguments: arguments.arguments.clone(),
        more_shared_bytes: arguments.shared,
        pointer_bytes: if arguments.pointers == "32" { 4 } else { 8 },
        textures: arguments.textures.clone(),
    };
    let mut prepared = prepare(&module, &request).map_err(|error| format!("{name}: {error}"))?;
    let is_observed = arguments.statistics.is_some() || arguments.profile;
    let machine = match (&arguments.machine, is_observed) {
        (None, false) => None,
        (machine, _) => Some(machine_for(machine.as_deref(), module.generation)?),
    };
    if let Some(machine) = &machine {
        prepared.limits = machine.limits();
    }
    let launch = prepared.launch.clone();
    let mut model = machine.as_ref().filter(|_| is_observed).map(|machine| LaunchModel::new(machine, &launch));
    let tables = tables(arguments, &prepared.memory)?;
    for (buffer, _) in &arguments.out {
        find(&prepared.memory, buffer)?;
    }
    let options = LaunchOptions {
        max_quad_blocks: None,
        instruction_limit: arguments.limit,
        finds_races: arguments.races,
        traced_warp: arguments.trace,
        traces_warps: false,
        traces_accesses: is_observed,
    };
    let mut printed = Ok(());
    let mut observer = |step: TraceStep| {
        if let Some(model) = &mut model {
            model.step(&step);
        }
        let warp = step.block * u64::from(launch.block_warps()) + u64::from(step.warp);
        if printed.is_ok() && arguments.trace == Some(warp) {
            printed = print_step(&launch.stage.program, &step);
        }
    };
    let engine = ComputeEngine::open(arguments.engine, &arguments.adapter)?;
    let finished =
        run_kernel(prepared, &engine, &options, &mut observer).map_err(|error| format!("{name}: {error}"))?;
    printed?;
    for (buffer, path) in &arguments.out {
        write_file(path, &find(&finished.memory, buffer)?.bytes)?;
    }
    if let (Some(model), Some(machine)) = (model, &machine) {
        let statistics = &model.finish();
        write_statistics(arguments, &LaunchReportPage { machine, launch: &launch, statistics })?;
    }
    report(arguments, &engine, &finished, &tables)
}

/// Writes and prints the statistics of a launch.
fn write_statistics(arguments: &Arguments, page: &LaunchReportPage<'_>) -> Result<(), Failure> {
    if let Some(path) = &arguments.statistics {
        let text = format!("{}\n", page.to_json());
        write_file(path, text.as_bytes())?;
    }
    if arguments.profile { print_text(page) } else { Ok(()) }
}

/// The machine of a name, or the first bundled one, if its processor runs kernels of the generation.
pub(super) fn machine_for(name: Option<&str>, generation: TeslaGeneration) -> Result<TeslaMachine, Failure> {
    let names = name.map_or_else(|| machine_names(Some(MachineKind::Unified)), |name| vec![name]);
    let machines = names.into_iter().map(open_tesla).collect::<Result<Vec<_>, _>>()?;
    let needed = generation.name();
    let titles: Vec<_> = machines
        .iter()
        .map(|machine| format!("the {} has {}", machine.title, machine.processor.generation.name()))
        .collect();
    let found = machines.into_iter().find(|machine| machine.runs(generation));
    Ok(found.ok_or_else(|| format!("the kernel needs {needed}, but {}", titles.join(", ")))?)
}

/// The buffer of a name.
fn find<'memory>(memory: &'memory LaunchMemory, name: &str) -> Result<&'memory LaunchBuffer, Failure> {
    let buffers = memory.buffers();
    let found = buffers.iter().find(|buffer| buffer.name == name);
    Ok(found.ok_or_else(|| {
        let names: Vec<_> = buffers.iter().map(|buffer| buffer.name.as_str()).collect();
        format!("there is no buffer '{name}'; the buffers are: {}", names.join(", "))
    })?)
}

/// The tables that the arguments ask for.
fn tables(arguments: &Arguments, memory: &LaunchMemory) -> Result<Vec<(String, Table)>, Failure> {
    let mut tables = Vec::new();
    for (buffer, table) in &arguments.print {
        find(memory, buffer)?;
        tables.push((buffer.clone(), table.parse()?));
    }
    Ok(tables)
}

/// Prints an instruction of the traced warp: its address, the lanes that execute it, and a line for each register.
fn print_step(program: &SimtProgram, step: &TraceStep) -> Result<(), Failure> {
    let ProgramInstruction { instruction, text, .. } = &program.instructions()[step.instruction];
    let address = instruction.address;
    print_line(format_args!("{address:06x} {:08x} {:08x} {text}", step.active, step.executing))?;
    for (register, values) in &step.written {
        let mut line = format!("  {:<5}", register.to_string());
        for (lane, value) in values.iter().enumerate() {
            line += &if step.executing >> lane & 1 == 0 { " -".to_owned() } else { format!(" {value:x}") };
        }
        print_line(line)?;
    }
    Ok(())
}

/// Prints what a kernel has left, and what was wrong.
fn report(
    arguments: &Arguments,
    engine: &ComputeEngine,
    finished: &KernelRun,
    tables: &[(String, Table)],
) -> Result<(), Failure> {
    let printed = print_results(arguments, engine, finished, tables);
    let KernelRun { report, .. } = finished;
    let faults = report.faults.iter().map(ToString::to_string);
    let notes: Vec<String> = faults.chain(report.races.iter().map(ToString::to_string)).collect();
    for line in &notes {
        message::note(line);
    }
    both(printed, arguments.tolerance.judge("kernel", "fault or race", notes.len()))
}

/// Prints the tables, the hashes of buffers and the counts.
fn print_results(
    arguments: &Arguments,
    engine: &ComputeEngine,
    finished: &KernelRun,
    tables: &[(String, Table)],
) -> Result<(), Failure> {
    let KernelRun { memory, report } = finished;
    if arguments.json {
        print_line(json(engine, finished, tables)?)?;
    } else {
        for (name, table) in tables {
            for row in table.rows(&find(memory, name)?.bytes) {
                print_line(format_args!("{name} {row}"))?;
            }
        }
        for buffer in memory.buffers() {
            print_line(format_args!("{} {} bytes sha256:{}", buffer.name, buffer.bytes.len(), buffer_hash(buffer)))?;
        }
        print_line(format_args!(
            "{}, {}, {}",
            counted(report.warp_instructions, "warp instruction"),
            counted(report.thread_instructions, "thread instruction"),
            counted(report.divergent_branches, "divergent branch"),
        ))?;
    }
    Ok(())
}

/// The same as one object.
fn json(
    engine: &ComputeEngine,
    finished: &KernelRun,
    tables: &[(String, Table)],
) -> Result<serde_json::Value, Failure> {
    let KernelRun { memory, report } = finished;
    let buffer = |buffer: &LaunchBuffer| serde_json::json!({ "name": buffer.name, "bytes": buffer.bytes.len(), "sha256": buffer_hash(buffer) });
    let mut values = serde_json::Map::new();
    for (name, table) in tables {
        values.insert(name.clone(), table.values(&find(memory, name)?.bytes).into());
    }
    Ok(serde_json::json!({
        "engine": engine.name(),
        "buffers": memory.buffers().iter().map(buffer).collect::<Vec<_>>(),
        "values": values,
        "warp_instructions": report.warp_instructions,
        "thread_instructions": report.thread_instructions,
        "divergent_branches": report.divergent_branches,
        "faults": report.faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "races": report.races.iter().map(ToString::to_string).collect::<Vec<_>>(),
    }))
}
