//! Which threads execute an instruction: tests of the condition registers.

use super::warp::{Warp, lanes_of};
use crate::shader::simt::{Condition, Predicate, Relations};

/// The flag of a zero result.
pub(super) const ZERO: u8 = 1;
/// The flag of a result whose highest bit is set.
pub(super) const SIGN: u8 = 2;
/// The flag of a carry.
pub(super) const CARRY: u8 = 4;
/// The flag of an overflow.
pub(super) const OVERFLOW: u8 = 8;

/// The active threads whose predicate holds.
pub(super) fn holding(warp: &Warp, predicate: Predicate) -> u32 {
    let Predicate::If { register, condition } = predicate else {
        return if predicate == Predicate::Always { warp.active } else { 0 };
    };
    let flags = &warp.conditions[usize::from(register) & 3];
    lanes_of(warp.active).filter(|lane| holds(condition, flags[*lane])).fold(0, |mask, lane| mask | 1 << lane)
}

/// Whether flags meet a condition.
///
/// Source: envytools `docs/hw/graph/tesla/cuda/isa.rst`.
fn holds(condition: Condition, flags: u8) -> bool {
    let [z, s, c, o] = [ZERO, SIGN, CARRY, OVERFLOW].map(|flag| flags & flag != 0);
    match condition {
        Condition::Compare(relations) => compares(relations, z, s, o),
        Condition::Overflow => o,
        Condition::Carry => c,
        Condition::Above => c && !z,
        Condition::Sign => s,
        Condition::NotSign => !s,
        Condition::NotAbove => !c || z,
        Condition::NotCarry => !c,
        Condition::NotOverflow => !o,
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
                let holds = holds(Condition::Compare(relations(code)), flags);
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
                assert_eq!(holds(Condition::Compare(relations(code)), flags), expected, "{a} {b} code {code}");
            }
        }
    }

    #[test]
    fn unsigned_relations_are_those_of_the_carry() {
        for (a, b) in [(5_u32, 3_u32), (3, 5), (4, 4), (u32::MAX, 1), (1, u32::MAX), (0, 0)] {
            // a − b is a + !b + 1, whose carry says that nothing was borrowed.
            let flags = flag(a == b, ZERO) | flag(a >= b, CARRY);
            assert_eq!(holds(Condition::Above, flags), a > b);
            assert_eq!(holds(Condition::NotAbove, flags), a <= b);
            assert_eq!(holds(Condition::Carry, flags), a >= b);
            assert_eq!(holds(Condition::NotCarry, flags), a < b);
        }
        for flags in 0..16 {
            assert_eq!(holds(Condition::Sign, flags), flags & 2 != 0);
            assert_eq!(holds(Condition::NotSign, flags), flags & 2 == 0);
            assert_eq!(holds(Condition::Overflow, flags), flags & 8 != 0);
            assert_eq!(holds(Condition::NotOverflow, flags), flags & 8 == 0);
        }
    }
}
