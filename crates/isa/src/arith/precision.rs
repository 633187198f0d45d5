//! The precisions and scales of fragment instructions.

/// The precision of an operation's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// IEEE single without denormals.
    Fp32,
    /// s10e5 half float.
    Fp16,
    /// s1.10 fixed point, −2..2047/1024.
    Fx12,
    /// s0.8-like fixed point of nine bits.
    Fx9,
}

/// The precision that a source operand is clamped to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SourcePrecision {
    /// Unchanged.
    Full,
    /// Rounded to half.
    Half,
    /// Clamped to the fx12 range.
    Fx12,
    /// Clamped to the fx9 range.
    Fx9,
    /// Clamped to 0..1.
    Saturate,
}

/// The factor applied to a result, numbered as instructions do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scale {
    /// ×1.
    One = 0,
    /// ×2.
    Two = 1,
    /// ×4.
    Four = 2,
    /// ×8.
    Eight = 3,
    /// ÷2.
    Half = 5,
    /// ÷4.
    Quarter = 6,
    /// ÷8.
    Eighth = 7,
}
