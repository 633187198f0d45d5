//! Defines the generations of the Tesla processor, which tell what instructions it has.

/// A generation of the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum TeslaGeneration {
    /// G80.
    #[default]
    Sm10,
    /// G84: atomic operations.
    Sm11,
    /// G200: votes, locks.
    Sm12,
    /// G200 alone: double precision.
    Sm13,
    /// GT215: Direct3D 10.1.
    Gt215,
}

impl TeslaGeneration {
    /// Every generation with its name in texts, oldest first. CUDA calls GT215 `sm_12`, too.
    pub const NAMES: [(Self, &'static str); 5] = [
        (Self::Sm10, "sm_10"),
        (Self::Sm11, "sm_11"),
        (Self::Sm12, "sm_12"),
        (Self::Sm13, "sm_13"),
        (Self::Gt215, "gt215"),
    ];

    /// Whether a processor of this generation has instructions of another one. Double precision is of one only.
    #[must_use]
    pub fn executes(self, needed: Self) -> bool {
        needed <= self && !(needed == Self::Sm13 && self == Self::Gt215)
    }

    /// Its name in texts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// The generation of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find_map(|(generation, known)| (known == name).then_some(generation))
    }
}
