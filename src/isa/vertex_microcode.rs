//! Turns vertex programs in the words of any instruction set into the typed program that engines take, and into text.

use std::sync::Arc;

use super::nv40_vertex::VertexMicroprogram;
use super::nv40_vertex::decode::VertexDecodeError;
use crate::shader::vertex::VertexProgram;

/// A vertex program as a chip stores it. An instruction set adds a variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VertexMicrocode {
    /// Four words an instruction, for the vertex processor of NV40.
    Nv40 {
        /// The instruction store, 544 slots.
        slots: Arc<Vec<[u32; 4]>>,
        /// The slot at which execution starts.
        start: u16,
    },
}

/// Why words are not a vertex program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VertexMicrocodeError {
    /// They are not one of NV40.
    #[error(transparent)]
    Nv40(#[from] VertexDecodeError),
}

impl VertexMicrocode {
    /// The slot at which execution starts.
    #[must_use]
    pub const fn start(&self) -> u16 {
        match self {
            Self::Nv40 { start, .. } => *start,
        }
    }

    /// Decodes the program.
    ///
    /// # Errors
    /// When an instruction that execution can reach has no meaning, or when execution leaves the store.
    pub fn decode(&self) -> Result<VertexProgram, VertexMicrocodeError> {
        match self {
            Self::Nv40 { slots, start } => Ok(VertexMicroprogram::decode(slots, *start)?.lower()),
        }
    }

    /// Writes the program as text, a line for each instruction that execution can reach.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn disassemble(&self) -> Result<String, VertexMicrocodeError> {
        match self {
            Self::Nv40 { slots, start } => Ok(VertexMicroprogram::decode(slots, *start)?.to_string()),
        }
    }
}
