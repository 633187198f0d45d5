//! Runs the program of a case and writes its result registers as lines.

use std::path::Path;

use super::case::{Case, Program, ProgramInputs};
use super::{CheckError, files};
use crate::asm::inputs::{ElementInputs, InputError};
use crate::asm::program_file::{self, FileOptions, read_program_file};
use crate::asm::{Assembly, ProgramStage, tesla};
use crate::engine::EngineSource;
use crate::isa::tesla::module::TeslaModule;
use crate::launch::{ElementsRequest, ProgramTexture, TextureArgument, bind_textures, find_kernel, run_elements};
use crate::machine::open;
use crate::pipeline::launch::LaunchOptions;
use crate::pipeline::program_run::{ElementResult, ProgramTextures, RunSettings};

/// The largest file of a program.
const MAX_BYTES: u64 = 16 << 20;

/// Runs a program on each element and returns a line for each result register: the element's line, the register, the bits
/// of its components. A discarded fragment has the line `1 discarded`.
pub(super) fn run(case: &Case, program: &Program, engine: &EngineSource) -> Result<Vec<String>, CheckError> {
    let path = program.path.display().to_string();
    let bytes = files::read(&program.path, MAX_BYTES)?;
    let content = |error: &dyn std::error::Error| CheckError::content(&program.path, error);
    if let Some(module) = tesla::read_module(&path, &bytes) {
        let given = [
            ("stage", program.stage.is_some()),
            ("booleans", program.booleans != 0),
            ("full_outputs", program.full_outputs),
            ("depth", program.depth),
            ("machine", case.machine.is_some()),
        ];
        if let Some((key, _)) = given.iter().find(|(_, is_given)| *is_given) {
            let message = format!("the key {key} is not for programs of the Tesla processor");
            return Err(CheckError::Content { path: program.path.clone(), message });
        }
        return run_module(program, &module.map_err(|error| content(&error))?, engine);
    }
    if program.entry.is_some() {
        let message = "the key entry is for programs of the Tesla processor".to_owned();
        return Err(CheckError::Content { path: program.path.clone(), message });
    }
    let machine = case.machine.as_deref().map(open).transpose().map_err(|error| CheckError::run(&error))?;
    let stage = program.stage.as_deref().map(|stage| match stage {
        "vertex" => ProgramStage::Vertex,
        _ => ProgramStage::Fragment,
    });
    let options = FileOptions { stage, isa: machine.map(|machine| machine.vertex_stage.isa), executable: 0 };
    let file = read_program_file(&path, &bytes, options).map_err(|error| content(&error))?;
    let mut elements = read_elements(program, |groups| file.parse_inputs(groups))?;
    if let Some(Assembly::Vertex(vertex)) = &file.assembly {
        elements.iter_mut().for_each(|(_, element)| element.bind_constants(vertex));
    }
    let implied = RunSettings::of_file(&file);
    let settings = RunSettings {
        booleans: program.booleans,
        has_full_outputs: implied.has_full_outputs || program.full_outputs,
        exports_depth: implied.exports_depth || program.depth,
        ..implied
    };
    let textures = program.textures.iter().map(|text| text.parse::<ProgramTexture>());
    let textures = textures.collect::<Result<Vec<_>, _>>().map_err(|error| CheckError::run(&error))?;
    let textures = bind_textures(&file, &textures, &program.folder).map_err(|error| CheckError::run(&error))?;
    let results = run_all(&file, &settings, &textures, &elements, engine)?;
    let lines = elements.iter().zip(&results).flat_map(|((line, _), result)| lines(*line, &result.named_by(&file)));
    Ok(lines.collect())
}

fn run_all(
    file: &program_file::ProgramFile,
    settings: &RunSettings,
    textures: &ProgramTextures,
    elements: &[(usize, ElementInputs)],
    engine: &EngineSource,
) -> Result<Vec<ElementResult>, CheckError> {
    let elements: Vec<&ElementInputs> = elements.iter().map(|(_, element)| element).collect();
    let run = |program: &program_file::Program, elements: &[&ElementInputs]| {
        engine.run_program(program, settings, textures, elements).map_err(|error| CheckError::run(&error))
    };
    let Some(Assembly::Fragment(fragment)) = &file.assembly else { return run(&file.program, &elements) };
    let mut results = Vec::with_capacity(elements.len());
    // Constants are part of the microcode, so fragments with other parameters need another program.
    for group in elements.chunk_by(|a, b| a.parameters == b.parameters) {
        let bound = fragment.bound(&|source| group[0].parameter(*source)).map_err(|error| CheckError::run(&error))?;
        results.extend(run(&program_file::Program::Fragment(bound), group)?);
    }
    Ok(results)
}

fn lines(line: usize, result: &ElementResult) -> Vec<String> {
    if result.is_discarded {
        return vec![format!("{line} discarded")];
    }
    let registers = result.registers.iter();
    registers.map(|(name, [x, y, z, w])| format!("{line} {name} {x:08x} {y:08x} {z:08x} {w:08x}")).collect()
}

/// Runs a program of a module for the Tesla processor, whose registers hold one word each.
fn run_module(program: &Program, module: &TeslaModule, engine: &EngineSource) -> Result<Vec<String>, CheckError> {
    let kind = find_kernel(module, program.entry.as_deref()).map_err(|error| CheckError::run(&error))?.kind;
    let elements = read_elements(program, |groups| tesla::parse_inputs(groups, kind))?;
    let (numbers, elements): (Vec<_>, Vec<_>) = elements.into_iter().unzip();
    let textures = program.textures.iter().map(|text| TextureArgument::read(text, &program.folder));
    let textures = textures.collect::<Result<Vec<_>, _>>().map_err(|error| CheckError::run(&error))?;
    let request = ElementsRequest { entry: program.entry.clone(), elements, textures, ..ElementsRequest::default() };
    let run = run_elements(module, &request, &engine.compute(), &LaunchOptions::default());
    let run = run.map_err(|error| CheckError::run(&error))?;
    let mut lines = Vec::new();
    for ((line, result), element) in numbers.iter().zip(&run.results).zip(&request.elements) {
        match result {
            Some(words) => lines.extend(words.iter().map(|(name, word)| format!("{line} {name} {word:08x}"))),
            None if element.is_helper => {}
            None => lines.push(format!("{line} discarded")),
        }
    }
    let faults = run.report.faults.iter();
    lines.extend(faults.map(|fault| format!("fault {:#06x} {} {} times", fault.instruction, fault.kind, fault.count)));
    Ok(lines)
}

/// Reads the elements with their line numbers, without blank lines and comments.
fn read_elements<Element>(
    program: &Program,
    parse: impl Fn(&str) -> Result<Element, InputError>,
) -> Result<Vec<(usize, Element)>, CheckError> {
    let (path, lines): (&Path, Vec<String>) = match &program.inputs {
        ProgramInputs::Given(lines) => (&program.path, lines.clone()),
        ProgramInputs::File(path) => (path, files::read_text(path)?.lines().map(str::to_owned).collect()),
    };
    let is_file = matches!(program.inputs, ProgramInputs::File(_));
    let mut elements = Vec::new();
    for (line, groups) in (1..).zip(&lines) {
        let groups = groups.split('#').next().unwrap_or_default();
        if !is_file || !groups.trim().is_empty() {
            let wrong = |error| CheckError::Line { path: path.to_owned(), line, message: format!("{error}") };
            elements.push((line, parse(groups).map_err(wrong)?));
        }
    }
    if elements.is_empty() {
        return Err(CheckError::Content { path: path.to_owned(), message: "no elements to run on".to_owned() });
    }
    Ok(elements)
}
