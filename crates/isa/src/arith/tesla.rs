//! The arithmetic of the Tesla processor (G80, compute capability 1.0) on bit patterns.
//!
//! The rules are those that envytools' tests established on chips (`hwtest/g80_fp.cc`, `g80_int.cc`, `g80_sfu.cc`). In
//! single precision, denormal operands and results are zeros of their sign, and every NaN result is
//! [`NAN`](super::NAN).

pub mod convert;
pub mod float;
pub mod integer;
pub mod special;
mod tables;

/// A rounding mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To nearest, ties to even.
    NearestEven,
    /// Toward −∞.
    Down,
    /// Toward +∞.
    Up,
    /// Toward zero.
    TowardZero,
}

impl Rounding {
    /// Whether magnitudes beyond the range of a format become infinite, instead of the largest finite number.
    const fn overflows_to_infinity(self, is_negative: bool) -> bool {
        match self {
            Self::NearestEven => true,
            Self::Down => is_negative,
            Self::Up => !is_negative,
            Self::TowardZero => false,
        }
    }
}

/// How two numbers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// The first is less.
    Less,
    /// They are equal.
    Equal,
    /// The first is greater.
    Greater,
    /// One of them is NaN.
    Unordered,
}

/// The terms of an integer sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntegerSum {
    /// a + b.
    Add,
    /// a − b.
    Subtract,
    /// b − a.
    SubtractReversed,
    /// a + b + carry.
    AddWithCarry,
}

/// The flags of a result, as a condition register holds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags(u8);

impl Flags {
    const ZERO: u8 = 1;
    const SIGN: u8 = 2;
    const CARRY: u8 = 4;
    const OVERFLOW: u8 = 8;

    /// The flags Z, S, C and O.
    #[must_use]
    pub const fn new(zero: bool, sign: bool, carry: bool, overflow: bool) -> Self {
        Self((zero as u8) | (sign as u8) << 1 | (carry as u8) << 2 | (overflow as u8) << 3)
    }

    /// The flags in the low four bits of a word: Z, S, C, O from bit 0 on.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        Self((bits & 0xf) as u8)
    }

    /// The flags that tell a comparison: Z for equal, S for less, both for unordered.
    #[must_use]
    pub const fn of_comparison(comparison: Comparison) -> Self {
        Self(match comparison {
            Comparison::Greater => 0,
            Comparison::Equal => Self::ZERO,
            Comparison::Less => Self::SIGN,
            Comparison::Unordered => Self::ZERO | Self::SIGN,
        })
    }

    /// The flags as a word: Z, S, C, O from bit 0 on.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0 as u32
    }

    /// Z: the result is zero; with S, it is NaN.
    #[must_use]
    pub const fn zero(self) -> bool {
        self.0 & Self::ZERO != 0
    }

    /// S: the result is negative; with Z, it is NaN.
    #[must_use]
    pub const fn sign(self) -> bool {
        self.0 & Self::SIGN != 0
    }

    /// C: a carry, or the last bit that a shift moved out.
    #[must_use]
    pub const fn carry(self) -> bool {
        self.0 & Self::CARRY != 0
    }

    /// O: signed overflow.
    #[must_use]
    pub const fn overflow(self) -> bool {
        self.0 & Self::OVERFLOW != 0
    }
}

/// The low 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "this is the truncation to a word")]
const fn low_word(value: u64) -> u32 {
    value as u32
}

/// Divides a magnitude below 2⁶² by 2^shift and rounds it as a number of the sign.
const fn shift_right(magnitude: u64, shift: u32, rounding: Rounding, is_negative: bool) -> u64 {
    // From 63 on, no shift keeps a bit or half of one.
    let shift = if shift < 63 { shift } else { 63 };
    let kept = magnitude >> shift;
    let rest = magnitude - (kept << shift);
    let rounds_away = match rounding {
        Rounding::NearestEven => 2 * rest + (kept & 1) > 1 << shift,
        Rounding::Down => is_negative && rest != 0,
        Rounding::Up => !is_negative && rest != 0,
        Rounding::TowardZero => false,
    };
    kept + rounds_away as u64
}

#[cfg(test)]
mod tests;
