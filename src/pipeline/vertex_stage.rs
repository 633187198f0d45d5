//! Defines the vertex programs of draws, one variant for each kind of program.

use std::sync::Arc;

use super::{OutputMap, OutputWord, SimtStage, TextureState, VertexTexture};
use crate::arith::vertex::VertexRuleSet;
use crate::isa::{VertexIsa, VertexMicrocode};

/// The vertex program of a draw.
#[expect(clippy::large_enum_variant, reason = "most draws have the large variant, and few are held at once")]
#[derive(Debug, Clone, PartialEq)]
pub enum VertexStage {
    /// Over registers of four components.
    Vec4(Vec4VertexStage),
    /// Over the threads of warps.
    Simt(SimtVertexStage),
}

/// A vertex program over registers of four components, and what it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vec4VertexStage {
    /// The program.
    pub microcode: VertexMicrocode,
    /// The constant store, 544 vectors as bits.
    pub constants: Arc<Vec<[u32; 4]>>,
    /// The rule set of the arithmetic.
    pub rules: VertexRuleSet,
    /// Limit of instructions that one vertex executes.
    pub instruction_limit: u32,
    /// The booleans of BRB and CLB.
    pub booleans: u32,
    /// Lowest and highest constant that indexed reads can access.
    pub indexed_constants: (u16, u16),
    /// What lies between the program's output registers and the draw's outputs, if anything.
    pub output_map: Option<OutputMap>,
    /// Vertex texture units; `None` if disabled.
    pub textures: [Option<VertexTexture>; 4],
}

/// A SIMT vertex program; a thread runs each vertex.
#[derive(Debug, Clone, PartialEq)]
pub struct SimtVertexStage {
    /// The program and what it reads besides attributes.
    pub stage: SimtStage,
    /// The words of `a[]`, in order.
    pub attributes: Vec<AttributeWord>,
    /// The words that the vertex has after it, four in a slot; the first slot is the position.
    pub outputs: Vec<OutputWord>,
    /// The textures that it reads, each with the numbers of the texture and of its sampler.
    pub textures: Vec<([u8; 2], TextureState)>,
}

/// The source of a word of the attributes of a SIMT vertex program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttributeWord {
    /// A component of an attribute of the draw.
    Component {
        /// The attribute, 0..15.
        attribute: u8,
        /// The component, 0..3.
        component: u8,
    },
    /// The index of the vertex, as it selects elements of the arrays.
    Index,
    /// The same word for all vertices: the number of an instance, for example.
    Word(u32),
}

impl SimtVertexStage {
    /// Bit i: attribute i of the draw is read.
    #[must_use]
    pub fn attributes_read(&self) -> u16 {
        self.attributes.iter().fold(0, |read, word| match word {
            AttributeWord::Component { attribute, .. } => read | 1 << (attribute & 15),
            AttributeWord::Index | AttributeWord::Word(_) => read,
        })
    }
}

impl VertexStage {
    /// The instruction set of its program, if the program works on registers of four components.
    #[must_use]
    pub fn isa(&self) -> Option<VertexIsa> {
        self.vec4().map(|stage| stage.microcode.isa())
    }

    /// The program over registers of four components, if it is one.
    #[must_use]
    pub const fn vec4(&self) -> Option<&Vec4VertexStage> {
        match self {
            Self::Vec4(stage) => Some(stage),
            Self::Simt(_) => None,
        }
    }

    /// The same to be changed.
    #[must_use]
    pub const fn vec4_mut(&mut self) -> Option<&mut Vec4VertexStage> {
        match self {
            Self::Vec4(stage) => Some(stage),
            Self::Simt(_) => None,
        }
    }
}
