//! Fuzz targets that execute programs of the Tesla processor, PTX and PICA200 programs: the same bytes again, whatever else
//! is observed, and after a round trip through words and text.
#![allow(unreachable_pub, reason = "the crate in fuzz/ takes this file as a module of its library")]

use std::sync::Arc;

use curie::arith::vertex::VertexRuleSet;
use curie::asm::pica::{self, PicaOptions};
use curie::asm::ptx::compile_ptx;
use curie::asm::shbin::{Executable, Shbin, ShbinDescriptor};
use curie::asm::tesla;
use curie::engine::ComputeEngine;
use curie::isa::pica_vertex::{FIRST_INTEGER, INTEGERS, PicaShader};
use curie::isa::tesla::TeslaInstruction;
use curie::isa::tesla::module::{TeslaKernel, TeslaModule, TeslaParameterKind};
use curie::launch::{Argument, KernelRequest, PreparedLaunch, prepare};
use curie::pipeline::launch::{LaunchOptions, LaunchThreads};
use curie::pipeline::{ShadedVertex, VertexContext};
use curie::reference::observer::Unobserved;
use curie::reference::vertex::run_vertex_program::run_vertex_program;
use curie::reference::vertex::sample_vertex_texture::NoVertexTextures;
use curie::shader::simt::{ProgramKind, SimtProgram};
use curie::shader::vertex::VertexProgram;

use crate::common::compute_program::case_of_input;
use crate::common::launch_outcome::{Outcome, difference, outcome, outcome_with};
use crate::common::random::Random;

/// Instructions of warps after which a launch ends.
const LIMIT: u64 = 4_000;

/// The same for kernels of PTX, of which few end with any arguments.
const PTX_LIMIT: u64 = 1_000;

/// Asserts that two launches left the same.
pub(crate) fn assert_same_outcome(what: &str, expected: &Outcome, actual: &Outcome) {
    assert_eq!(difference(expected, actual), None, "{what}");
}

/// Runs a launch in several ways, all with the same outcome: again, observed, and with a limit that just suffices. Returns it.
fn run(prepared: &PreparedLaunch, limit: u64) -> Outcome {
    let expected = outcome(&ComputeEngine::REFERENCE, prepared, limit);
    assert_same_outcome("again", &expected, &outcome(&ComputeEngine::REFERENCE, prepared, limit));
    let options = LaunchOptions {
        instruction_limit: limit,
        finds_races: true,
        traced_warp: Some(0),
        traces_warps: true,
        traces_accesses: true,
        max_quad_blocks: None,
    };
    let mut observed = outcome_with(&ComputeEngine::REFERENCE, prepared, &options);
    if let Ok(report) = &mut observed.report {
        report.races.clear();
    }
    assert_same_outcome("observed", &expected, &observed);
    if let Ok(report) = &expected.report {
        // The limit is looked at before a block, of which no instruction may be valid.
        let limited = outcome(&ComputeEngine::REFERENCE, prepared, report.warp_instructions + 1);
        assert_same_outcome("limited", &expected, &limited);
    }
    expected
}

/// The words of a program.
fn words(program: &SimtProgram, kind: ProgramKind) -> Vec<u32> {
    let mut words = Vec::new();
    for found in program.instructions() {
        let decoded = TeslaInstruction::of_length(&found.instruction, found.next - found.instruction.address, kind);
        let word = decoded.and_then(|decoded| decoded.encode(kind).ok()).expect("what was decoded can be encoded");
        words.extend([word & 0xffff_ffff, word >> 32].map(|half| u32::try_from(half).expect("half of a word")));
    }
    words
}

/// Any bytes as choices of a random program with structured flow, for a grid, vertices or fragments.
pub fn tesla_programs(input: &[u8]) -> bool {
    let prepared = case_of_input(input);
    let expected = run(&prepared, LIMIT);
    let kind = match prepared.launch.threads {
        LaunchThreads::Grid => ProgramKind::Compute,
        LaunchThreads::Vertices(_) => ProgramKind::Vertex,
        LaunchThreads::Primitives(_) => ProgramKind::Geometry,
        LaunchThreads::Fragments(_) => ProgramKind::Fragment,
    };
    let code = words(&prepared.launch.stage.program, kind);
    let kernel = TeslaKernel {
        name: "program".to_owned(),
        kind,
        code,
        registers: 16,
        shared_bytes: 0x180,
        local_bytes: prepared.launch.stage.local_bytes,
        barriers: 3,
        ..TeslaKernel::default()
    };
    let module = TeslaModule { generation: kernel.generation(), kernels: vec![kernel], ..TeslaModule::default() };
    let listed = tesla::listing(&module);
    let again = tesla::assemble("listing", &listed).unwrap_or_else(|errors| panic!("{errors}\n{listed}"));
    let mut assembled = prepared;
    assembled.launch.stage.program = Arc::new(SimtProgram::decode_kind(&again.kernels[0].code, kind));
    assert_same_outcome(&listed, &expected, &outcome(&ComputeEngine::REFERENCE, &assembled, LIMIT));
    expected.report.is_ok()
}

/// Arguments of a kernel: buffers and small numbers.
fn arguments(kernel: &TeslaKernel, random: &mut Random) -> Vec<Argument> {
    let parameters = kernel.parameters.as_deref().unwrap_or_default().iter();
    parameters
        .map(|parameter| {
            if parameter.kind == TeslaParameterKind::Float {
                return Argument::Float(1.5_f32.to_bits());
            }
            match random.below(3) {
                0 => Argument::Unsigned(random.below(40)),
                1 => Argument::Buffer((0..1024).map(|_| random.word().to_le_bytes()[3]).collect()),
                _ => Argument::Buffer((0..256).flat_map(|index: u16| f32::from(index).to_le_bytes()).collect()),
            }
        })
        .collect()
}

/// Any text as PTX whose kernels run: as compiled, and assembled from their listing.
pub fn ptx_programs(text: &str) -> bool {
    let Ok(module) = compile_ptx("fuzz", text) else { return false };
    let listed = tesla::listing(&module);
    let again = tesla::assemble("listing", &listed).unwrap_or_else(|errors| panic!("{errors}\n{listed}"));
    let mut has_run = false;
    let mut random = Random::of_input(&text.as_bytes()[..text.len().min(8)]);
    for kernel in &module.kernels {
        let request = KernelRequest {
            entry: Some(kernel.name.clone()),
            grid: [2, 1, 1],
            block: [16, 2, 1],
            arguments: arguments(kernel, &mut random),
            more_shared_bytes: 256,
            pointer_bytes: 4,
            textures: Vec::new(),
        };
        let Ok(prepared) = prepare(&module, &request) else { continue };
        let expected = run(&prepared, PTX_LIMIT);
        let assembled = prepare(&again, &request).expect("the module fitted before");
        assert_same_outcome(&listed, &expected, &outcome(&ComputeEngine::REFERENCE, &assembled, PTX_LIMIT));
        has_run = true;
    }
    has_run
}

/// Instructions after which a PICA200 program ends.
const PICA_LIMIT: u32 = 2_000;

/// What a PICA200 program gives for a few vertices.
fn pica_results(program: &VertexProgram, values: &[u32], instruction_limit: u32) -> Vec<ShadedVertex> {
    let mut values = values.iter().copied().cycle();
    let mut vector = || std::array::from_fn(|_| values.next().unwrap_or(0x3f80_0000));
    let mut constants: Vec<[u32; 4]> = (0..FIRST_INTEGER).map(|_| vector()).collect();
    constants.extend((0..INTEGERS).map(|_| vector().map(|value: u32| value & 7)));
    let booleans = vector()[0];
    let context = VertexContext {
        constants: &constants,
        rules: VertexRuleSet::Nv40Modern,
        booleans,
        instruction_limit,
        indexed_constants: (0, 0),
    };
    let mut result = || {
        let inputs = std::array::from_fn(|_| vector());
        run_vertex_program(program, &context, &inputs, &NoVertexTextures, &Unobserved)
    };
    vec![result(), result(), result()]
}

/// Asserts that a program gives the same results as before it was written and read.
pub(crate) fn assert_same_vertices(what: &str, expected: &[ShadedVertex], actual: &[ShadedVertex]) {
    let differing = expected.iter().zip(actual).position(|(expected, actual)| expected != actual);
    assert_eq!((differing, expected.len()), (None, actual.len()), "vertices of {what}");
}

/// Any words as a PICA200 program and its descriptors, which runs: as it is, encoded again, and assembled from its listing.
pub fn pica_programs(code: &[u32], descriptors: &[u32]) -> bool {
    let shader = PicaShader { code: code.to_vec(), descriptors: descriptors.to_vec() };
    let Ok(program) = shader.lower(0) else { return false };
    let expected = pica_results(&program, descriptors, PICA_LIMIT);
    assert_same_vertices("a second run", &expected, &pica_results(&program, descriptors, PICA_LIMIT));
    // Sharing of descriptors is greedy, so that encoding can need more of them than there are.
    if let Ok(instructions) = shader.decode()
        && let Ok(encoded) = PicaShader::encode(&instructions)
    {
        let again = encoded.lower(0).expect("what was encoded can be decoded");
        assert_same_vertices("encoded words", &expected, &pica_results(&again, descriptors, PICA_LIMIT));
    }
    let binary = Shbin {
        version: 0,
        executables: vec![Executable::default()],
        descriptors: descriptors.iter().map(|word| ShbinDescriptor { word: *word, operands: 0 }).collect(),
        code: code.to_vec(),
    };
    // The assembler adds words at the ends of scopes, which count where a program does not end.
    let ends = pica_results(&program, descriptors, 2 * PICA_LIMIT) == expected;
    if ends
        && let Ok(listed) = pica::listing(&binary, 0)
        && let Ok(assembled) = pica::assemble("listing", &listed, PicaOptions::default())
    {
        let entry = u16::try_from(assembled.executables[0].entry).expect("a short program");
        let again = assembled.shader().lower(entry).expect("what was assembled can be decoded");
        assert_same_vertices("an assembled listing", &expected, &pica_results(&again, descriptors, PICA_LIMIT));
    }
    true
}
