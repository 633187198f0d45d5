//! Integer arithmetic and logic on values of 64 bits, as pairs of words.

use super::Lowering;
use super::builder::{
    ADD, ADD_WITH_CARRY, AND, OR, SHIFT_LEFT, SHIFT_RIGHT, SHIFT_RIGHT_SIGNED, SUBTRACT, Value, Word, XOR, logic,
};
use super::routine_places::Routine;
use crate::cursor::Parsed;
use crate::diagnostic::Diagnostic;
use crate::ptx::ast::Instruction;
use crate::ptx::ir::{Destination, Guard, Lifetime, Operand as IrOperand, Source};
use crate::ptx::opcodes::{Opcode, ProductPart};
use crate::ptx::types::U32;
use crate::shader::simt::Relations;

impl Lowering<'_> {
    pub(super) fn wide(&mut self, instruction: &Instruction) -> Parsed<()> {
        let (of, operands) = (instruction.types[0], &instruction.operands);
        let part = instruction.modifiers.product();
        if instruction.opcode == Opcode::Move {
            self.move_integer(instruction);
            return Ok(());
        }
        let a = self.value(&operands[1], of);
        let is_shift = matches!(instruction.opcode, Opcode::ShiftLeft | Opcode::ShiftRight);
        let b = match operands.get(2) {
            Some(count) if is_shift => vec![self.word(count, U32)],
            Some(operand) => self.value(operand, of),
            None => Vec::new(),
        };
        let zero = vec![Word::Constant(0); 2];
        let result = match instruction.opcode {
            Opcode::Add => self.add_wide(&a, &b, false),
            Opcode::Subtract => self.add_wide(&a, &b, true),
            Opcode::Negate => self.add_wide(&zero, &a, true),
            Opcode::Multiply => self.product_wide(of.is_signed(), part, &a, &b),
            Opcode::MultiplyAdd => {
                let product = self.product_wide(of.is_signed(), part, &a, &b);
                let c = self.value(&operands[3], of);
                self.add_wide(&product, &c, false)
            }
            Opcode::SumAbsoluteDifference => {
                let is_less = self.compare_wide(Relations::LESS, of.is_signed(), &a, &b);
                let difference = self.add_wide(&a, &b, true);
                let distance = self.conditionally_negated_wide(&difference, is_less);
                let c = self.value(&operands[3], of);
                self.add_wide(&distance, &c, false)
            }
            Opcode::Divide => self.divide_wide(of.is_signed(), &a, &b),
            Opcode::Remainder => self.remainder_wide(of.is_signed(), &a, &b),
            Opcode::Logic(operation) => {
                a.iter().zip(&b).map(|(a, b)| self.builder.binary(logic(operation), *a, *b)).collect()
            }
            Opcode::Not => a.iter().map(|word| self.builder.invert(*word)).collect(),
            Opcode::LogicalNot => {
                let any = self.builder.binary(OR, a[0], a[1]);
                let mask = self.compare_words(Relations::EQUAL, false, any, Word::Constant(0));
                vec![self.builder.shift(SHIFT_RIGHT, mask, Word::Constant(31)), Word::Constant(0)]
            }
            Opcode::ShiftLeft => self.shift_left_wide(&a, b[0]),
            Opcode::ShiftRight => self.shift_right_wide(of.is_signed(), &a, b[0]),
            Opcode::Absolute => {
                let sign = self.sign(a[1]);
                self.conditionally_negated_wide(&a, sign)
            }
            Opcode::Min => {
                let chosen = self.compare_wide(Relations::LESS, of.is_signed(), &a, &b);
                self.select_wide(chosen, &a, &b)
            }
            Opcode::Max => {
                let chosen = self.compare_wide(Relations::GREATER, of.is_signed(), &a, &b);
                self.select_wide(chosen, &a, &b)
            }
            _ => return Err(Diagnostic::new(instruction.span.clone(), "not supported with 64 bits")),
        };
        self.result(&operands[0], &result);
        Ok(())
    }

    /// The sum or difference of pairs of words.
    pub(super) fn add_wide(&mut self, a: &[Word], b: &[Word], is_difference: bool) -> Value {
        if b.iter().all(|word| self.builder.constant(*word) == Some(0)) {
            return a.to_vec();
        }
        let carry = self.builder.program.condition(Lifetime::Statement);
        let sources = [self.builder.source(a[0]), self.builder.source(b[0])];
        let low = self.builder.temporary();
        let operation = if is_difference { SUBTRACT } else { ADD };
        let high = [a[1], if is_difference { self.builder.invert(b[1]) } else { b[1] }];
        let high = high.map(|word| self.builder.source(word));
        let sum = self.builder.push_under(None, operation, Destination::Register(low), &sources);
        sum.condition_write = Some(carry);
        let high = self.builder.compute(ADD_WITH_CARRY, &[high[0], high[1], Source::of(IrOperand::Condition(carry))]);
        vec![Word::Register(low), high]
    }

    /// The low or the high half of a product.
    fn product_wide(&mut self, is_signed: bool, part: Option<ProductPart>, a: &[Word], b: &[Word]) -> Value {
        if part != Some(ProductPart::High) {
            return self.multiply_wide(a, b);
        }
        let [_, mut high] = self.call_routine(Routine::Multiply, a, b);
        if is_signed {
            for (sign_of, other) in [(a, b), (b, a)] {
                let sign = self.sign(sign_of[1]);
                let term: Value = other.iter().map(|word| self.builder.binary(AND, sign, *word)).collect();
                high = self.add_wide(&high, &term, true);
            }
        }
        high
    }

    /// The value of two words, if it is known.
    fn constant_wide(&self, value: &[Word]) -> Option<u64> {
        let [low, high] = [0, 1].map(|part| self.builder.constant(value[part]));
        Some(u64::from(low?) | u64::from(high?) << 32)
    }

    fn divide_wide(&mut self, is_signed: bool, a: &[Word], b: &[Word]) -> Value {
        if !is_signed {
            if let Some(power) = self.constant_wide(b).filter(|power| power.is_power_of_two()) {
                return self.shift_right_wide(false, a, Word::Constant(power.trailing_zeros()));
            }
            let [quotient, _] = self.call_routine(Routine::Divide, a, b);
            return quotient;
        }
        let (a_sign, b_sign) = (self.sign(a[1]), self.sign(b[1]));
        let sign = self.builder.binary(XOR, a_sign, b_sign);
        let (a, b) = (self.conditionally_negated_wide(a, a_sign), self.conditionally_negated_wide(b, b_sign));
        let [quotient, _] = self.call_routine(Routine::Divide, &a, &b);
        self.conditionally_negated_wide(&quotient, sign)
    }

    /// The remainder has the sign of the dividend.
    fn remainder_wide(&mut self, is_signed: bool, a: &[Word], b: &[Word]) -> Value {
        if !is_signed {
            if let Some(power) = self.constant_wide(b).filter(|power| power.is_power_of_two()) {
                let mask = super::builder::constants(power - 1);
                return a.iter().zip(mask).map(|(word, mask)| self.builder.binary(AND, *word, mask)).collect();
            }
            let [_, remainder] = self.call_routine(Routine::Divide, a, b);
            return remainder;
        }
        let (a_sign, b_sign) = (self.sign(a[1]), self.sign(b[1]));
        let (a, b) = (self.conditionally_negated_wide(a, a_sign), self.conditionally_negated_wide(b, b_sign));
        let [_, remainder] = self.call_routine(Routine::Divide, &a, &b);
        self.conditionally_negated_wide(&remainder, a_sign)
    }

    /// A value, or its opposite where all bits of `sign` are set.
    pub(super) fn conditionally_negated_wide(&mut self, value: &[Word], sign: Word) -> Value {
        let inverted: Value = value.iter().map(|word| self.builder.binary(XOR, *word, sign)).collect();
        self.add_wide(&inverted, &[sign; 2], true)
    }

    /// The low 64 bits of a product.
    pub(super) fn multiply_wide(&mut self, a: &[Word], b: &[Word]) -> Value {
        for (value, other) in [(a, b), (b, a)] {
            if let Some(power) = self.constant_wide(other).filter(|power| power.is_power_of_two()) {
                return self.shift_left_wide(value, Word::Constant(power.trailing_zeros()));
            }
        }
        let [low, mut high] = self.full_product(a[0], b[0]);
        for (one, other) in [(a[0], b[1]), (a[1], b[0])] {
            // Constants that are known to be zero are those of extended words.
            if [one, other].iter().any(|word| self.builder.constant(*word) == Some(0)) {
                continue;
            }
            let term = self.low_product(one, other);
            high = self.builder.binary(ADD, high, term);
        }
        vec![low, high]
    }

    /// Shifts by 32 and more give zero, and so do those by a negative count, as it is large without sign.
    fn shift_left_wide(&mut self, a: &[Word], count: Word) -> Value {
        if let Some(count) = self.builder.constant(count) {
            return match count {
                0 => a.to_vec(),
                1..32 => {
                    let carried = self.builder.shift(SHIFT_RIGHT, a[0], Word::Constant(32 - count));
                    let high = self.builder.shift(SHIFT_LEFT, a[1], Word::Constant(count));
                    let low = self.builder.shift(SHIFT_LEFT, a[0], Word::Constant(count));
                    vec![low, self.builder.binary(OR, high, carried)]
                }
                32..64 => vec![Word::Constant(0), self.builder.shift(SHIFT_LEFT, a[0], Word::Constant(count - 32))],
                _ => vec![Word::Constant(0); 2],
            };
        }
        let (rest, over) = self.shift_counts(count);
        let high = self.builder.shift(SHIFT_LEFT, a[1], count);
        let carried = self.builder.shift(SHIFT_RIGHT, a[0], rest);
        let far = self.builder.shift(SHIFT_LEFT, a[0], over);
        let high = self.builder.binary(OR, high, carried);
        let high = self.builder.binary(OR, high, far);
        vec![self.builder.shift(SHIFT_LEFT, a[0], count), high]
    }

    /// 32 − n and n − 32.
    fn shift_counts(&mut self, count: Word) -> (Word, Word) {
        (self.subtract(Word::Constant(32), count), self.subtract(count, Word::Constant(32)))
    }

    fn shift_right_wide(&mut self, is_signed: bool, a: &[Word], count: Word) -> Value {
        let operation = if is_signed { SHIFT_RIGHT_SIGNED } else { SHIFT_RIGHT };
        if let Some(count) = self.builder.constant(count) {
            return match count {
                0 => a.to_vec(),
                1..32 => {
                    let carried = self.builder.shift(SHIFT_LEFT, a[1], Word::Constant(32 - count));
                    let low = self.builder.shift(SHIFT_RIGHT, a[0], Word::Constant(count));
                    vec![
                        self.builder.binary(OR, low, carried),
                        self.builder.shift(operation, a[1], Word::Constant(count)),
                    ]
                }
                _ => {
                    let high = self.builder.shift(operation, a[1], Word::Constant(32));
                    vec![self.builder.shift(operation, a[1], Word::Constant((count - 32).min(32))), high]
                }
            };
        }
        let (rest, over) = self.shift_counts(count);
        let low = self.builder.shift(SHIFT_RIGHT, a[0], count);
        let carried = self.builder.shift(SHIFT_LEFT, a[1], rest);
        let near = self.builder.binary(OR, low, carried);
        let far = self.builder.shift(operation, a[1], over);
        let high = self.builder.shift(operation, a[1], count);
        let is_near = self.compare_words(Relations::LESS, false, count, Word::Constant(32));
        let guard = self.test(is_near);
        vec![self.select(guard, near, far), high]
    }

    /// The condition that a word with the truth in all bits is true.
    pub(super) fn test(&mut self, mask: Word) -> Guard {
        let condition = self.builder.program.condition(Lifetime::Statement);
        let source = self.builder.source(mask);
        self.builder.push(crate::shader::simt::Operation::WriteCondition, Destination::Condition(condition), &[source]);
        Guard { condition, is_negated: false }
    }

    /// One of two values, by a word with the truth in all bits.
    pub(super) fn select_wide(&mut self, mask: Word, yes: &[Word], no: &[Word]) -> Value {
        let guard = self.test(mask);
        yes.iter().zip(no).map(|(yes, no)| self.select(guard, *yes, *no)).collect()
    }
}
