//! Decodes the microcode of a draw into the typed programs that engines execute.

use crate::pipeline::{EngineError, Vec4VertexStage};
use crate::shader::fragment::FragmentProgram;
use crate::shader::vertex::VertexProgram;

/// Decodes a fragment program; `read` returns the words of its microcode.
pub(crate) fn decode_fragment_program(
    read: &mut dyn FnMut(u32) -> Option<u32>,
) -> Result<FragmentProgram, EngineError> {
    FragmentProgram::decode_from(read)
        .map_err(|error| EngineError::Program { stage: "fragment", message: error.to_string() })
}

/// Decodes a vertex program.
pub(crate) fn decode_vertex_program(stage: &Vec4VertexStage) -> Result<VertexProgram, EngineError> {
    stage.microcode.decode().map_err(|error| EngineError::Program { stage: "vertex", message: error.to_string() })
}
