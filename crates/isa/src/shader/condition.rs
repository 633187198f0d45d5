//! Condition tests and swizzles, which both instruction sets encode alike.

use crate::arith::ConditionCode;

/// A relation of a condition-code component to zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Relation {
    /// Never true.
    Never = 0,
    /// Less than zero.
    Less = 1,
    /// Equal to zero.
    Equal = 2,
    /// Less than or equal to zero.
    LessEqual = 3,
    /// Greater than zero.
    Greater = 4,
    /// Not equal to zero; also true for NaN.
    NotEqual = 5,
    /// Greater than or equal to zero.
    GreaterEqual = 6,
    /// Always true.
    Always = 7,
}

impl Relation {
    /// Every relation, by its bits.
    pub const ALL: [Self; 8] = [
        Self::Never,
        Self::Less,
        Self::Equal,
        Self::LessEqual,
        Self::Greater,
        Self::NotEqual,
        Self::GreaterEqual,
        Self::Always,
    ];

    /// Decodes the three bits LT, EQ, GT.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        Self::ALL[(bits & 7) as usize]
    }

    /// Whether a value with this condition code passes.
    #[must_use]
    pub const fn holds(self, code: ConditionCode) -> bool {
        match code {
            ConditionCode::Less => self as u8 & 1 != 0,
            ConditionCode::Equal => self as u8 & 2 != 0,
            ConditionCode::Greater => self as u8 & 4 != 0,
            // NE is the only ordinary test that NaN passes.
            ConditionCode::Unordered => matches!(self, Self::NotEqual | Self::Always),
        }
    }

    /// The two-letter suffix of the assembly languages.
    #[must_use]
    pub const fn mnemonic(self) -> &'static str {
        match self {
            Self::Never => "FL",
            Self::Less => "LT",
            Self::Equal => "EQ",
            Self::LessEqual => "LE",
            Self::Greater => "GT",
            Self::NotEqual => "NE",
            Self::GreaterEqual => "GE",
            Self::Always => "TR",
        }
    }
}

/// Selects a source component (0 x, 1 y, 2 z, 3 w) for each of x, y, z, w.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Swizzle(pub [u8; 4]);

impl Swizzle {
    /// Leaves every component in place.
    pub const IDENTITY: Self = Self([0, 1, 2, 3]);
}

/// Which components an instruction writes: bit 0 x … bit 3 w.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WriteMask(pub u8);

impl WriteMask {
    /// All four components.
    pub const ALL: Self = Self(15);

    /// Whether component `index` (0 x … 3 w) is written.
    #[must_use]
    pub const fn has(self, index: usize) -> bool {
        self.0 >> index & 1 != 0
    }
}

/// A test of a condition register, per component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConditionTest {
    /// The condition register, 0 or 1.
    pub register: u8,
    /// The relation that each selected component is tested for.
    pub relation: Relation,
    /// The component of the register that each result component tests.
    pub swizzle: Swizzle,
}

impl ConditionTest {
    /// The test that always passes.
    pub const ALWAYS: Self = Self { register: 0, relation: Relation::Always, swizzle: Swizzle::IDENTITY };
}
