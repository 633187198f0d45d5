//! Chooses how the schedule of a program is explained: by the pipeline that a machine's processors have.

pub use curie_statistics::explanation::Explanation;

use super::explain_timetable::TimetableExplanation;
use super::explain_vertex::VertexExplanation;
use super::models::{shader_units, timetable_parameters};
use super::vertex_timetable::UnknownOperation;
use crate::machine::{Machine, VertexPipeline};
use crate::shader::vertex::VertexProgram;

/// Explains a vertex program on a machine's processors; `statements` holds each of its bundles as text.
///
/// # Errors
/// When the processors do not have an operation of the program.
pub fn explain_vertex_program(
    program: &VertexProgram,
    statements: Vec<String>,
    machine: &Machine,
) -> Result<Box<dyn Explanation>, UnknownOperation> {
    Ok(match machine.vertex_stage.pipeline {
        VertexPipeline::Interleaved => Box::new(VertexExplanation::new(program, statements, &shader_units(machine))),
        VertexPipeline::InOrder => {
            Box::new(TimetableExplanation::new(program, statements, timetable_parameters(machine))?)
        }
    })
}
