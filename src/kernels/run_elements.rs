//! Runs one program on the adapter for user-supplied inputs; the twin of the reference's `run_program`.

use super::run_program::{
    run_geometry_program, run_state_program, run_textured_fragment_program, run_textured_vertex_program,
};
use crate::asm::inputs::ElementInputs;
use crate::asm::program_file::Program;
use crate::gpu::Gpu;
use crate::pipeline::EngineError;
use crate::pipeline::program_run::{
    ElementResult, ProgramTextures, RunSettings, fragment_result, geometry_result, is_state_program, quad_inputs,
    state_result, vertex_context, vertex_result,
};

/// Runs a program on every element.
///
/// # Errors
/// If the program contains something unsupported, or the device fails.
pub fn run_elements(
    gpu: &Gpu,
    program: &Program,
    settings: &RunSettings,
    textures: &ProgramTextures,
    elements: &[&ElementInputs],
) -> Result<Vec<ElementResult>, EngineError> {
    match program {
        Program::Vertex(program) => {
            let mut results = Vec::with_capacity(elements.len());
            // Constants and booleans are the same for all vertices of a dispatch.
            for group in elements.chunk_by(|a, b| a.constants == b.constants && a.booleans == b.booleans) {
                let constants = group[0].constant_store();
                let context = vertex_context(settings, &constants, group[0].booleans);
                if is_state_program(program) {
                    for element in group {
                        let store = run_state_program(gpu, program, &context, &element.attributes)?;
                        results.push(state_result(program, &store));
                    }
                    continue;
                }
                let attributes: Vec<_> = group.iter().map(|element| element.attributes).collect();
                if program.emits() {
                    let emitted = run_geometry_program(gpu, program, &context, &attributes)?;
                    results.extend(emitted.iter().map(|emitted| geometry_result(program, emitted)));
                    continue;
                }
                let vertices = run_textured_vertex_program(gpu, program, &context, &attributes, textures)?;
                results.extend(vertices.iter().map(|vertex| vertex_result(program, vertex)));
            }
            Ok(results)
        }
        Program::Fragment(program) => {
            let quads: Vec<_> = elements.iter().map(|element| quad_inputs(element)).collect();
            let quads = run_textured_fragment_program(gpu, program, settings.has_full_outputs, &quads, textures)?;
            Ok(quads.iter().map(|quad| fragment_result(program, settings, quad)).collect())
        }
    }
}
