//! Integer division by a reciprocal in floating point, and a correction.

use super::Lowering;
use super::builder::{ADD, AND, F32, SHIFT_RIGHT, Word, XOR, between};
use crate::shader::simt::{FloatType, NumberFormat, Operation, Relations, Rounding, SpecialFunction};

/// An unsigned word as a float.
pub(super) const fn to_float(rounding: Rounding) -> Operation {
    convert(NumberFormat::Unsigned(32), F32, rounding)
}

const fn convert(from: NumberFormat, to: NumberFormat, rounding: Rounding) -> Operation {
    Operation::Convert(between(from, to, Some(rounding), false))
}

pub(super) const TRUNCATE: Operation = convert(F32, NumberFormat::Unsigned(32), Rounding::TowardZero);
pub(super) const MULTIPLY: Operation =
    Operation::MultiplyFloat { format: FloatType::F32, rounding: Rounding::TowardZero, saturates: false };

impl Lowering<'_> {
    pub(super) fn divide(&mut self, is_signed: bool, a: Word, b: Word) -> Word {
        if !is_signed {
            return self.divide_unsigned(a, b).0;
        }
        let (a_sign, b_sign) = (self.sign(a), self.sign(b));
        let (a, b) = (self.conditionally_negated(a, a_sign), self.conditionally_negated(b, b_sign));
        let (quotient, _) = self.divide_unsigned(a, b);
        let sign = self.builder.binary(XOR, a_sign, b_sign);
        self.conditionally_negated(quotient, sign)
    }

    /// The remainder has the sign of the dividend.
    pub(super) fn remainder(&mut self, is_signed: bool, a: Word, b: Word) -> Word {
        if !is_signed {
            return self.divide_unsigned(a, b).1;
        }
        let (a_sign, b_sign) = (self.sign(a), self.sign(b));
        let (a, b) = (self.conditionally_negated(a, a_sign), self.conditionally_negated(b, b_sign));
        let (_, remainder) = self.divide_unsigned(a, b);
        self.conditionally_negated(remainder, a_sign)
    }

    /// A value, or its opposite where all bits of `sign` are set.
    fn conditionally_negated(&mut self, value: Word, sign: Word) -> Word {
        let inverted = self.builder.binary(XOR, value, sign);
        self.subtract(inverted, sign)
    }

    /// Quotient and remainder of unsigned words. Powers of two that are known shift and mask; else the following holds.
    ///
    /// The reciprocal of the divisor, which is rounded up, is at most 1 ulp too large. Two ulps less it never is, and
    /// quotients that are rounded toward zero are never too large. The first one misses at most a / b · 2^-21 + 1; the
    /// second one, of what remains, leaves less than twice the divisor. One comparison completes the quotient.
    fn divide_unsigned(&mut self, a: Word, b: Word) -> (Word, Word) {
        if let Some(power) = self.builder.constant(b).filter(|b| b.is_power_of_two()) {
            let quotient = self.builder.shift(SHIFT_RIGHT, a, Word::Constant(power.trailing_zeros()));
            return (quotient, self.builder.binary(AND, a, Word::Constant(power - 1)));
        }
        let divisor = self.builder.on_registers(to_float(Rounding::Up), &[b]);
        let reciprocal = self.builder.on_registers(Operation::Special(SpecialFunction::Reciprocal), &[divisor]);
        let reciprocal = self.builder.binary(ADD, reciprocal, Word::Constant((-2i32).cast_unsigned()));
        let first = self.estimate(a, reciprocal);
        let product = self.low_product(first, b);
        let rest = self.subtract(a, product);
        let second = self.estimate(rest, reciprocal);
        let quotient = self.builder.binary(ADD, first, second);
        let product = self.low_product(second, b);
        let rest = self.subtract(rest, product);
        let is_left = self.compare_words(Relations::AT_LEAST, false, rest, b);
        let quotient = self.subtract(quotient, is_left);
        let divisor = self.builder.binary(AND, is_left, b);
        let remainder = self.subtract(rest, divisor);
        (quotient, remainder)
    }

    fn estimate(&mut self, dividend: Word, reciprocal: Word) -> Word {
        let dividend = self.builder.on_registers(to_float(Rounding::TowardZero), &[dividend]);
        let quotient = self.builder.on_registers(MULTIPLY, &[dividend, reciprocal]);
        self.builder.on_registers(TRUNCATE, &[quotient])
    }
}
