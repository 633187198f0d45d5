//! Integers of 16 and 32 bits: sums with carry, products, shifts and their flags.
//!
//! `bits` is 16 or 32. Functions on 16 bits ignore the high half of their operands and return zeros in it.

use super::{Comparison, Flags, IntegerSum, low_word};

/// The ones in an operand's bits.
const fn mask(bits: u32) -> u32 {
    u32::MAX >> (32 - bits)
}

/// Whether the operand's highest bit is set.
const fn is_negative(a: u32, bits: u32) -> bool {
    a >> (bits - 1) & 1 != 0
}

/// The operand's value.
const fn value(a: u32, bits: u32, is_signed: bool) -> i64 {
    let unsigned = (a & mask(bits)) as i64;
    if is_signed && is_negative(a, bits) { unsigned - (1 << bits) } else { unsigned }
}

/// Adds two integers and a carry.
///
/// C is the carry out of the highest bit, O tells that the sum as a signed number is out of range. A sum that saturates
/// then becomes the number nearest to it.
///
/// Subtraction is the sum with the inverted subtrahend and a carry of one: a − b is `add(a, !b, true, …)`. Its C is set
/// where nothing is borrowed. [`sum`] does this.
#[must_use]
pub const fn add(a: u32, b: u32, carry_in: bool, bits: u32, saturates: bool) -> (u32, Flags) {
    let (a, b) = (a & mask(bits), b & mask(bits));
    let total = a as u64 + b as u64 + carry_in as u64;
    let sum = low_word(total) & mask(bits);
    let carry = total >> bits != 0;
    let overflow = is_negative(a, bits) == is_negative(b, bits) && is_negative(a, bits) != is_negative(sum, bits);
    let largest = mask(bits) >> 1;
    let result = match (overflow && saturates, is_negative(a, bits)) {
        (false, _) => sum,
        (true, false) => largest,
        (true, true) => largest + 1,
    };
    (result, Flags::new(result == 0, is_negative(result, bits), carry, overflow))
}

/// Adds or subtracts two terms. A multiply-add passes its product as `a`, with 32 bits.
///
/// `carry` is that of a condition register, which only [`IntegerSum::AddWithCarry`] adds.
#[must_use]
pub const fn sum(a: u32, b: u32, terms: IntegerSum, carry: bool, bits: u32, saturates: bool) -> (u32, Flags) {
    match terms {
        IntegerSum::Add => add(a, b, false, bits, saturates),
        IntegerSum::Subtract => add(a, !b, true, bits, saturates),
        IntegerSum::SubtractReversed => add(!a, b, true, bits, saturates),
        IntegerSum::AddWithCarry => add(a, b, carry, bits, saturates),
    }
}

/// The low 32 bits of the product of two 16-bit integers.
#[must_use]
pub const fn multiply_16(a: u32, b: u32, first_signed: bool, second_signed: bool) -> u32 {
    low_word((value(a, 16, first_signed) * value(b, 16, second_signed)).cast_unsigned())
}

/// The product of the low 24 bits of two words: bits 31:0, or bits 47:16 if `is_high`.
#[must_use]
pub const fn multiply_24(a: u32, b: u32, is_signed: bool, is_high: bool) -> u32 {
    let product = value(a, 24, is_signed) * value(b, 24, is_signed);
    low_word((if is_high { product >> 16 } else { product }).cast_unsigned())
}

/// The absolute difference of two integers plus a 32-bit one.
#[must_use]
pub const fn sum_absolute_difference(a: u32, b: u32, c: u32, bits: u32, is_signed: bool) -> (u32, Flags) {
    let difference = (value(a, bits, is_signed) - value(b, bits, is_signed)).unsigned_abs();
    add(low_word(difference), c, false, 32, false)
}

/// Compares.
#[must_use]
pub const fn compare(a: u32, b: u32, bits: u32, is_signed: bool) -> Comparison {
    let difference = value(a, bits, is_signed) - value(b, bits, is_signed);
    match difference {
        ..0 => Comparison::Less,
        0 => Comparison::Equal,
        1.. => Comparison::Greater,
    }
}

/// The lesser integer.
#[must_use]
pub const fn minimum(a: u32, b: u32, bits: u32, is_signed: bool) -> u32 {
    mask(bits) & if value(a, bits, is_signed) < value(b, bits, is_signed) { a } else { b }
}

/// The greater integer.
#[must_use]
pub const fn maximum(a: u32, b: u32, bits: u32, is_signed: bool) -> u32 {
    mask(bits) & if value(a, bits, is_signed) > value(b, bits, is_signed) { a } else { b }
}

/// Shifts left by a count that is not wrapped: from `bits` on, nothing is left.
#[must_use]
pub const fn shift_left(a: u32, count: u32, bits: u32) -> (u32, Flags) {
    let (a, count) = (a & mask(bits), count & mask(bits));
    let result = if count < bits { a << count & mask(bits) } else { 0 };
    let carry = count > 0 && count < bits && a >> (bits - count) & 1 != 0;
    (result, shift_flags(a, count, result, carry, bits))
}

/// Shifts right by a count that is not wrapped: from `bits` on, only copies of the sign are left.
#[must_use]
pub const fn shift_right(a: u32, count: u32, bits: u32, is_signed: bool) -> (u32, Flags) {
    let count = count & mask(bits);
    let value = value(a, bits, is_signed);
    let result = low_word((value >> if count < 32 { count } else { 32 }).cast_unsigned()) & mask(bits);
    let carry = count > 0 && count < bits && a >> (count - 1) & 1 != 0;
    (result, shift_flags(a, count, result, carry, bits))
}

/// C is the last bit that was moved out, O tells that a shift by one changed the sign.
const fn shift_flags(a: u32, count: u32, result: u32, carry: bool, bits: u32) -> Flags {
    let overflow = count == 1 && is_negative(a, bits) != is_negative(result, bits);
    Flags::new(result == 0, is_negative(result, bits), carry, overflow)
}

/// The flags of other results: Z and S, without C and O.
#[must_use]
pub const fn integer_flags(result: u32, bits: u32) -> Flags {
    Flags::new(result & mask(bits) == 0, is_negative(result, bits), false, false)
}
