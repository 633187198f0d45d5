// Computes the Tesla processor's operations on integers; the twin of `crates/isa/src/arith/tesla/integer.rs`.
//
// `bits` is 16 or 32. Flags are Z, S, C, O from bit 0 on.
import package::arith::bits::BITS_SIGN;
import package::arith::tesla_float::{TESLA_GREATER, TESLA_EQUAL, TESLA_LESS};

// A result and its flags.
struct TeslaInteger {
    value: u32,
    flags: u32,
}

fn tesla_mask(bits: u32) -> u32 {
    return 0xffffffffu >> (32u - bits);
}

// The operand extended to a word.
fn tesla_extended(a: u32, bits: u32, is_signed: bool) -> u32 {
    let unused = 32u - bits;
    let high = a << unused;
    return select(high >> unused, u32(i32(high) >> unused), is_signed);
}

// Z and S of a result, which has no bits above its size.
fn tesla_integer_flags(a: u32, bits: u32) -> u32 {
    let is_zero = select(0u, 1u, (a & tesla_mask(bits)) == 0u);
    return is_zero | (((a >> (bits - 1u)) & 1u) << 1u);
}

// Adds two integers and a carry of 0 or 1.
fn tesla_add_integers(left: u32, right: u32, carry_in: u32, bits: u32, saturates: bool) -> TeslaInteger {
    let mask = tesla_mask(bits);
    let a = left & mask;
    let b = right & mask;
    let sum = (a + b + carry_in) & mask;
    let carry = (((a & b) | ((a | b) & ~sum)) >> (bits - 1u)) & 1u;
    let overflow = ((~(a ^ b) & (a ^ sum)) >> (bits - 1u)) & 1u;
    let nearest = (mask >> 1u) + ((a >> (bits - 1u)) & 1u);
    let value = select(sum, nearest, saturates & (overflow != 0u));
    return TeslaInteger(value, tesla_integer_flags(value, bits) | (carry << 2u) | (overflow << 3u));
}

// a − b.
fn tesla_subtract_integers(a: u32, b: u32, bits: u32, saturates: bool) -> TeslaInteger {
    return tesla_add_integers(a, ~b, 1u, bits, saturates);
}

fn tesla_multiply_16(a: u32, b: u32, is_first_signed: bool, is_second_signed: bool) -> u32 {
    return tesla_extended(a, 16u, is_first_signed) * tesla_extended(b, 16u, is_second_signed);
}

// Bits 31:0 of the product of the low 24 bits.
fn tesla_multiply_24(a: u32, b: u32, is_signed: bool) -> u32 {
    return tesla_extended(a, 24u, is_signed) * tesla_extended(b, 24u, is_signed);
}

// Bits 47:16. The low half of b times the low half of a is the only product that is shifted.
fn tesla_multiply_24_high(a: u32, b: u32, is_signed: bool) -> u32 {
    let x = tesla_extended(a, 24u, is_signed);
    let y = tesla_extended(b, 24u, is_signed);
    let x_high = select(x >> 16u, u32(i32(x) >> 16u), is_signed);
    let y_high = select(y >> 16u, u32(i32(y) >> 16u), is_signed);
    let x_low = x & 0xffffu;
    let y_low = y & 0xffffu;
    return x * y_high + x_high * y_low + ((x_low * y_low) >> 16u);
}

// A key in whose unsigned order the integers are.
fn tesla_integer_order(a: u32, bits: u32, is_signed: bool) -> u32 {
    return (a << (32u - bits)) ^ select(0u, BITS_SIGN, is_signed);
}

fn tesla_sum_absolute_difference(a: u32, b: u32, c: u32, bits: u32, is_signed: bool) -> TeslaInteger {
    let x = tesla_integer_order(a, bits, is_signed);
    let y = tesla_integer_order(b, bits, is_signed);
    return tesla_add_integers((max(x, y) - min(x, y)) >> (32u - bits), c, 0u, 32u, false);
}

fn tesla_compare_integers(a: u32, b: u32, bits: u32, is_signed: bool) -> u32 {
    let x = tesla_integer_order(a, bits, is_signed);
    let y = tesla_integer_order(b, bits, is_signed);
    return select(select(TESLA_GREATER, TESLA_EQUAL, x == y), TESLA_LESS, x < y);
}

fn tesla_minimum_integer(a: u32, b: u32, bits: u32, is_signed: bool) -> u32 {
    let is_less = tesla_integer_order(a, bits, is_signed) < tesla_integer_order(b, bits, is_signed);
    return select(b, a, is_less) & tesla_mask(bits);
}

fn tesla_maximum_integer(a: u32, b: u32, bits: u32, is_signed: bool) -> u32 {
    let is_greater = tesla_integer_order(a, bits, is_signed) > tesla_integer_order(b, bits, is_signed);
    return select(b, a, is_greater) & tesla_mask(bits);
}

// The flags of a shift; `carry` is 0 or 1, and counts only for bits that were in the operand.
fn tesla_shifted(a: u32, count: u32, value: u32, carry: u32, bits: u32) -> TeslaInteger {
    let has_carry = (count > 0u) & (count < bits);
    let changes_sign = ((a ^ value) >> (bits - 1u)) & 1u;
    let flags = select(0u, carry << 2u, has_carry) | select(0u, changes_sign << 3u, count == 1u);
    return TeslaInteger(value, tesla_integer_flags(value, bits) | flags);
}

fn tesla_shift_left(a: u32, counted: u32, bits: u32) -> TeslaInteger {
    let mask = tesla_mask(bits);
    let count = counted & mask;
    let value = select(0u, (a << (count & 31u)) & mask, count < bits);
    return tesla_shifted(a, count, value, (a >> ((bits - count) & 31u)) & 1u, bits);
}

fn tesla_shift_right(a: u32, counted: u32, bits: u32, is_signed: bool) -> TeslaInteger {
    let mask = tesla_mask(bits);
    let count = counted & mask;
    let extended = tesla_extended(a, bits, is_signed);
    let arithmetic = u32(i32(extended) >> min(count, 31u));
    let logical = select(0u, extended >> (count & 31u), count < 32u);
    let value = select(logical, arithmetic, is_signed) & mask;
    return tesla_shifted(a, count, value, (a >> ((count - 1u) & 31u)) & 1u, bits);
}
