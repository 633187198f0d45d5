//! Defines a program that draws can run, with the sources of its constants.

use std::collections::BTreeMap;

use crate::arith::vertex::VertexRuleSet;
use crate::asm::state::{Matrix as StateMatrix, MatrixForm};
use crate::asm::{ConstantSource, FragmentAssembly, WindowConventions};
use crate::isa::{NvVertexIsa, VertexIsa};
use crate::shader::simt::ProgramKind;

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

/// A program of the Tesla processor.
#[derive(Debug, Clone, Default)]
pub(super) struct SimtCode {
    pub(super) kind: ProgramKind,
    /// The words of its instructions.
    pub(super) words: Vec<u32>,
    /// The registers of a thread.
    pub(super) registers: u32,
    pub(super) constants: Vec<SimtConstant>,
    pub(super) uses: ProgramWords,
    /// The number of the primitives that a geometry program emits, and its most vertices.
    pub(super) emits: Option<(u32, u32)>,
    /// The words of `o[]` with the size of a point, and with the distance from the first user clip plane.
    pub(super) point_size: Option<u32>,
    pub(super) clip_distances: Option<u32>,
    /// Whether a fragment program leaves the depth in the register behind its colors.
    pub(super) writes_depth: bool,
}

/// A vector in c0[], or the beginning of one.
#[derive(Debug, Clone)]
pub(super) struct SimtConstant {
    /// Its first word.
    pub(super) word: u32,
    /// How many words it has, 1 to 4.
    pub(super) count: u32,
    pub(super) value: Constant,
}

/// What a program of the Tesla processor reads and writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ProgramWords {
    /// The end of what it reads of `a[]`, in words.
    pub(super) attributes: u32,
    /// The same of vertices of the primitive.
    pub(super) primitive: u32,
    /// The end of what it writes of `o[]`, in words.
    pub(super) outputs: u32,
    /// The words of `v[]` that it reads, and whether each is flat.
    pub(super) interpolants: BTreeMap<u32, bool>,
    /// The units of textures and samplers that it reads together.
    pub(super) textures: Vec<(u8, u8)>,
    pub(super) discards: bool,
}

/// A program of any stage and chip.
#[derive(Debug, Clone)]
pub(super) enum LoadedProgram {
    /// For the vertex processor.
    Vertex(VertexProgram),
    /// For the fragment processor.
    Fragment(FragmentProgram),
    /// For the Tesla processor.
    Simt(Box<SimtCode>),
}

impl LoadedProgram {
    /// The words of the Tesla processor; none of other programs.
    pub(super) fn words(&self) -> &[u32] {
        match self {
            Self::Simt(code) => &code.words,
            Self::Vertex(_) | Self::Fragment(_) => &[],
        }
    }

    /// The stage that runs it.
    pub(super) fn stage(&self) -> ProgramKind {
        match self {
            Self::Vertex(_) => ProgramKind::Vertex,
            Self::Fragment(_) => ProgramKind::Fragment,
            Self::Simt(code) => code.kind,
        }
    }
}
