//! Tests assembly texts: the results of their programs, which texts are rejected and why, and round trips of words.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod errors;
mod fragment_results;
mod long_texts;
pub(crate) mod mutations;
mod nv20;
mod nv20_packing;
mod round_trip;
mod vertex_flow;
mod vertex_results;

use curie::arith::vertex::VertexRuleSet;
use curie::asm::inputs::parse_inputs;
use curie::asm::program_file::Program;
use curie::asm::{Assembly, VertexAssembly, assemble};
use curie::pipeline::program_run::RunSettings;
use curie::reference::run_program::run_program;

/// Assembles a valid vertex text.
fn vertex(text: &str) -> VertexAssembly {
    match assemble("test", text) {
        Ok(Assembly::Vertex(vertex)) => vertex,
        Ok(Assembly::Fragment(_)) => panic!("a fragment program"),
        Err(errors) => panic!("{errors}\n{text}"),
    }
}

/// The errors of an invalid text, as users see them.
fn errors(text: &str) -> String {
    match assemble("test", text) {
        Ok(_) => panic!("assembles:\n{text}"),
        Err(errors) => errors.to_string(),
    }
}

/// The results of a text for one vertex, by name.
fn results(text: &str, inputs: &str) -> Vec<(String, [u32; 4])> {
    let assembly = vertex(text);
    let mut element = parse_inputs(inputs, Some(&Assembly::Vertex(assembly.clone()))).unwrap();
    element.bind_constants(&assembly);
    let program = assembly.microcode().decode().unwrap();
    let settings = RunSettings {
        rules: assembly.rules,
        booleans: 0,
        has_full_outputs: false,
        exports_depth: false,
        indexed_constants: assembly.indexed_constants.unwrap_or((0, 543)),
    };
    assert_eq!(assembly.rules == VertexRuleSet::Nv40Legacy, text.starts_with("!!VP1") || text.starts_with("!!VSP"));
    run_program(&Program::Vertex(program), &settings, &element).unwrap().named_as(&Assembly::Vertex(assembly)).registers
}

/// One result as numbers.
fn result(text: &str, inputs: &str, name: &str) -> [f32; 4] {
    let results = results(text, inputs);
    let found = results.iter().find(|(known, _)| known == name);
    found.unwrap_or_else(|| panic!("no {name} in {results:?}\n{text}")).1.map(f32::from_bits)
}
