//! What the bits of a component of a texel or a pixel mean.

/// What the bits of a component mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ComponentKind {
    /// A fraction 0..1.
    Unorm,
    /// A two's complement fraction −1..1.
    Snorm,
    /// An unsigned integer, which programs read as it is.
    Uint,
    /// A two's complement integer, which programs read as it is.
    Sint,
    /// A float.
    Float,
}

impl ComponentKind {
    /// Whether texels are weighted; integers are not.
    #[must_use]
    pub const fn is_filtered(self) -> bool {
        !matches!(self, Self::Uint | Self::Sint)
    }
}
