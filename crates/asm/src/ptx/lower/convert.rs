//! Conversions between number formats.

use super::Lowering;
use super::builder::{F32, SIGNED, UNSIGNED, Value, Word, between};
use super::float::copy;
use super::operands::widen;
use crate::cursor::Parsed;
use crate::diagnostic::Diagnostic;
use crate::ptx::ast::{Instruction, Operand};
use crate::ptx::ir::{Destination, Operand as IrOperand, Source};
use crate::ptx::types::Type;
use crate::shader::simt::{Convert, IntegerType, NumberFormat, Operation, Rounding, Width};

const fn integer_format(of: Type) -> NumberFormat {
    if of.is_signed() { NumberFormat::Signed(32) } else { NumberFormat::Unsigned(32) }
}

impl Lowering<'_> {
    pub(super) fn convert(&mut self, instruction: &Instruction) -> Parsed<()> {
        let (to, from) = (instruction.types[0], instruction.types[1]);
        let (modifiers, operands) = (&instruction.modifiers, &instruction.operands);
        let saturates = modifiers.saturates();
        let value = match (from.is_float(), to.is_float()) {
            (false, false) => self.between_integers(from, to, saturates, &operands[1]),
            (false, true) => {
                let rounding = modifiers.rounding().unwrap_or(Rounding::NearestEven);
                let float = self.integer_to_float(from, rounding, saturates, &operands[1]);
                vec![if to.bits == 16 { self.narrow(float, Rounding::NearestEven, false) } else { float }]
            }
            (true, false) => {
                let Some(rounding) = modifiers.rounding_to_integer() else {
                    let message = "a conversion to an integer needs .rni, .rzi, .rmi or .rpi";
                    return Err(Diagnostic::new(instruction.span.clone(), message));
                };
                let float = self.float_source(&operands[1], from);
                if to.words() == 2 {
                    self.float_to_wide(to.is_signed(), rounding, float)
                } else {
                    let operation = Operation::Convert(between(F32, integer_format(to), Some(rounding), false));
                    let word = self.builder.on_registers(operation, &[float]);
                    vec![self.clamp(word, to, to)]
                }
            }
            (true, true) => vec![self.between_floats(instruction)],
        };
        let value = self.fill_register(to, &operands[0], value);
        self.result(&operands[0], &value);
        Ok(())
    }

    fn integer_to_float(&mut self, from: Type, rounding: Rounding, saturates: bool, operand: &Operand) -> Word {
        if from.words() == 1 {
            let word = self.extended(operand, from);
            let operation = Operation::Convert(between(integer_format(from), F32, Some(rounding), saturates));
            return self.builder.on_registers(operation, &[word]);
        }
        let value = self.value(operand, from);
        let float = self.wide_to_float(from.is_signed(), rounding, &value);
        if saturates { self.builder.on_registers(copy(true), &[float]) } else { float }
    }

    /// A float of 16 bits as one of 32, or one of 32.
    fn float_source(&mut self, operand: &Operand, from: Type) -> Word {
        let word = self.word(operand, from);
        if from.bits != 16 {
            return word;
        }
        let slice = self.builder.register(word).low();
        let conversion =
            Convert { from: NumberFormat::Float(16), from_width: Width::Half, ..between(F32, F32, None, false) };
        self.builder.compute(Operation::Convert(conversion), &[Source::of(IrOperand::Register(slice))])
    }

    /// A float of 16 bits in the low half of a word.
    fn narrow(&mut self, float: Word, rounding: Rounding, saturates: bool) -> Word {
        let conversion = Convert {
            to: NumberFormat::Float(16),
            to_width: Width::Half,
            ..between(F32, F32, Some(rounding), saturates)
        };
        let (source, result) = (self.builder.source(float), self.builder.temporary());
        self.builder.push(Operation::Convert(conversion), Destination::Register(result.low()), &[source]);
        Word::Register(result)
    }

    fn between_floats(&mut self, instruction: &Instruction) -> Word {
        let (to, from) = (instruction.types[0], instruction.types[1]);
        let (modifiers, operands) = (&instruction.modifiers, &instruction.operands);
        let saturates = modifiers.saturates();
        let mut float = self.float_source(&operands[1], from);
        if let Some(rounding) = modifiers.rounding_to_integer() {
            let conversion = Convert { rounds_to_integer: true, ..between(F32, F32, Some(rounding), saturates) };
            float = self.builder.on_registers(Operation::Convert(conversion), &[float]);
        } else if to.bits == 16 {
            let rounding = modifiers.rounding().unwrap_or(Rounding::NearestEven);
            return self.narrow(float, rounding, saturates);
        } else if saturates {
            float = self.builder.on_registers(copy(true), &[float]);
        }
        if to.bits == 16 { self.narrow(float, Rounding::NearestEven, false) } else { float }
    }

    fn between_integers(&mut self, from: Type, to: Type, saturates: bool, operand: &Operand) -> Value {
        if from.bits < 64 && to.bits < 64 {
            let word = self.extended(operand, from);
            return vec![if saturates { self.clamp(word, from, to) } else { word }];
        }
        let value = if from.bits == 64 {
            self.value(operand, from)
        } else {
            let word = self.extended(operand, from);
            let high = if from.is_signed() { self.sign(word) } else { Word::Constant(0) };
            vec![word, high]
        };
        let mut value = if saturates { self.clamp_wide(value, from, to) } else { value };
        value.truncate(to.words().into());
        value
    }

    /// Clamps a word with the sign of one type to the range of another one.
    fn clamp(&mut self, word: Word, from: Type, to: Type) -> Word {
        let (low, high) = if to.is_signed() {
            (-1i64 << (to.bits - 1), (1i64 << (to.bits - 1)) - 1)
        } else {
            (0, (1i64 << to.bits) - 1)
        };
        let (least, most) =
            if from.is_signed() { (i64::from(i32::MIN), i64::from(i32::MAX)) } else { (0, i64::from(u32::MAX)) };
        let of: IntegerType = if from.is_signed() { SIGNED } else { UNSIGNED };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the limit is in the word's range")]
        let constant = |limit: i64| Word::Constant(limit as u32);
        let mut clamped = word;
        if low > least {
            clamped = self.builder.on_registers(Operation::MaxInteger(of), &[clamped, constant(low)]);
        }
        if high < most {
            clamped = self.builder.on_registers(Operation::MinInteger(of), &[clamped, constant(high)]);
        }
        clamped
    }

    /// Extends a result to the bits of its register, which may have more than the type.
    fn fill_register(&mut self, of: Type, operand: &Operand, value: Value) -> Value {
        let Operand::Register(register) = operand else { return value };
        let found = self.types[*register];
        if of.is_float() || found.bits <= of.bits || found.is_float() {
            return value;
        }
        let word = if of.bits < 32 { self.extend(value[0], of) } else { value[0] };
        if found.words() == 1 {
            return vec![word];
        }
        let high = if of.is_signed() { self.sign(word) } else { Word::Constant(0) };
        vec![word, high]
    }

    /// The word of a loaded value in all words of a register.
    pub(super) fn loaded(&mut self, of: Type, operand: &Operand, word: Word) -> Value {
        let Operand::Register(register) = operand else { return vec![word] };
        if self.types[*register].words() == 1 {
            return vec![word];
        }
        let high = if of.is_signed() { self.sign(word) } else { Word::Constant(0) };
        vec![word, high]
    }

    /// A byte with its sign from the zero-extended one.
    pub(super) fn sign_extend_byte(&mut self, byte: Word) -> Word {
        self.builder.on_registers(widen(8, true, Width::Word), &[byte])
    }
}
