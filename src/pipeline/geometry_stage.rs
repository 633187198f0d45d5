//! Defines the geometry programs of draws: each runs once for a primitive, and emits the vertices of others.

use super::{OutputComponent, OutputWord, PrimitiveType, SimtStage, TextureState};

/// A SIMT geometry program; a thread runs each primitive that the draw assembles.
#[derive(Debug, Clone, PartialEq)]
pub struct SimtGeometryStage {
    /// The program and what it reads besides the primitive.
    pub stage: SimtStage,
    /// The words of `a[]`, in order.
    pub inputs: Vec<PrimitiveWord>,
    /// The words of each vertex in `p[]`, in order.
    pub vertex_words: Vec<VertexWord>,
    /// What the emitted vertices are.
    pub emitted: EmittedPrimitive,
    /// The maximum number of vertices that a thread emits; later ones are lost.
    pub max_vertices: u32,
    /// The words that an emitted vertex has, four in a slot; the first slot is the position.
    pub outputs: Vec<OutputWord>,
    /// The textures that it reads, each with the numbers of the texture and of its sampler.
    pub textures: Vec<([u8; 2], TextureState)>,
}

/// The source of a word of `a[]` of a SIMT geometry program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PrimitiveWord {
    /// The address in `p[]` of the vertex of this number; 0 if the primitive has fewer.
    Vertex(u8),
    /// The number of the primitive in the draw.
    Number,
    /// This value.
    Word(u32),
}

/// The source of a word of a vertex in `p[]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VertexWord {
    /// An output of the vertex program.
    Output(OutputComponent),
    /// This value.
    Word(u32),
}

impl VertexWord {
    /// The outputs among words.
    pub(crate) fn outputs<'w>(words: impl IntoIterator<Item = &'w Self>) -> impl Iterator<Item = OutputComponent> {
        words.into_iter().filter_map(|word| if let Self::Output(output) = word { Some(*output) } else { None })
    }
}

/// What the vertices are that a geometry program emits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EmittedPrimitive {
    /// Points.
    Points,
    /// Connected lines.
    LineStrip,
    /// Triangle strips.
    TriangleStrip,
}

impl EmittedPrimitive {
    /// The same as primitives of a draw.
    #[must_use]
    pub const fn primitive(self) -> PrimitiveType {
        match self {
            Self::Points => PrimitiveType::Points,
            Self::LineStrip => PrimitiveType::LineStrip,
            Self::TriangleStrip => PrimitiveType::TriangleStrip,
        }
    }
}
