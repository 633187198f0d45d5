//! What a text becomes: microcode, and what has to be bound for it to run.

use super::Language;
use super::constants::ConstantSlot;
use super::fragment::assembly::FragmentAssembly;
use crate::arith::vertex::VertexRuleSet;

/// An assembled program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assembly {
    /// For the vertex processor.
    Vertex(VertexAssembly),
    /// For the fragment processor.
    Fragment(FragmentAssembly),
}

impl Assembly {
    /// The language of the text.
    #[must_use]
    pub const fn language(&self) -> Language {
        match self {
            Self::Vertex(vertex) => vertex.language,
            Self::Fragment(fragment) => fragment.language,
        }
    }
}

/// The target of a texture lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextureTarget {
    /// One dimension.
    OneDimensional,
    /// Two dimensions.
    TwoDimensional,
    /// Three dimensions.
    ThreeDimensional,
    /// A cube.
    Cube,
    /// Two dimensions with unnormalised coordinates.
    Rectangle,
    /// One dimension, compared with a depth.
    Shadow1D,
    /// Two dimensions, compared with a depth.
    Shadow2D,
    /// A rectangle, compared with a depth.
    ShadowRectangle,
}

impl TextureTarget {
    /// Every target with its spelling.
    pub const TABLE: &'static [(&'static str, Self)] = &[
        ("1D", Self::OneDimensional),
        ("2D", Self::TwoDimensional),
        ("3D", Self::ThreeDimensional),
        ("CUBE", Self::Cube),
        ("RECT", Self::Rectangle),
        ("SHADOW1D", Self::Shadow1D),
        ("SHADOW2D", Self::Shadow2D),
        ("SHADOWRECT", Self::ShadowRectangle),
    ];
}

/// A texture unit that a program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextureUse {
    /// The unit of the chip that the microcode names.
    pub unit: u8,
    /// The unit that the text names.
    pub image: u8,
    /// What is bound there; `None` where the text does not say.
    pub target: Option<TextureTarget>,
}

/// A vertex program as microcode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexAssembly {
    /// The language of the text.
    pub language: Language,
    /// The instruction store from slot 0.
    pub instructions: Vec<[u32; 4]>,
    /// The slot at which execution starts.
    pub start: u16,
    /// The arithmetic that the language implies.
    pub rules: VertexRuleSet,
    /// The constants that the program reads, by slot.
    pub constants: Vec<ConstantSlot>,
    /// Lowest and highest slot that addresses reach; `None` where nothing is indexed.
    pub indexed_constants: Option<(u16, u16)>,
    /// `VP_ATTRIB_EN`: bit i, attribute i is read.
    pub attributes: u16,
    /// `VP_RESULT_EN`: which results are passed on.
    pub results: u32,
    /// Texture units that are read.
    pub textures: Vec<TextureUse>,
    /// The position is that of the fixed pipeline; the program computes it from `state.matrix.mvp`.
    pub is_position_invariant: bool,
    /// Results that the text names, in the order in which they are listed.
    pub outputs: Vec<NamedOutput>,
}

impl VertexAssembly {
    /// Microcode of which nothing more is known: it may read every attribute and write every result.
    #[must_use]
    pub const fn native(instructions: Vec<[u32; 4]>, start: u16) -> Self {
        Self {
            language: Language::NativeVertex,
            instructions,
            start,
            rules: VertexRuleSet::Nv40Modern,
            constants: Vec::new(),
            indexed_constants: None,
            attributes: u16::MAX,
            results: 0x003f_ffff,
            textures: Vec::new(),
            is_position_invariant: false,
            outputs: Vec::new(),
        }
    }
}

/// A result of a vertex program under the name that its language gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedOutput {
    /// The name in the language of the text.
    pub name: String,
    /// The output register.
    pub register: u8,
    /// The component that holds the whole result, for fog, point size and clip distances that share a register.
    pub component: Option<u8>,
}
