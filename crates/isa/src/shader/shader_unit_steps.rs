//! The steps of a fragment operation: the part of the two shader units that each uses, its operands and its
//! forwarded result.
//!
//! Most operations are one step. Operations that no single unit computes take several, which forward an internal
//! register; the last step completes the operation. Sources for each function's steps: `docs/shader-schedule.md`.

/// The part of the shader units that a step needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitPart {
    /// A multiplication or a copy: the multipliers of either unit.
    Multiply,
    /// Addition and operations based on it: the multiply-adders of unit 2.
    Add,
    /// RCP and RSQ: the special function unit of unit 1.
    Reciprocal,
    /// EX2, LG2, SIN, COS: the special function unit of unit 2.
    Special,
    /// A texture fetch: its coordinates use the multipliers of unit 1.
    Texture,
    /// Normalization at fp16, beside both units.
    Normalize,
    /// KIL: the branch unit between both units.
    Kill,
    /// An instruction that computes nothing but occupies a slot.
    Nothing,
}

/// The components of a source that a step reads, before its swizzle.
#[derive(Debug, Clone, Copy)]
pub enum StepRead {
    /// Those that the operation writes.
    Written,
    /// The first n.
    First(u8),
}

/// One step of an operation.
#[derive(Debug, Clone, Copy)]
pub struct UnitStep {
    /// The part of the shader units that it needs.
    pub part: UnitPart,
    /// The part of the operation that it computes; empty for the whole operation.
    pub name: &'static str,
    /// Channels that it computes in, regardless of those that it writes.
    pub channels: u8,
    /// The sources that it reads.
    pub reads: &'static [(usize, StepRead)],
    /// Components of the internal register that it reads.
    pub internal_read: u8,
    /// Components of the internal register that it writes; 0 if it writes the result.
    pub internal_write: u8,
}

/// A step that reads sources and writes the result.
#[must_use]
pub const fn step(part: UnitPart, name: &'static str, channels: u8, reads: &'static [(usize, StepRead)]) -> UnitStep {
    UnitStep { part, name, channels, reads, internal_read: 0, internal_write: 0 }
}

impl UnitStep {
    /// Makes the step read components of the internal register.
    #[must_use]
    pub const fn from(self, internal_read: u8) -> Self {
        Self { internal_read, ..self }
    }

    /// Makes the step write components of the internal register instead of the result.
    #[must_use]
    pub const fn to(self, internal_write: u8) -> Self {
        Self { internal_write, ..self }
    }
}

/// The written components of the first source.
pub const ONE: &[(usize, StepRead)] = &[(0, StepRead::Written)];
/// The written components of the first two sources.
pub const TWO: &[(usize, StepRead)] = &[(0, StepRead::Written), (1, StepRead::Written)];
/// The written components of all three sources.
pub const THREE: &[(usize, StepRead)] = &[(0, StepRead::Written), (1, StepRead::Written), (2, StepRead::Written)];
/// The x of the first source.
pub const SCALAR: &[(usize, StepRead)] = &[(0, StepRead::First(1))];
/// The x, y, z of the first source.
pub const VECTOR: &[(usize, StepRead)] = &[(0, StepRead::First(3))];
/// All of the first source.
pub const ALL: &[(usize, StepRead)] = &[(0, StepRead::First(4))];
/// The sources of the first half of X2D.
pub const BUMP: &[(usize, StepRead)] = &[(0, StepRead::First(2)), (1, StepRead::First(1)), (2, StepRead::First(4))];
/// The sources of the second half of X2D.
pub const BUMP_AGAIN: &[(usize, StepRead)] = &[(1, StepRead::First(2)), (2, StepRead::First(4))];

/// The steps of a function.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// The steps in order.
    pub steps: &'static [UnitStep],
    /// The steps that replace them if the result is an fp16 without a scale.
    pub unscaled_half: Option<&'static [UnitStep]>,
}

impl Schedule {
    /// These steps at any precision.
    #[must_use]
    pub const fn of(steps: &'static [UnitStep]) -> Self {
        Self { steps, unscaled_half: None }
    }
}
