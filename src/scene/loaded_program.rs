//! Defines a program that draws can run, with the sources of its constants.

use crate::arith::vertex::VertexRuleSet;
use crate::asm::state::{Matrix as StateMatrix, MatrixForm};
use crate::asm::{ConstantSource, FragmentAssembly, WindowConventions};
use crate::isa::{NvVertexIsa, VertexIsa};

/// Output registers that can have a meaning.
pub(super) const OUTPUT_WORDS: usize = 7;

/// The source of a constant's value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Constant {
    /// Numbers in the program text.
    Literal([u32; 4]),
    /// A parameter: the names by which the scene may set it, and its default value.
    Parameter(Vec<String>, Option<[u32; 4]>),
    /// A row of a matrix of the fixed pipeline.
    MatrixRow(StateMatrix, MatrixForm, usize),
}

/// A vertex program.
#[derive(Debug, Clone)]
pub(super) struct VertexProgram {
    /// The words, which determine the engine that runs them.
    pub(super) code: VertexCode,
    /// Constants by slot of the constant store; for the PICA200, by the number of a register in shader binaries.
    pub(super) constants: Vec<(u32, Constant)>,
    pub(super) attributes: u16,
}

/// The words of a vertex program.
#[derive(Debug, Clone)]
pub(super) enum VertexCode {
    /// Four words an instruction.
    Nv(NvCode),
    /// For the PICA200.
    Pica(PicaCode),
}

/// A vertex program of four words an instruction.
#[derive(Debug, Clone)]
pub(super) struct NvCode {
    pub(super) isa: NvVertexIsa,
    pub(super) instructions: Vec<[u32; 4]>,
    pub(super) start: u16,
    pub(super) rules: VertexRuleSet,
    pub(super) results: u32,
}

impl VertexCode {
    /// The instruction set.
    pub(super) const fn isa(&self) -> VertexIsa {
        match self {
            Self::Nv(code) => VertexIsa::Nv(code.isa),
            Self::Pica(_) => VertexIsa::Pica200,
        }
    }
}

/// A vertex shader and the registers that describe it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PicaCode {
    /// The words of the program store.
    pub(super) words: Vec<u32>,
    /// The operand descriptors.
    pub(super) descriptors: Vec<u32>,
    /// The address of the first word.
    pub(super) entry: u32,
    /// Bit i: output register i has a meaning.
    pub(super) exported: u16,
    /// How many output registers have a meaning.
    pub(super) output_count: u32,
    /// The meanings of their components, in the order of the registers: the words of `SH_OUTMAP`.
    pub(super) semantics: [u32; OUTPUT_WORDS],
}

/// A fragment program.
#[derive(Debug, Clone)]
pub(super) struct FragmentProgram {
    pub(super) code: FragmentCode,
    /// The sources of constants and loop counts.
    pub(super) constants: Vec<(ConstantSource, Constant)>,
    pub(super) control: u32,
    pub(super) conventions: WindowConventions,
}

/// The microcode of a fragment program.
#[derive(Debug, Clone)]
pub(super) enum FragmentCode {
    /// Fixed words.
    Words(Vec<u32>),
    /// Words with constants to be inserted.
    Assembly(Box<FragmentAssembly>),
}

impl FragmentProgram {
    /// Its length in words.
    pub(super) fn length(&self) -> usize {
        match &self.code {
            FragmentCode::Words(words) => words.len(),
            FragmentCode::Assembly(assembly) => assembly.words.len(),
        }
    }
}

/// A program of either stage.
#[derive(Debug, Clone)]
pub(super) enum LoadedProgram {
    /// For the vertex processor.
    Vertex(VertexProgram),
    /// For the fragment processor.
    Fragment(FragmentProgram),
}
