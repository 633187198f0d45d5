//! Runs program files: checks assembler, listing, reference and kernels against the expectations in the file.

use std::cell::OnceCell;
use std::mem::ManuallyDrop;

use curie::arith::is_nan;
use curie::arith::vertex::VertexRuleSet;
use curie::asm::fragment::listing::listing as list_fragment;
use curie::asm::inputs::{ElementInputs, parse_inputs};
use curie::asm::program_file::Program;
use curie::asm::vertex::listing::listing as list_vertex;
use curie::asm::{Assembly, assemble};
use curie::gpu::Gpu;
use curie::kernels::run_elements::run_elements;
use curie::pipeline::program_run::{ElementResult, ProgramTextures, RunSettings};
use curie::reference::run_program::run_program;

use super::file::{Outcome, ProgramTest, Run, Stage};
use crate::common;

thread_local! {
    /// The device of a thread, opened when its first program needs it. It is never closed, because closing it needs
    /// thread-local storage that no longer exists then.
    static GPU: OnceCell<ManuallyDrop<Option<Gpu>>> = const { OnceCell::new() };
}

/// Runs all checks of a file.
pub(crate) fn check(name: &str, test: &ProgramTest) -> Result<(), String> {
    let assembly = assemble(name, &test.program).map_err(|errors| errors.to_string())?;
    let words = words_of(&assembly);
    let mut checks = 0;
    let mut reference = None;
    for stage in &test.stages {
        match stage {
            Stage::Assemble if !test.words.is_empty() && test.words != words => {
                return Err(format!("other words: {}", hexadecimal(&words)));
            }
            Stage::Assemble => {}
            Stage::Roundtrip => round_trip(name, &assembly)?,
            Stage::Reference => {
                let found = reference.insert(on_reference(&assembly, test)?);
                check_runs("reference", &assembly, test, found)?;
            }
            Stage::Kernels => {
                let found = GPU.with(|gpu| {
                    let gpu = gpu.get_or_init(|| ManuallyDrop::new(common::gpu())).as_ref();
                    gpu.map(|gpu| on_kernels(gpu, &assembly, test)).transpose()
                })?;
                // Without an adapter this check is skipped, loudly.
                let Some(found) = found else { continue };
                check_runs("kernels", &assembly, test, &found)?;
                if let Some(difference) = reference.iter().flatten().zip(&found).find(|(a, b)| a != b) {
                    return Err(format!("the engines differ: {difference:x?}"));
                }
            }
        }
        checks += 1;
    }
    if checks == 0 { Err("no check ran".to_owned()) } else { Ok(()) }
}

/// The microcode of a program.
pub(crate) fn words_of(assembly: &Assembly) -> Vec<u32> {
    match assembly {
        Assembly::Vertex(vertex) => vertex.instructions.as_flattened().to_vec(),
        Assembly::Fragment(fragment) => fragment.words.clone(),
    }
}

fn hexadecimal(words: &[u32]) -> String {
    words.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>().join(" ")
}

fn round_trip(name: &str, assembly: &Assembly) -> Result<(), String> {
    let listing = match assembly {
        Assembly::Vertex(vertex) => list_vertex(&vertex.instructions, vertex.start),
        Assembly::Fragment(fragment) => list_fragment(&fragment.words, Some(fragment.control)),
    };
    let again = assemble(name, &listing).map_err(|errors| format!("the listing: {errors}"))?;
    if words_of(&again) != words_of(assembly) {
        return Err(format!("the listing assembles to other words:\n{listing}"));
    }
    Ok(())
}

/// The inputs of each line.
fn elements(assembly: &Assembly, test: &ProgramTest) -> Result<Vec<ElementInputs>, String> {
    let element = |run: &Run| {
        let mut element =
            parse_inputs(&run.inputs, Some(assembly)).map_err(|error| format!("line {}: {error}", run.line))?;
        if let Assembly::Vertex(vertex) = assembly {
            element.bind_constants(vertex);
        }
        Ok(element)
    };
    test.runs.iter().map(element).collect()
}

fn settings(assembly: &Assembly, test: &ProgramTest) -> RunSettings {
    let mut settings = RunSettings {
        rules: VertexRuleSet::Nv40Modern,
        booleans: test.booleans,
        has_full_outputs: false,
        exports_depth: false,
        indexed_constants: (0, 543),
    };
    match assembly {
        Assembly::Vertex(vertex) => {
            settings.rules = test.rules.unwrap_or(vertex.rules);
            settings.indexed_constants = vertex.indexed_constants.unwrap_or(settings.indexed_constants);
        }
        Assembly::Fragment(fragment) => {
            settings.has_full_outputs = fragment.has_full_outputs();
            settings.exports_depth = fragment.writes_depth;
        }
    }
    settings
}

/// The program with the parameters of an element.
fn bound(assembly: &Assembly, element: &ElementInputs) -> Result<Program, String> {
    match assembly {
        Assembly::Vertex(vertex) => vertex.microcode().decode().map(Program::Vertex).map_err(|error| error.to_string()),
        Assembly::Fragment(fragment) => {
            let program = fragment.bound(&|source| element.parameter(*source));
            program.map(Program::Fragment).map_err(|error| error.to_string())
        }
    }
}

fn on_reference(assembly: &Assembly, test: &ProgramTest) -> Result<Vec<ElementResult>, String> {
    let settings = settings(assembly, test);
    let run = |element: &ElementInputs| {
        run_program(&bound(assembly, element)?, &settings, element).map_err(|error| error.to_string())
    };
    elements(assembly, test)?.iter().map(run).collect()
}

fn on_kernels(gpu: &Gpu, assembly: &Assembly, test: &ProgramTest) -> Result<Vec<ElementResult>, String> {
    let settings = settings(assembly, test);
    let elements = elements(assembly, test)?;
    let elements: Vec<&ElementInputs> = elements.iter().collect();
    let mut results = Vec::new();
    // Constants are part of a fragment program's microcode.
    let is_same = |a: &&ElementInputs, b: &&ElementInputs| {
        matches!(assembly, Assembly::Vertex(_)) || a.parameters == b.parameters
    };
    for group in elements.chunk_by(is_same) {
        let program = bound(assembly, group[0])?;
        results.extend(
            run_elements(gpu, &program, &settings, &ProgramTextures::default(), group)
                .map_err(|error| error.to_string())?,
        );
    }
    Ok(results)
}

fn check_runs(engine: &str, assembly: &Assembly, test: &ProgramTest, results: &[ElementResult]) -> Result<(), String> {
    for (run, result) in test.runs.iter().zip(results) {
        let named = result.named_as(assembly);
        check_outcome(&run.outcome, &named).map_err(|error| format!("line {}, {engine}: {error}", run.line))?;
    }
    Ok(())
}

/// Compares a result with the expectation of a line.
pub(crate) fn check_outcome(outcome: &Outcome, result: &ElementResult) -> Result<(), String> {
    let (values, tolerance) = match outcome {
        Outcome::Discarded if result.is_discarded => return Ok(()),
        Outcome::Discarded => return Err("the fragment is not discarded".to_owned()),
        Outcome::Registers { .. } if result.is_discarded => return Err("the fragment is discarded".to_owned()),
        Outcome::Registers { values, tolerance } => (values, *tolerance),
    };
    for (name, expected) in values {
        let known = result.registers.iter().find(|(known, _)| known == name);
        let Some((_, found)) = known else {
            let names: Vec<&str> = result.registers.iter().map(|(name, _)| name.as_str()).collect();
            return Err(format!("there is no result {name}, but {}", names.join(", ")));
        };
        if expected.iter().zip(found).any(|(&expected, &found)| !is_near(expected, found, tolerance)) {
            let numbers = found.map(f32::from_bits);
            return Err(format!("{name} is {}, {numbers:?}, expected {}", hexadecimal(found), hexadecimal(expected)));
        }
    }
    Ok(())
}

/// Whether two numbers differ by at most this many units in the last place; without a tolerance the bits must be equal.
fn is_near(a: u32, b: u32, tolerance: u32) -> bool {
    let key = |bits: u32| {
        let magnitude = i64::from(bits & 0x7fff_ffff);
        if bits >> 31 == 0 { magnitude } else { -magnitude }
    };
    a == b || !is_nan(a) && !is_nan(b) && tolerance > 0 && key(a).abs_diff(key(b)) <= u64::from(tolerance)
}
