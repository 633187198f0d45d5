//! Turns vertex programs in the words of any instruction set into the typed program that engines take, and into text.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use super::nv20_vertex::decode::Nv20DecodeError;
use super::nv20_vertex::{self, Nv20Microprogram};
use super::nv40_vertex::VertexMicroprogram;
use super::nv40_vertex::decode::VertexDecodeError;
use super::pica_vertex::{PicaDecodeError, PicaShader};
use crate::arith::vertex::VertexRuleSet;
use crate::shader::vertex::{INSTRUCTION_SLOTS, VertexProgram};

/// An instruction set of vertex processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VertexIsa {
    /// One whose instructions have four words.
    Nv(NvVertexIsa),
    /// That of PICA200.
    Pica200,
}

/// An instruction set of NVIDIA's vertex processors, whose instructions have four words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NvVertexIsa {
    /// Of NV20 (GeForce 3 and 4).
    Nv20,
    /// Of NV40 (GeForce 6 and 7).
    #[default]
    Nv40,
}

impl VertexIsa {
    /// Every instruction set.
    pub const ALL: &[Self] = &[Self::Nv(NvVertexIsa::Nv40), Self::Nv(NvVertexIsa::Nv20), Self::Pica200];
}

impl NvVertexIsa {
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
}

/// Shows the chip that introduced the instruction set.
impl Display for NvVertexIsa {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nv20 => "NV20",
            Self::Nv40 => "NV40",
        })
    }
}

/// Shows the chip that introduced the instruction set.
impl Display for VertexIsa {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nv(isa) => isa.fmt(f),
            Self::Pica200 => f.write_str("PICA200"),
        }
    }
}

/// A vertex program as a chip stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VertexMicrocode {
    /// Four words an instruction.
    Nv(NvMicrocode),
    /// One word an instruction, with a table of operand descriptors.
    Pica200 {
        /// The program store and the table.
        shader: Arc<PicaShader>,
        /// The address at which execution starts.
        entry: u16,
    },
}

/// A vertex program of four words an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NvMicrocode {
    /// The instruction set.
    pub isa: NvVertexIsa,
    /// The instruction store from slot 0.
    pub slots: Arc<Vec<[u32; 4]>>,
    /// The slot at which execution starts.
    pub start: u16,
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
    /// They are not one of PICA200.
    #[error(transparent)]
    Pica200(#[from] PicaDecodeError),
}

impl NvMicrocode {
    /// Decodes the program for draws.
    ///
    /// # Errors
    /// When an instruction that execution can reach has no meaning or writes constants, or when execution leaves the store.
    pub fn decode(&self) -> Result<VertexProgram, VertexMicrocodeError> {
        match self.isa {
            NvVertexIsa::Nv20 => Ok(Nv20Microprogram::decode(&self.slots, self.start)?.lower_for_draws()?),
            NvVertexIsa::Nv40 => self.decode_state_program(),
        }
    }

    /// Decodes the program, which may write constants because it runs on one vertex.
    ///
    /// # Errors
    /// When an instruction that execution can reach has no meaning, or when execution leaves the store.
    pub fn decode_state_program(&self) -> Result<VertexProgram, VertexMicrocodeError> {
        match self.isa {
            NvVertexIsa::Nv20 => Ok(Nv20Microprogram::decode(&self.slots, self.start)?.lower()),
            NvVertexIsa::Nv40 => Ok(VertexMicroprogram::decode(&self.slots, self.start)?.lower()),
        }
    }
}

impl VertexMicrocode {
    /// The instruction set.
    #[must_use]
    pub const fn isa(&self) -> VertexIsa {
        match self {
            Self::Nv(microcode) => VertexIsa::Nv(microcode.isa),
            Self::Pica200 { .. } => VertexIsa::Pica200,
        }
    }

    /// The slot at which execution starts.
    #[must_use]
    pub const fn start(&self) -> u16 {
        match self {
            Self::Nv(microcode) => microcode.start,
            Self::Pica200 { entry, .. } => *entry,
        }
    }

    /// Decodes the program for draws.
    ///
    /// # Errors
    /// When an instruction that execution can reach has no meaning or is not one of draws, or when execution leaves the
    /// store.
    pub fn decode(&self) -> Result<VertexProgram, VertexMicrocodeError> {
        match self {
            Self::Nv(microcode) => microcode.decode(),
            Self::Pica200 { shader, entry } => Ok(shader.lower(*entry)?),
        }
    }

    /// Writes the program as text, a line for each instruction that execution can reach.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn disassemble(&self) -> Result<String, VertexMicrocodeError> {
        match self {
            Self::Nv(NvMicrocode { isa: NvVertexIsa::Nv20, slots, start }) => {
                Ok(Nv20Microprogram::decode(slots, *start)?.to_string())
            }
            Self::Nv(NvMicrocode { isa: NvVertexIsa::Nv40, slots, start }) => {
                Ok(VertexMicroprogram::decode(slots, *start)?.to_string())
            }
            Self::Pica200 { shader, entry } => {
                let line = |(address, instruction)| format!("{address:>4}  {instruction}\n");
                Ok(shader.reachable(*entry)?.into_iter().map(line).collect())
            }
        }
    }

    /// Writes each bundle of the decoded program as text, without label and semicolon.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn statements(&self) -> Result<Vec<String>, VertexMicrocodeError> {
        match self {
            Self::Nv(NvMicrocode { isa: NvVertexIsa::Nv20, slots, start }) => {
                Ok(Nv20Microprogram::decode(slots, *start)?.statements())
            }
            Self::Nv(NvMicrocode { isa: NvVertexIsa::Nv40, slots, start }) => {
                Ok(VertexMicroprogram::decode(slots, *start)?.statements())
            }
            Self::Pica200 { shader, entry } => {
                Ok(shader.reachable(*entry)?.into_values().map(|instruction| instruction.to_string()).collect())
            }
        }
    }
}
