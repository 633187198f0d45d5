//! Conditions on the flags of a result, and which flags meet them.

/// The flag of a zero result.
const ZERO: u8 = 1;
/// The flag of a result whose highest bit is set.
const SIGN: u8 = 2;
/// The flag of a carry.
const CARRY: u8 = 4;
/// The flag of an overflow.
const OVERFLOW: u8 = 8;

/// The relations of two numbers under which a comparison holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Relations {
    /// Less.
    pub less: bool,
    /// Equal.
    pub equal: bool,
    /// Greater.
    pub greater: bool,
    /// Not comparable; only floats are not.
    pub unordered: bool,
}

impl Relations {
    /// The first one is less.
    pub const LESS: Self = Self { less: true, equal: false, greater: false, unordered: false };
    /// Both are equal.
    pub const EQUAL: Self = Self { less: false, equal: true, greater: false, unordered: false };
    /// The first one is greater.
    pub const GREATER: Self = Self { less: false, equal: false, greater: true, unordered: false };
    /// The first one is greater or equal.
    pub const AT_LEAST: Self = Self { equal: true, ..Self::GREATER };
    /// The first one is less or greater.
    pub const NOT_EQUAL: Self = Self { greater: true, ..Self::LESS };
}

/// A test of the flags Z (zero), S (sign), C (carry) and O (overflow) of a condition register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Condition {
    /// A comparison of the result with zero, neither always nor never true.
    Compare(Relations),
    /// O.
    Overflow,
    /// C.
    Carry,
    /// C and not Z.
    Above,
    /// S.
    Sign,
    /// Not S.
    NotSign,
    /// Z or not C.
    NotAbove,
    /// Not C.
    NotCarry,
    /// Not O.
    NotOverflow,
}

impl Condition {
    /// Whether flags (Z, S, C and O from bit 0) meet it.
    ///
    /// Source: envytools `docs/hw/graph/tesla/cuda/isa.rst`.
    #[must_use]
    pub const fn holds(self, flags: u8) -> bool {
        let (z, s) = (flags & ZERO != 0, flags & SIGN != 0);
        let (c, o) = (flags & CARRY != 0, flags & OVERFLOW != 0);
        match self {
            Self::Compare(relations) => compares(relations, z, s, o),
            Self::Overflow => o,
            Self::Carry => c,
            Self::Above => c && !z,
            Self::Sign => s,
            Self::NotSign => !s,
            Self::NotAbove => !c || z,
            Self::NotCarry => !c,
            Self::NotOverflow => !o,
        }
    }
}

/// Whether the flags of a result, or of a difference, tell one of the relations to zero. Of a float, both Z and S say
/// that it is not a number; of integers, O inverts the meaning of S.
const fn compares(relations: Relations, z: bool, s: bool, o: bool) -> bool {
    let Relations { less, equal, greater, unordered } = relations;
    match (unordered, greater, equal, less) {
        (false, false, false, false) => false,
        (false, false, false, true) => (s && !z) ^ o,
        (false, false, true, false) => z && !s,
        (false, false, true, true) => s ^ (z || o),
        (false, true, false, false) => !z && !(s ^ o),
        (false, true, false, true) => !z,
        (false, true, true, false) => !(s ^ o),
        (false, true, true, true) => !z || !s,
        (true, false, false, false) => z && s,
        (true, false, false, true) => s ^ o,
        (true, false, true, false) => z,
        (true, false, true, true) => z || (s ^ o),
        (true, true, false, false) => !s ^ (z || o),
        (true, true, false, true) => !z || s,
        (true, true, true, false) => (!s || z) ^ o,
        (true, true, true, true) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relations(code: u8) -> Relations {
        let bit = |position: u8| code >> position & 1 != 0;
        Relations { less: bit(0), equal: bit(1), greater: bit(2), unordered: bit(3) }
    }

    fn flag(is_set: bool, flag: u8) -> u8 {
        if is_set { flag } else { 0 }
    }

    /// The flags of a float result and the one relation to zero that it has.
    const FLOATS: [(u8, u8); 4] = [(0, 4), (ZERO, 2), (SIGN, 1), (ZERO | SIGN, 8)];

    #[test]
    fn float_relations_hold_where_a_bit_of_the_code_names_them() {
        for code in 0..16 {
            for (flags, relation) in FLOATS {
                let holds = Condition::Compare(relations(code)).holds(flags);
                assert_eq!(holds, code & relation != 0, "code {code:#x}, flags {flags:#x}");
            }
        }
    }

    #[test]
    fn integer_relations_hold_for_the_flags_of_differences() {
        for (a, b) in [(5, 3), (3, 5), (4, 4), (i32::MAX, -1), (i32::MIN, 1), (-7, -2), (0, 0), (i32::MIN, i32::MIN)] {
            let (difference, overflows) = i32::overflowing_sub(a, b);
            let flags = flag(difference == 0, ZERO) | flag(difference < 0, SIGN) | flag(overflows, OVERFLOW);
            // The codes that compilers use for signed integers.
            for (code, expected) in [(1, a < b), (2, a == b), (3, a <= b), (4, a > b), (5, a != b), (6, a >= b)] {
                assert_eq!(Condition::Compare(relations(code)).holds(flags), expected, "{a} {b} code {code}");
            }
        }
    }

    #[test]
    fn unsigned_relations_are_those_of_the_carry() {
        for (a, b) in [(5_u32, 3_u32), (3, 5), (4, 4), (u32::MAX, 1), (1, u32::MAX), (0, 0)] {
            // a − b is a + !b + 1, whose carry says that nothing was borrowed.
            let flags = flag(a == b, ZERO) | flag(a >= b, CARRY);
            assert_eq!(Condition::Above.holds(flags), a > b);
            assert_eq!(Condition::NotAbove.holds(flags), a <= b);
            assert_eq!(Condition::Carry.holds(flags), a >= b);
            assert_eq!(Condition::NotCarry.holds(flags), a < b);
        }
        for flags in 0..16 {
            assert_eq!(Condition::Sign.holds(flags), flags & 2 != 0);
            assert_eq!(Condition::NotSign.holds(flags), flags & 2 == 0);
            assert_eq!(Condition::Overflow.holds(flags), flags & 8 != 0);
            assert_eq!(Condition::NotOverflow.holds(flags), flags & 8 == 0);
        }
    }
}
