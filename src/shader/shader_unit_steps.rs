//! The steps of a fragment operation: which part of the two shader units each takes, and what it reads and hands on.
//!
//! Most operations are one step. Those that no single unit computes are several, which hand an internal register on; an
//! operation is done with its last step. Sources for each function's steps: `docs/shader-schedule.md`.

/// The part of the shader units that a step needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitPart {
    /// A multiplication or a copy: the multipliers of either unit.
    Multiply,
    /// Addition and what is made of it: the multiply-adders of unit 2.
    Add,
    /// RCP and RSQ: the special function unit of unit 1.
    Reciprocal,
    /// EX2, LG2, SIN, COS: the special function unit of unit 2.
    Special,
    /// A texture fetch: its coordinates take the multipliers of unit 1.
    Texture,
    /// Normalization at fp16, beside both units.
    Normalize,
    /// KIL: the branch unit between both units.
    Kill,
    /// An instruction that computes nothing but takes its place.
    Nothing,
}

/// Which components of a source a step reads, before its swizzle.
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
    /// What it computes, when that is a part of the operation only.
    pub name: &'static str,
    /// Channels it computes in, whatever it writes.
    pub channels: u8,
    /// The sources that it reads.
    pub reads: &'static [(usize, StepRead)],
    /// Components of the internal register that it reads.
    pub internal_read: u8,
    /// Components of the internal register that it writes; 0 where it writes the result.
    pub internal_write: u8,
}

/// A step that reads sources and writes the result.
#[must_use]
pub const fn step(part: UnitPart, name: &'static str, channels: u8, reads: &'static [(usize, StepRead)]) -> UnitStep {
    UnitStep { part, name, channels, reads, internal_read: 0, internal_write: 0 }
}

impl UnitStep {
    /// Reads components of the internal register.
    #[must_use]
    pub const fn from(self, internal_read: u8) -> Self {
        Self { internal_read, ..self }
    }

    /// Writes components of the internal register instead of the result.
    #[must_use]
    pub const fn to(self, internal_write: u8) -> Self {
        Self { internal_write, ..self }
    }
}

/// The written components of the first source.
pub const ONE: &[(usize, StepRead)] = &[(0, StepRead::Written)];
/// Those of the first two sources.
pub const TWO: &[(usize, StepRead)] = &[(0, StepRead::Written), (1, StepRead::Written)];
/// Those of all three sources.
pub const THREE: &[(usize, StepRead)] = &[(0, StepRead::Written), (1, StepRead::Written), (2, StepRead::Written)];
/// The x of the first source.
pub const SCALAR: &[(usize, StepRead)] = &[(0, StepRead::First(1))];
/// The x, y, z of the first source.
pub const VECTOR: &[(usize, StepRead)] = &[(0, StepRead::First(3))];
/// All of the first source.
pub const ALL: &[(usize, StepRead)] = &[(0, StepRead::First(4))];
/// What the first half of X2D reads.
pub const BUMP: &[(usize, StepRead)] = &[(0, StepRead::First(2)), (1, StepRead::First(1)), (2, StepRead::First(4))];
/// What the second half of X2D reads.
pub const BUMP_AGAIN: &[(usize, StepRead)] = &[(1, StepRead::First(2)), (2, StepRead::First(4))];

/// The steps of a function.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// In order.
    pub steps: &'static [UnitStep],
    /// Those that take their place where the result is an fp16 without a scale.
    pub unscaled_half: Option<&'static [UnitStep]>,
}

impl Schedule {
    /// These steps at any precision.
    #[must_use]
    pub const fn of(steps: &'static [UnitStep]) -> Self {
        Self { steps, unscaled_half: None }
    }
}
