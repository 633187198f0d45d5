//! The rule sets of vertex processors: how arithmetic treats zeros, infinities and NaN.

/// The arithmetic rules of a vertex processor; part of every kernel key that depends on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VertexRuleSet {
    /// Zero times anything is zero, and compares are a total order of the bits (NV40, method 0x1e94 bit 4 clear).
    Nv40Legacy,
    /// NaN and infinity as in IEEE 754 (NV40, method 0x1e94 bit 4 set).
    Nv40Modern,
    /// Registers hold 24-bit floats, so that attributes are truncated to them (PICA200). Its functions take no rules;
    /// others compute as with the modern ones.
    Pica200,
}

impl VertexRuleSet {
    /// The argument that WGSL functions with rules take.
    #[must_use]
    pub const fn wgsl_argument(self) -> &'static str {
        match self {
            Self::Nv40Legacy => "false",
            Self::Nv40Modern | Self::Pica200 => "true",
        }
    }
}
