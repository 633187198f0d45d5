//! The targets of texture lookups, and how the languages spell them.

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
    /// Two dimensions with unnormalized coordinates.
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
