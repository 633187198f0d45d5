//! Integers against wide ones.

use super::Random;
use crate::arith::tesla::integer::*;
use crate::arith::tesla::{Comparison, Flags, IntegerSum, low_word};

/// Numbers near the ends of ranges, and any.
fn operand(random: &mut Random) -> u32 {
    let end = [0u32, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7f_ffff, 0x80_0000, 0x7fff_ffff, 0x8000_0000];
    match random.word() % 3 {
        0 => end[random.word() as usize % end.len()].wrapping_add(random.word() % 5).wrapping_sub(2),
        1 => random.word().cast_signed().wrapping_shr(random.word()).cast_unsigned(),
        _ => random.word(),
    }
}

fn unsigned(a: u32, bits: u32) -> i128 {
    i128::from(a) % (1 << bits)
}

fn signed(a: u32, bits: u32) -> i128 {
    let value = unsigned(a, bits);
    if value < 1 << (bits - 1) { value } else { value - (1 << bits) }
}

fn number(a: u32, bits: u32, is_signed: bool) -> i128 {
    if is_signed { signed(a, bits) } else { unsigned(a, bits) }
}

/// The low bits of a number.
fn wrapped(value: i128, bits: u32) -> u32 {
    u32::try_from(value.rem_euclid(1 << bits)).expect("at most 32 bits")
}

fn flags(result: u32, carry: bool, overflow: bool, bits: u32) -> Flags {
    Flags::new(result == 0, signed(result, bits) < 0, carry, overflow)
}

#[test]
fn sums_carry_overflow_and_saturate() {
    let mut random = Random(0x5010);
    for index in 0..400_000 {
        let (a, b, carry) = (operand(&mut random), operand(&mut random), random.word() & 1 != 0);
        let bits = [16, 32][index % 2];
        let terms = [IntegerSum::Add, IntegerSum::Subtract, IntegerSum::SubtractReversed, IntegerSum::AddWithCarry];
        for terms in terms {
            let total = |value: fn(u32, u32) -> i128| match terms {
                IntegerSum::Add => value(a, bits) + value(b, bits),
                IntegerSum::Subtract => value(a, bits) - value(b, bits),
                IntegerSum::SubtractReversed => value(b, bits) - value(a, bits),
                IntegerSum::AddWithCarry => value(a, bits) + value(b, bits) + i128::from(carry),
            };
            let is_subtracted = matches!(terms, IntegerSum::Subtract | IntegerSum::SubtractReversed);
            // A difference carries where it does not borrow.
            let has_carry = if is_subtracted { total(unsigned) >= 0 } else { total(unsigned) >= 1 << bits };
            let largest = (1i128 << (bits - 1)) - 1;
            let clamped = total(signed).clamp(-largest - 1, largest);
            let overflows = clamped != total(signed);
            for (saturates, value) in [(false, total(signed)), (true, clamped)] {
                let result = wrapped(value, bits);
                let expected = (result, flags(result, has_carry, overflows, bits));
                assert_eq!(sum(a, b, terms, carry, bits, saturates), expected, "{a:x} {b:x} {terms:?} {carry} {bits}");
            }
        }
    }
}

#[test]
fn a_carry_links_two_words() {
    let mut random = Random(0x5011);
    for _ in 0..10_000 {
        let [a, b] = [(); 2].map(|()| u64::from(random.word()) << 32 | u64::from(operand(&mut random)));
        let (low, flags) = sum(low_word(a), low_word(b), IntegerSum::Subtract, false, 32, false);
        let (high, _) = add(low_word(a >> 32), !low_word(b >> 32), flags.carry(), 32, false);
        assert_eq!(u64::from(high) << 32 | u64::from(low), a.wrapping_sub(b));
    }
}

#[test]
fn products_are_those_of_wide_integers() {
    let mut random = Random(0x5012);
    for _ in 0..200_000 {
        let (a, b) = (operand(&mut random), operand(&mut random));
        for (first, second) in [(false, false), (false, true), (true, false), (true, true)] {
            let expected = wrapped(number(a, 16, first) * number(b, 16, second), 32);
            assert_eq!(multiply_16(a, b, first, second), expected, "{a:x} {b:x}");
        }
        for is_signed in [false, true] {
            let product = number(a, 24, is_signed) * number(b, 24, is_signed);
            assert_eq!(multiply_24(a, b, is_signed, false), wrapped(product, 32), "{a:x} {b:x}");
            assert_eq!(multiply_24(a, b, is_signed, true), wrapped(product.div_euclid(1 << 16), 32), "{a:x} {b:x}");
        }
    }
}

#[test]
fn three_products_of_halves_multiply_words() {
    // The sequence of compilers: the middle products, shifted, plus the low one.
    let mut random = Random(0x5013);
    for _ in 0..10_000 {
        let (a, b) = (random.word(), random.word());
        let first = multiply_16(a >> 16, b, false, false);
        let (middle, _) = add(multiply_16(a, b >> 16, false, false), first, false, 32, false);
        let (shifted, _) = shift_left(middle, 16, 32);
        assert_eq!(add(multiply_16(a, b, false, false), shifted, false, 32, false).0, a.wrapping_mul(b));
    }
}

#[test]
fn differences_and_orders_are_those_of_wide_integers() {
    let mut random = Random(0x5014);
    for index in 0..200_000 {
        let (a, b, c) = (operand(&mut random), operand(&mut random), operand(&mut random));
        let (bits, is_signed) = ([16, 32][index % 2], index % 4 < 2);
        let (x, y) = (number(a, bits, is_signed), number(b, bits, is_signed));
        let total = (x - y).abs() + unsigned(c, 32);
        let difference = wrapped((x - y).abs(), 32);
        let overflows = signed(difference, 32) + signed(c, 32) != signed(wrapped(total, 32), 32);
        let expected = (wrapped(total, 32), flags(wrapped(total, 32), total >= 1 << 32, overflows, 32));
        assert_eq!(sum_absolute_difference(a, b, c, bits, is_signed), expected, "{a:x} {b:x} {c:x} {bits}");
        assert_eq!(minimum(a, b, bits, is_signed), wrapped(x.min(y), bits));
        assert_eq!(maximum(a, b, bits, is_signed), wrapped(x.max(y), bits));
        let expected = match x.cmp(&y) {
            std::cmp::Ordering::Less => Comparison::Less,
            std::cmp::Ordering::Equal => Comparison::Equal,
            std::cmp::Ordering::Greater => Comparison::Greater,
        };
        assert_eq!(compare(a, b, bits, is_signed), expected);
        assert_eq!(integer_flags(a, bits), flags(wrapped(unsigned(a, bits), bits), false, false, bits));
    }
}

#[test]
fn shifts_do_not_wrap_their_count() {
    let mut random = Random(0x5015);
    for index in 0..200_000 {
        let a = operand(&mut random);
        let bits = [16, 32][index % 2];
        let count = [random.word() % 40, random.word() % 3, random.word() & 0x7fff][index % 3];
        // Sixty-four places hold everything that a shift moves out.
        let places = count.min(64);
        let left = unsigned(a, bits) << places;
        let result = wrapped(left, bits);
        let carry = (1..bits).contains(&count) && left >> bits & 1 != 0;
        let changes_sign = |result: u32| count == 1 && (signed(result, bits) < 0) != (signed(a, bits) < 0);
        assert_eq!(
            shift_left(a, count, bits),
            (result, flags(result, carry, changes_sign(result), bits)),
            "{a:x} {count}"
        );
        for is_signed in [false, true] {
            let scaled = number(a, bits, is_signed) << 64 >> places;
            let result = wrapped(scaled >> 64, bits);
            let carry = (1..bits).contains(&count) && scaled >> 63 & 1 != 0;
            let expected = (result, flags(result, carry, changes_sign(result), bits));
            assert_eq!(shift_right(a, count, bits, is_signed), expected, "{a:x} {count} {is_signed}");
        }
    }
    assert_eq!(shift_left(0x4000_0000, 1, 32), (0x8000_0000, Flags::new(false, true, false, true)));
    assert_eq!(shift_right(0x8000_0000, u32::MAX, 32, true), (u32::MAX, Flags::new(false, true, false, false)));
    assert_eq!(shift_left(1, 0x1_0001, 16), (2, Flags::default()), "only the low half of a count of 16 bits matters");
}
