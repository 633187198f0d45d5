//! Decodes the microcode of a draw into the typed programs that engines execute.

use crate::pipeline::{Draw, EngineError};
use crate::shader::fragment::FragmentProgram;
use crate::shader::vertex::VertexProgram;

/// Decodes both programs of a draw; `read` returns the words of the fragment microcode.
pub(crate) fn decode_programs(
    draw: &Draw,
    read: &mut dyn FnMut(u32) -> Option<u32>,
) -> Result<(VertexProgram, FragmentProgram), EngineError> {
    let vertex = decode_vertex_program(draw)?;
    let fragment = FragmentProgram::decode_from(read)
        .map_err(|error| EngineError::Program { stage: "fragment", message: error.to_string() })?;
    Ok((vertex, fragment))
}

/// Decodes the vertex program of a draw.
pub(crate) fn decode_vertex_program(draw: &Draw) -> Result<VertexProgram, EngineError> {
    let microcode = &draw.vertex.microcode;
    microcode.decode().map_err(|error| EngineError::Program { stage: "vertex", message: error.to_string() })
}
