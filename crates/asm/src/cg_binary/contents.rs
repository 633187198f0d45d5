//! What both kinds of files hold: the words of a program, and its parameters.

use crate::assembly::TextureTarget;

/// What both kinds of files hold.
pub(super) struct Contents {
    pub(super) words: Words,
    pub(super) parameters: Vec<Parameter>,
}

pub(super) enum Words {
    Vertex {
        /// The instruction store from slot 0.
        slots: Vec<[u32; 4]>,
        start: u16,
        attributes: u16,
    },
    Fragment {
        words: Vec<u32>,
        control: u32,
    },
}

/// An input, a constant or a texture.
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) place: Place,
    /// How many components it has.
    pub(super) components: u8,
    pub(super) default: Option<[u32; 4]>,
}

pub(super) enum Place {
    Attribute(u8),
    Interpolant(u8),
    /// A slot of the constant store.
    Constant(u16),
    /// Words of the microcode.
    Inline(Vec<u32>),
    Texture(u8, Option<TextureTarget>),
}
