//! Turns vertex programs in the words of any instruction set into the typed program that engines take, and into text.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use super::nv20_vertex::decode::Nv20DecodeError;
use super::nv20_vertex::{self, Nv20Microprogram};
use super::nv40_vertex::VertexMicroprogram;
use super::nv40_vertex::decode::VertexDecodeError;
use crate::arith::vertex::VertexRuleSet;
use crate::shader::vertex::{INSTRUCTION_SLOTS, VertexProgram};

/// An instruction set of vertex processors whose instructions have four words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum VertexIsa {
    /// Of NV20 (GeForce 3 and 4).
    Nv20,
    /// Of NV40 (GeForce 6 and 7).
    #[default]
    Nv40,
}

impl VertexIsa {
    /// Every instruction set.
    pub const ALL: &[Self] = &[Self::Nv40, Self::Nv20];

    /// The first line of a text file with words of this instruction set.
    #[must_use]
    pub const fn header(self) -> &'static str {
        match self {
            Self::Nv20 => "!!NV20vp",
            Self::Nv40 => "!!NV40vp",
        }
    }

    /// Slots in the instruction store.
    #[must_use]
    pub const fn slots(self) -> usize {
        match self {
            Self::Nv20 => nv20_vertex::INSTRUCTION_SLOTS,
            Self::Nv40 => INSTRUCTION_SLOTS,
        }
    }

    /// The arithmetic of words without a language.
    #[must_use]
    pub const fn rules(self) -> VertexRuleSet {
        match self {
            // Its compares are those of NV40's legacy rules.
            Self::Nv20 => VertexRuleSet::Nv40Legacy,
            Self::Nv40 => VertexRuleSet::Nv40Modern,
        }
    }

    /// A program in words of this instruction set.
    #[must_use]
    pub fn microcode(self, slots: Vec<[u32; 4]>, start: u16) -> VertexMicrocode {
        let slots = Arc::new(slots);
        match self {
            Self::Nv20 => VertexMicrocode::Nv20 { slots, start },
            Self::Nv40 => VertexMicrocode::Nv40 { slots, start },
        }
    }
}

/// Shows the chip that introduced the instruction set.
impl Display for VertexIsa {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nv20 => "NV20",
            Self::Nv40 => "NV40",
        })
    }
}

/// A vertex program as a chip stores it. An instruction set adds a variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VertexMicrocode {
    /// Four words an instruction, for the vertex processor of NV20.
    Nv20 {
        /// The instruction store, 136 slots.
        slots: Arc<Vec<[u32; 4]>>,
        /// The slot at which execution starts.
        start: u16,
    },
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
    /// They are not one of NV20.
    #[error(transparent)]
    Nv20(#[from] Nv20DecodeError),
    /// They are not one of NV40.
    #[error(transparent)]
    Nv40(#[from] VertexDecodeError),
}

impl VertexMicrocode {
    /// The instruction set.
    #[must_use]
    pub const fn isa(&self) -> VertexIsa {
        match self {
            Self::Nv20 { .. } => VertexIsa::Nv20,
            Self::Nv40 { .. } => VertexIsa::Nv40,
        }
    }

    /// The instruction store from slot 0.
    #[must_use]
    pub fn slots(&self) -> &[[u32; 4]] {
        match self {
            Self::Nv20 { slots, .. } | Self::Nv40 { slots, .. } => slots,
        }
    }

    /// The slot at which execution starts.
    #[must_use]
    pub const fn start(&self) -> u16 {
        match self {
            Self::Nv20 { start, .. } | Self::Nv40 { start, .. } => *start,
        }
    }

    /// Decodes the program.
    ///
    /// # Errors
    /// When an instruction that execution can reach has no meaning, or when execution leaves the store.
    pub fn decode(&self) -> Result<VertexProgram, VertexMicrocodeError> {
        match self {
            Self::Nv20 { slots, start } => Ok(Nv20Microprogram::decode(slots, *start)?.lower_for_draws()?),
            Self::Nv40 { slots, start } => Ok(VertexMicroprogram::decode(slots, *start)?.lower()),
        }
    }

    /// Decodes the program, which may write constants because it runs on one vertex.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_state_program(&self) -> Result<VertexProgram, VertexMicrocodeError> {
        match self {
            Self::Nv20 { slots, start } => Ok(Nv20Microprogram::decode(slots, *start)?.lower()),
            Self::Nv40 { .. } => self.decode(),
        }
    }

    /// Writes the program as text, a line for each instruction that execution can reach.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn disassemble(&self) -> Result<String, VertexMicrocodeError> {
        match self {
            Self::Nv20 { slots, start } => Ok(Nv20Microprogram::decode(slots, *start)?.to_string()),
            Self::Nv40 { slots, start } => Ok(VertexMicroprogram::decode(slots, *start)?.to_string()),
        }
    }

    /// Writes each bundle of the decoded program as text, without label and semicolon.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn statements(&self) -> Result<Vec<String>, VertexMicrocodeError> {
        match self {
            Self::Nv20 { slots, start } => Ok(Nv20Microprogram::decode(slots, *start)?.statements()),
            Self::Nv40 { slots, start } => Ok(VertexMicroprogram::decode(slots, *start)?.statements()),
        }
    }
}
