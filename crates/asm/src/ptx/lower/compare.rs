//! Comparisons and selections.

use super::Lowering;
use super::builder::{AND, OR, Word, constant_or_register, logic};
use super::integer::word_type;
use crate::ptx::ast::{Instruction, Operand};
use crate::ptx::ir::{Destination, Guard, MOVE, Source};
use crate::ptx::opcodes::Opcode;
use crate::ptx::types::{Kind, Type};
use crate::shader::simt::{FloatType, IntegerType, Operation, Relations, Width};

/// The bits of 1.0.
const ONE: u32 = 0x3f80_0000;

const fn set_integer(relations: Relations, operands: IntegerType) -> Operation {
    // `ne` of unordered integers means the same as that of ordered ones.
    Operation::SetInteger { relations: Relations { unordered: false, ..relations }, operands }
}

impl Lowering<'_> {
    pub(super) fn comparison(&mut self, instruction: &Instruction) {
        match instruction.opcode {
            Opcode::Set => self.set(instruction),
            Opcode::SetPredicate => self.set_predicate(instruction),
            Opcode::SelectByPredicate => self.select_by_predicate(instruction),
            _ => self.select_by_sign(instruction),
        }
    }

    /// The operation that compares values of up to 32 bits, and these values.
    fn comparison_of(&mut self, relations: Relations, of: Type, operands: &[Operand]) -> (Operation, [Source; 2]) {
        let operation = if of.is_float() {
            Operation::SetFloat { relations, format: FloatType::F32 }
        } else {
            set_integer(relations, word_type(of))
        };
        let words = [0, 1].map(|index| self.extended(&operands[index], of));
        (operation, words.map(|word| self.builder.source(word)))
    }

    /// All ones where a comparison of values holds, else 0.
    fn compare(&mut self, relations: Relations, of: Type, operands: &[Operand]) -> Word {
        if of.words() == 2 {
            let (a, b) = (self.value(&operands[0], of), self.value(&operands[1], of));
            return self.compare_wide(relations, of.is_signed(), &a, &b);
        }
        let (operation, sources) = self.comparison_of(relations, of, operands);
        self.builder.compute(operation, &sources)
    }

    /// All ones where a comparison of words holds, else 0.
    pub(super) fn compare_words(&mut self, relations: Relations, is_signed: bool, a: Word, b: Word) -> Word {
        let operands = IntegerType { width: Width::Word, is_signed };
        self.builder.on_registers(set_integer(relations, operands), &[a, b])
    }

    /// All ones where a comparison of pairs of words holds, else 0.
    pub(super) fn compare_wide(&mut self, relations: Relations, is_signed: bool, a: &[Word], b: &[Word]) -> Word {
        let strict = Relations { equal: false, ..relations };
        let high = self.compare_words(strict, is_signed, a[1], b[1]);
        let are_equal = self.compare_words(Relations::EQUAL, false, a[1], b[1]);
        let low = self.compare_words(relations, false, a[0], b[0]);
        let both = self.builder.binary(AND, are_equal, low);
        self.builder.binary(OR, high, both)
    }

    fn set(&mut self, instruction: &Instruction) {
        let (to, of) = (instruction.types[0], instruction.types[1]);
        let operands = &instruction.operands;
        let Some(relations) = instruction.modifiers.relations() else { return };
        let mut result = self.compare(relations, of, &operands[1..]);
        if let (Some(how), Some(Operand::Predicate(used))) = (instruction.modifiers.combination(), operands.get(3)) {
            let mask = self.predicate_mask(*used);
            result = self.builder.binary(logic(how), result, mask);
        }
        if to.kind == Kind::Float {
            result = self.builder.binary(AND, result, Word::Constant(ONE));
        }
        self.result(&operands[0], &[result]);
    }

    fn set_predicate(&mut self, instruction: &Instruction) {
        let (of, operands) = (instruction.types[0], &instruction.operands);
        let (Some(relations), Some(Operand::Predicates { result, opposite })) =
            (instruction.modifiers.relations(), operands.first())
        else {
            return;
        };
        let (result, opposite) = (self.condition(*result), opposite.map(|opposite| self.condition(opposite)));
        let combination = instruction.modifiers.combination();
        if combination.is_none() && opposite.is_none() && of.words() == 1 {
            let (operation, sources) = self.comparison_of(relations, of, &operands[1..]);
            let guard = self.builder.guard;
            let set = self.builder.push_under(guard, operation, Destination::None, &sources);
            set.condition_write = Some(result);
            return;
        }
        let mut holds = self.compare(relations, of, &operands[1..]);
        let mut fails = opposite.map(|_| self.builder.invert(holds));
        if let (Some(how), Some(Operand::Predicate(used))) = (combination, operands.get(3)) {
            let other = self.predicate_word(*used);
            holds = self.builder.binary(logic(how), holds, other);
            fails = fails.map(|fails| self.builder.binary(logic(how), fails, other));
        }
        self.write_condition(result, holds);
        if let (Some(opposite), Some(fails)) = (opposite, fails) {
            self.write_condition(opposite, fails);
        }
    }

    fn select_by_predicate(&mut self, instruction: &Instruction) {
        let (of, operands) = (instruction.types[0], &instruction.operands);
        let (yes, no) = (self.value(&operands[1], of), self.value(&operands[2], of));
        let Some(Operand::Predicate(used)) = operands.get(3) else { return };
        let guard = Guard { condition: self.condition(used.register), is_negated: used.is_negated };
        let result: Vec<_> = yes.iter().zip(&no).map(|(yes, no)| self.select(guard, *yes, *no)).collect();
        self.result(&operands[0], &result);
    }

    fn select_by_sign(&mut self, instruction: &Instruction) {
        let (of, by, operands) = (instruction.types[0], instruction.types[1], &instruction.operands);
        let (yes, no) = (self.value(&operands[1], of), self.value(&operands[2], of));
        let sign = self.word(&operands[3], by);
        let result = if by.is_float() {
            yes.iter()
                .zip(&no)
                .map(|(yes, no)| self.builder.on_registers(Operation::Select, &[*yes, *no, sign]))
                .collect()
        } else {
            let chosen = self.compare_words(Relations::AT_LEAST, true, sign, Word::Constant(0));
            self.select_wide(chosen, &yes, &no)
        };
        self.result(&operands[0], &result);
    }

    /// A new word that is one value, or another one where a condition holds.
    pub(super) fn select(&mut self, guard: Guard, yes: Word, no: Word) -> Word {
        let result = self.builder.temporary();
        let yes = self.builder.source(yes);
        self.builder.push(MOVE, Destination::Register(result), &[constant_or_register(no)]);
        self.builder.push_under(Some(guard), MOVE, Destination::Register(result), &[yes]);
        Word::Register(result)
    }
}
