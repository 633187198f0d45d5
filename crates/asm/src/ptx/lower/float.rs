//! Floating-point arithmetic in single precision, and double precision that is demoted to it.

use super::Lowering;
use super::builder::{F32, Word, between};
use crate::ptx::ast::Instruction;
use crate::ptx::ir::{Operand as IrOperand, Source};
use crate::ptx::opcodes::{Modifier, Opcode};
use crate::shader::simt::{FloatType, Operation, Relations, Rounding, SpecialFunction};

/// Copies a float, with denormal numbers as zero.
pub(super) const fn copy(saturates: bool) -> Operation {
    Operation::Convert(between(F32, F32, None, saturates))
}

const fn add(rounding: Rounding, saturates: bool) -> Operation {
    Operation::AddFloat { format: FloatType::F32, rounding, saturates }
}

const fn multiply(rounding: Rounding) -> Operation {
    // Multiplications that saturate came with sm_12.
    Operation::MultiplyFloat { format: FloatType::F32, rounding, saturates: false }
}

/// 2^126, above which the reciprocal is denormal.
const LARGE: u32 = 0x7e80_0000;
/// The bits of 0.25.
const QUARTER: u32 = 0x3e80_0000;
/// The bits of 1.0.
const ONE: u32 = 0x3f80_0000;

impl Lowering<'_> {
    pub(super) fn float(&mut self, instruction: &Instruction) {
        let (of, operands) = (instruction.types[0], &instruction.operands);
        let words: Vec<Word> = operands[1..].iter().map(|operand| self.word(operand, of)).collect();
        let result = self.float_result(instruction, &words);
        self.result(&operands[0], &[result]);
    }

    fn float_result(&mut self, instruction: &Instruction, words: &[Word]) -> Word {
        let (modifiers, saturates) = (&instruction.modifiers, instruction.modifiers.saturates());
        // Only one kind of rounding besides the usual one exists in single precision; doubles may name others.
        let rounding = match modifiers.rounding() {
            Some(Rounding::TowardZero) => Rounding::TowardZero,
            _ => Rounding::NearestEven,
        };
        let a = words[0];
        let b = words.get(1).copied().unwrap_or(Word::Constant(0));
        match instruction.opcode {
            Opcode::Add => self.add_floats(rounding, saturates, a, b),
            Opcode::Subtract => match b {
                Word::Constant(bits) => self.add_floats(rounding, saturates, a, Word::Constant(bits ^ 1 << 31)),
                Word::Register(_) => {
                    let sources = [self.builder.source(a), self.builder.source(b).negated()];
                    self.builder.compute(add(rounding, saturates), &sources)
                }
            },
            Opcode::Multiply => {
                let product = self.multiply_floats(rounding, a, b);
                if saturates { self.builder.on_registers(copy(true), &[product]) } else { product }
            }
            Opcode::MultiplyAdd => self.builder.on_registers(Operation::MultiplyAddFloat { saturates }, words),
            Opcode::Divide if modifiers.has(Modifier::FullRange) => self.divide_full_range(a, b),
            // Unverified: that a division without a modifier is this one.
            Opcode::Divide => {
                let reciprocal = self.special_function(SpecialFunction::Reciprocal, b);
                self.multiply_floats(Rounding::NearestEven, a, reciprocal)
            }
            Opcode::Absolute => {
                let source = self.builder.source(a).magnitude();
                self.builder.compute(copy(false), &[source])
            }
            Opcode::Negate => {
                let source = self.builder.source(a).negated();
                self.builder.compute(copy(false), &[source])
            }
            Opcode::Min => self.builder.on_registers(Operation::MinFloat(FloatType::F32), &[a, b]),
            Opcode::Max => self.builder.on_registers(Operation::MaxFloat(FloatType::F32), &[a, b]),
            Opcode::Reciprocal => self.special_function(SpecialFunction::Reciprocal, a),
            Opcode::ReciprocalSquareRoot => self.special_function(SpecialFunction::ReciprocalSquareRoot, a),
            Opcode::SquareRoot => {
                let reciprocal = self.special_function(SpecialFunction::ReciprocalSquareRoot, a);
                self.special_function(SpecialFunction::Reciprocal, reciprocal)
            }
            Opcode::Sine => self.prepared(Operation::PrepareSine, SpecialFunction::Sine, a),
            Opcode::Cosine => self.prepared(Operation::PrepareSine, SpecialFunction::Cosine, a),
            Opcode::Log2 => self.special_function(SpecialFunction::Log2, a),
            Opcode::Exp2 => self.prepared(Operation::PrepareExponential, SpecialFunction::Exp2 { saturates: false }, a),
            // The others have no floating-point form.
            _ => a,
        }
    }

    /// A sum; instructions with a constant round to nearest only.
    pub(super) fn add_floats(&mut self, rounding: Rounding, saturates: bool, a: Word, b: Word) -> Word {
        if rounding == Rounding::NearestEven {
            self.builder.binary(add(rounding, saturates), a, b)
        } else {
            self.builder.on_registers(add(rounding, saturates), &[a, b])
        }
    }

    pub(super) fn multiply_floats(&mut self, rounding: Rounding, a: Word, b: Word) -> Word {
        if rounding == Rounding::NearestEven {
            self.builder.binary(multiply(rounding), a, b)
        } else {
            self.builder.on_registers(multiply(rounding), &[a, b])
        }
    }

    fn special_function(&mut self, function: SpecialFunction, a: Word) -> Word {
        self.builder.on_registers(Operation::Special(function), &[a])
    }

    fn prepared(&mut self, prepare: Operation, function: SpecialFunction, a: Word) -> Word {
        let reduced = self.builder.on_registers(prepare, &[a]);
        self.special_function(function, reduced)
    }

    /// a / b, with both a quarter of what they were where 1 / b would be denormal.
    fn divide_full_range(&mut self, a: Word, b: Word) -> Word {
        let (b, limit) = (self.builder.register(b), self.builder.source(Word::Constant(LARGE)));
        let b_source = Source::of(IrOperand::Register(b));
        let set = Operation::SetFloat { relations: Relations::GREATER, format: FloatType::F32 };
        let is_large = self.builder.compute(set, &[b_source.magnitude(), limit]);
        let guard = self.test(is_large);
        let scale = self.select(guard, Word::Constant(QUARTER), Word::Constant(ONE));
        let a = self.multiply_floats(Rounding::NearestEven, a, scale);
        let b = self.multiply_floats(Rounding::NearestEven, Word::Register(b), scale);
        let reciprocal = self.special_function(SpecialFunction::Reciprocal, b);
        self.multiply_floats(Rounding::NearestEven, a, reciprocal)
    }
}
