//! Runs one program on inputs given by a user, and names the registers that hold the results.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::fragment::run_fragment_program::run_fragment_program;
use super::observer::{DrawObserver, Unobserved};
use super::texture::unit::BoundTextures;
use super::vertex::run_vertex_program::{run_geometry_program, run_state_program, run_vertex_program};
use super::vertex::sample_vertex_texture::BoundVertexTextures;
use crate::asm::inputs::ElementInputs;
use crate::asm::program_file::Program;
use crate::pipeline::EngineError;
use crate::pipeline::program_run::{
    ElementResult, ProgramTextures, RunSettings, fragment_result, geometry_result, is_state_program, quad_inputs,
    state_result, vertex_context, vertex_result,
};
use crate::shader::vertex::VertexProgram;

/// Runs a program without textures on one element. A fragment is the upper left one of a quad whose four fragments have the
/// same inputs.
///
/// # Errors
/// When the program uses something that is not executed.
pub fn run_program(
    program: &Program,
    settings: &RunSettings,
    element: &ElementInputs,
) -> Result<ElementResult, EngineError> {
    run_textured_program(program, settings, &ProgramTextures::default(), element)
}

/// The same with textures.
///
/// # Errors
/// When the program or a texture uses something that is not executed.
pub fn run_textured_program(
    program: &Program,
    settings: &RunSettings,
    textures: &ProgramTextures,
    element: &ElementInputs,
) -> Result<ElementResult, EngineError> {
    match program {
        Program::Vertex(program) => {
            let constants = element.constant_store();
            let context = vertex_context(settings, &constants, element.booleans);
            if is_state_program(program) {
                let store = run_state_program(program, &context, &element.attributes);
                return Ok(state_result(program, &store));
            }
            if program.emits() {
                let emitted = run_geometry_program(program, &context, &element.attributes);
                return Ok(geometry_result(program, &emitted));
            }
            let units = BoundVertexTextures::new(&textures.memory, &textures.vertex);
            let shaded = run_vertex_program(program, &context, &element.attributes, &units, &Unobserved);
            Ok(vertex_result(program, &shaded))
        }
        Program::Fragment(program) => {
            let inputs = quad_inputs(element);
            let has_full_outputs = settings.has_full_outputs;
            let mut units = BoundTextures::new(&textures.memory, &textures.fragment);
            let result = run_fragment_program(program, has_full_outputs, &inputs, &mut units, &Unobserved)?;
            Ok(fragment_result(program, settings, &result))
        }
    }
}

/// The constants that a vertex program reads through an address for one element.
#[must_use]
pub fn reached_constants(
    program: &VertexProgram,
    settings: &RunSettings,
    textures: &ProgramTextures,
    element: &ElementInputs,
) -> BTreeSet<u16> {
    let constants = element.constant_store();
    let context = vertex_context(settings, &constants, element.booleans);
    let units = BoundVertexTextures::new(&textures.memory, &textures.vertex);
    let reached = ReachedConstants::default();
    let _ = run_vertex_program(program, &context, &element.attributes, &units, &reached);
    reached.0.into_inner()
}

/// Collects the constants that addresses reach.
#[derive(Debug, Default)]
struct ReachedConstants(RefCell<BTreeSet<u16>>);

impl DrawObserver for ReachedConstants {
    fn index_constant(&self, index: u16) {
        self.0.borrow_mut().insert(index);
    }
}
