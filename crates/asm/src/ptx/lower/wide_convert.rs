//! Conversions of 64-bit integers: to and from floats, and with clamping.

use super::Lowering;
use super::builder::{ADD, AND, F32, OR, SHIFT_LEFT, SHIFT_RIGHT, UNSIGNED, Value, Word, between};
use super::divide::to_float;
use crate::ptx::ir::{Operand as IrOperand, Source};
use crate::ptx::types::Type;
use crate::shader::simt::{Convert, Operation, Relations, Rounding};

/// The sign of a float.
const SIGN: Word = Word::Constant(1 << 31);

impl Lowering<'_> {
    /// A 64-bit integer as a float.
    pub(super) fn wide_to_float(&mut self, is_signed: bool, rounding: Rounding, value: &[Word]) -> Word {
        if !is_signed {
            return self.magnitude_to_float(&[rounding], value)[0];
        }
        let sign = self.sign(value[1]);
        let magnitude = self.conditionally_negated_wide(value, sign);
        let sign_bit = self.builder.binary(AND, sign, SIGN);
        let opposite = match rounding {
            Rounding::Down => Rounding::Up,
            Rounding::Up => Rounding::Down,
            same => same,
        };
        if opposite == rounding {
            let float = self.magnitude_to_float(&[rounding], &magnitude)[0];
            return self.builder.binary(OR, float, sign_bit);
        }
        // A negative number is rounded down where its magnitude is rounded up.
        let floats = self.magnitude_to_float(&[rounding, opposite], &magnitude);
        let guard = self.test(sign);
        let float = self.select(guard, floats[1], floats[0]);
        self.builder.binary(OR, float, sign_bit)
    }

    /// An unsigned integer as a float, in each rounding.
    ///
    /// The first 32 bits from the highest one that is set, with the lowest bit set if any is behind them, are converted. If
    /// the high word is zero, they are the low word.
    fn magnitude_to_float(&mut self, roundings: &[Rounding], value: &[Word]) -> Vec<Word> {
        let (low, high) = (value[0], value[1]);
        let float = self.builder.on_registers(to_float(Rounding::TowardZero), &[high]);
        let exponent = self.builder.shift(SHIFT_RIGHT, float, Word::Constant(23));
        // The zeros before the highest bit; 127 is the exponent of 1.
        let zeros = self.subtract(Word::Constant(127 + 31), exponent);
        let zeros = self.builder.on_registers(Operation::MinInteger(UNSIGNED), &[zeros, Word::Constant(32)]);
        let rest = self.subtract(Word::Constant(32), zeros);
        let first = self.builder.shift(SHIFT_LEFT, high, zeros);
        let second = self.builder.shift(SHIFT_RIGHT, low, rest);
        let bits = self.builder.binary(OR, first, second);
        let behind = self.builder.shift(SHIFT_LEFT, low, zeros);
        let behind = self.compare_words(Relations::NOT_EQUAL, false, behind, Word::Constant(0));
        let behind = self.builder.binary(AND, behind, Word::Constant(1));
        let bits = self.builder.binary(OR, bits, behind);
        let scale = self.builder.shift(SHIFT_LEFT, rest, Word::Constant(23));
        roundings
            .iter()
            .map(|rounding| {
                let float = self.builder.on_registers(to_float(*rounding), &[bits]);
                self.builder.binary(ADD, float, scale)
            })
            .collect()
    }

    /// A float as a 64-bit integer, clamped.
    pub(super) fn float_to_wide(&mut self, is_signed: bool, rounding: Rounding, float: Word) -> Value {
        let integral = Convert { rounds_to_integer: true, ..between(F32, F32, Some(rounding), false) };
        let float = self.builder.on_registers(Operation::Convert(integral), &[float]);
        if !is_signed {
            return self.truncated(float);
        }
        let sign = self.sign(float);
        let register = self.builder.register(float);
        let magnitude = Source::of(IrOperand::Register(register)).magnitude();
        let magnitude = self.builder.compute(super::float::copy(false), &[magnitude]);
        let magnitude = self.truncated(magnitude);
        // Magnitudes from 2^63 on become 2^63 − 1, or 2^63 if they are negative.
        let is_large = self.sign(magnitude[1]);
        let max_high = self.subtract(Word::Constant(0x7fff_ffff), sign);
        let max_low = self.builder.invert(sign);
        let high = self.builder.on_registers(Operation::MinInteger(UNSIGNED), &[magnitude[1], max_high]);
        let guard = self.test(is_large);
        let low = self.select(guard, max_low, magnitude[0]);
        self.conditionally_negated_wide(&[low, high], sign)
    }

    /// Clamps a 64-bit integer with the sign of one type to the range of another one.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the limits are taken apart")]
    pub(super) fn clamp_wide(&mut self, value: Value, from: Type, to: Type) -> Value {
        let range = |of: Type, bits: u8| match of.is_signed() {
            true => (-1i128 << (bits - 1), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        let ((low, high), (least, most)) = (range(to, to.bits), range(from, 64));
        let words = |limit: i128| vec![Word::Constant(limit as u32), Word::Constant((limit >> 32) as u32)];
        let mut clamped = value;
        for (limit, relation, is_needed) in
            [(low, Relations::LESS, low > least), (high, Relations::GREATER, high < most)]
        {
            if is_needed {
                let limit = words(limit);
                let is_outside = self.compare_wide(relation, from.is_signed(), &clamped, &limit);
                clamped = self.select_wide(is_outside, &limit, &clamped);
            }
        }
        clamped
    }
}
