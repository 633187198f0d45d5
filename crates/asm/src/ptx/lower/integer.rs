//! Integer arithmetic and logic on values of up to 32 bits.

use super::Lowering;
use super::builder::{
    ADD, ADD_WITH_CARRY, AND, OR, SHIFT_LEFT, SHIFT_RIGHT, SHIFT_RIGHT_SIGNED, SIGNED, SUBTRACT, SUBTRACT_REVERSED,
    UNSIGNED, Word, constant_or_register, logic,
};
use crate::ptx::ast::Instruction;
use crate::ptx::ir::{Destination, Operand as IrOperand, Source};
use crate::ptx::opcodes::{Modifier, Opcode, ProductPart};
use crate::ptx::types::Type;
use crate::shader::simt::{IntegerSum, IntegerType, Operation, Product, Relations, Width};

/// A product of unsigned halves.
const HALVES: Product = Product::Bits16 { is_first_signed: false, is_second_signed: false };

/// A sum that saturates as a signed integer.
const fn saturating(sum: IntegerSum) -> Operation {
    Operation::AddInteger { sum, width: Width::Word, saturates: true }
}

/// 32 bits, signed or not.
pub(super) const fn word_type(of: Type) -> IntegerType {
    if of.is_signed() { SIGNED } else { UNSIGNED }
}

impl Lowering<'_> {
    pub(super) fn integer(&mut self, instruction: &Instruction) {
        let of = instruction.types[0];
        let (operands, modifiers) = (&instruction.operands, &instruction.modifiers);
        match instruction.opcode {
            Opcode::Move => return self.move_integer(instruction),
            Opcode::AddCarry | Opcode::SubtractBorrow => return self.with_carry(instruction),
            Opcode::Add | Opcode::Subtract if modifiers.has(Modifier::Carry) => return self.with_carry(instruction),
            Opcode::Multiply | Opcode::MultiplyAdd if modifiers.product() == Some(ProductPart::Wide) => {
                return self.wide_product(instruction);
            }
            _ => {}
        }
        let depends_on_high = !matches!(
            instruction.opcode,
            Opcode::Add | Opcode::Subtract | Opcode::Logic(_) | Opcode::Not | Opcode::ShiftLeft | Opcode::Negate
        );
        let is_half_product = of.bits == 16 && matches!(instruction.opcode, Opcode::Multiply | Opcode::MultiplyAdd);
        // The count of a shift has a type of its own.
        let count = operands.len() - 1;
        let words: Vec<Word> = operands[1..]
            .iter()
            .enumerate()
            .map(|(index, operand)| match instruction.opcode {
                Opcode::ShiftLeft | Opcode::ShiftRight if index == 1 => self.word(operand, crate::ptx::types::U32),
                _ if depends_on_high && !is_half_product => self.extended(operand, of),
                _ => self.word(operand, of),
            })
            .collect();
        debug_assert_eq!(words.len(), count);
        let result = self.integer_result(instruction, of, &words);
        self.result(&operands[0], &[result]);
    }

    fn integer_result(&mut self, instruction: &Instruction, of: Type, words: &[Word]) -> Word {
        let (modifiers, saturates) = (&instruction.modifiers, instruction.modifiers.saturates());
        let a = words[0];
        let b = words.get(1).copied().unwrap_or(Word::Constant(0));
        let c = words.get(2).copied().unwrap_or(Word::Constant(0));
        match instruction.opcode {
            Opcode::Add if saturates => self.builder.binary(saturating(IntegerSum::Add), a, b),
            Opcode::Add => self.builder.binary(ADD, a, b),
            Opcode::Subtract if saturates => {
                let operation = saturating(IntegerSum::Subtract);
                self.builder.on_registers(operation, &[a, b])
            }
            Opcode::Subtract => self.subtract(a, b),
            Opcode::Multiply => self.product(of, modifiers.product(), a, b),
            Opcode::MultiplyAdd => {
                let product = self.product(of, modifiers.product(), a, b);
                let operation = if saturates { saturating(IntegerSum::Add) } else { ADD };
                self.builder.binary(operation, product, c)
            }
            Opcode::Multiply24 => {
                self.builder.binary(Operation::MultiplyInteger(product24(of, modifiers.product())), a, b)
            }
            Opcode::MultiplyAdd24 => {
                let product = product24(of, modifiers.product());
                let operation = Operation::MultiplyAddInteger { sum: IntegerSum::Add, product, saturates };
                self.builder.on_registers(operation, &[a, b, c])
            }
            Opcode::SumAbsoluteDifference => {
                self.builder.on_registers(Operation::SumAbsoluteDifference(word_type(of)), &[a, b, c])
            }
            Opcode::Divide => self.divide(of.is_signed(), a, b),
            Opcode::Remainder => self.remainder(of.is_signed(), a, b),
            Opcode::Absolute => {
                let negated = self.subtract(Word::Constant(0), a);
                self.builder.on_registers(Operation::MaxInteger(SIGNED), &[a, negated])
            }
            Opcode::Negate => self.subtract(Word::Constant(0), a),
            Opcode::Min => self.builder.on_registers(Operation::MinInteger(word_type(of)), &[a, b]),
            Opcode::Max => self.builder.on_registers(Operation::MaxInteger(word_type(of)), &[a, b]),
            Opcode::Logic(operation) => self.builder.binary(logic(operation), a, b),
            Opcode::Not => self.builder.invert(a),
            Opcode::LogicalNot => {
                let is_zero = self.compare_words(Relations::EQUAL, false, a, Word::Constant(0));
                self.builder.binary(AND, is_zero, Word::Constant(1))
            }
            Opcode::ShiftLeft => self.builder.shift(SHIFT_LEFT, a, b),
            Opcode::ShiftRight => {
                let operation = if of.is_signed() { SHIFT_RIGHT_SIGNED } else { SHIFT_RIGHT };
                self.builder.shift(operation, a, b)
            }
            // The others are lowered elsewhere.
            _ => a,
        }
    }

    /// a − b.
    pub(super) fn subtract(&mut self, a: Word, b: Word) -> Word {
        match (a, b) {
            _ if self.builder.constant(b) == Some(0) => a,
            (_, Word::Constant(value)) => self.builder.binary(ADD, a, Word::Constant(value.wrapping_neg())),
            (Word::Constant(_), Word::Register(slice)) => {
                let sources = [Source::of(IrOperand::Register(slice)), constant_or_register(a)];
                self.builder.compute(SUBTRACT_REVERSED, &sources)
            }
            _ => self.builder.on_registers(SUBTRACT, &[a, b]),
        }
    }

    /// The low or high part of a product of 16 or 32 bits.
    fn product(&mut self, of: Type, part: Option<ProductPart>, a: Word, b: Word) -> Word {
        let is_high = part == Some(ProductPart::High);
        if of.bits == 16 {
            let product = self.half_product(of, a, b);
            return if is_high { self.builder.shift(SHIFT_RIGHT, product, Word::Constant(16)) } else { product };
        }
        if !is_high {
            return self.low_product(a, b);
        }
        let high = self.full_product(a, b)[1];
        if of.is_signed() { self.correct_sign(high, a, b) } else { high }
    }

    /// The 32-bit product of two 16-bit integers.
    fn half_product(&mut self, of: Type, a: Word, b: Word) -> Word {
        let is_signed = of.is_signed();
        let product = Product::Bits16 { is_first_signed: is_signed, is_second_signed: is_signed };
        let sources = [self.half(a, false), self.half(b, false)];
        self.builder.compute(Operation::MultiplyInteger(product), &sources)
    }

    fn half(&mut self, word: Word, is_high: bool) -> Source {
        let slice = self.builder.register(word);
        Source::of(IrOperand::Register(if is_high { slice.high() } else { slice.low() }))
    }

    /// The low 32 bits of a product, from three 16-bit products.
    pub(super) fn low_product(&mut self, a: Word, b: Word) -> Word {
        for (value, other) in [(a, b), (b, a)] {
            match self.builder.constant(other) {
                Some(0) => return Word::Constant(0),
                Some(power) if power.is_power_of_two() => {
                    return self.builder.shift(SHIFT_LEFT, value, Word::Constant(power.trailing_zeros()));
                }
                _ => {}
            }
        }
        let (a, b) = (Word::Register(self.builder.register(a)), Word::Register(self.builder.register(b)));
        let cross = self.multiply_halves((a, false), (b, true), None);
        let cross = self.multiply_halves((a, true), (b, false), Some(cross));
        let cross = self.builder.shift(SHIFT_LEFT, cross, Word::Constant(16));
        self.multiply_halves((a, false), (b, false), Some(cross))
    }

    /// The product of halves plus a word; the flag chooses the high half.
    fn multiply_halves(&mut self, a: (Word, bool), b: (Word, bool), plus: Option<Word>) -> Word {
        let (a, b) = (self.half(a.0, a.1), self.half(b.0, b.1));
        let Some(plus) = plus else { return self.builder.compute(Operation::MultiplyInteger(HALVES), &[a, b]) };
        let plus = self.builder.source(plus);
        let operation = Operation::MultiplyAddInteger { sum: IntegerSum::Add, product: HALVES, saturates: false };
        self.builder.compute(operation, &[a, b, plus])
    }

    /// The 64 bits of an unsigned product. No sum of the steps exceeds 32 bits.
    pub(super) fn full_product(&mut self, a: Word, b: Word) -> [Word; 2] {
        let (a, b) = (Word::Register(self.builder.register(a)), Word::Register(self.builder.register(b)));
        let low = self.multiply_halves((a, false), (b, false), None);
        let low_high = self.builder.shift(SHIFT_RIGHT, low, Word::Constant(16));
        let first = self.multiply_halves((a, false), (b, true), Some(low_high));
        let first_low = self.builder.binary(AND, first, Word::Constant(0xffff));
        let first_high = self.builder.shift(SHIFT_RIGHT, first, Word::Constant(16));
        let second = self.multiply_halves((a, true), (b, false), Some(first_low));
        let high = self.multiply_halves((a, true), (b, true), Some(first_high));
        let second_high = self.builder.shift(SHIFT_RIGHT, second, Word::Constant(16));
        let high = self.builder.binary(ADD, high, second_high);
        let second_low = self.builder.shift(SHIFT_LEFT, second, Word::Constant(16));
        let low = self.builder.binary(AND, low, Word::Constant(0xffff));
        [self.builder.binary(OR, second_low, low), high]
    }

    /// The high word of a signed product from that of the unsigned one.
    pub(super) fn correct_sign(&mut self, mut high: Word, a: Word, b: Word) -> Word {
        for (sign_of, other) in [(a, b), (b, a)] {
            let sign = self.sign(sign_of);
            let term = self.builder.binary(AND, sign, other);
            high = self.subtract(high, term);
        }
        high
    }

    /// Products of twice the bits of their factors, and sums with them.
    fn wide_product(&mut self, instruction: &Instruction) {
        let (of, operands) = (instruction.types[0], &instruction.operands);
        let sum = of.with_bits(of.bits * 2);
        let (a, b) = (self.word(&operands[1], of), self.word(&operands[2], of));
        if of.bits == 16 {
            let mut result = self.half_product(of, a, b);
            if let Some(c) = operands.get(3) {
                let c = self.word(c, sum);
                result = self.builder.binary(ADD, result, c);
            }
            return self.result(&operands[0], &[result]);
        }
        let [low, mut high] = self.full_product(a, b);
        if of.is_signed() {
            high = self.correct_sign(high, a, b);
        }
        let mut result = vec![low, high];
        if let Some(c) = operands.get(3) {
            let c = self.value(c, sum);
            result = self.add_wide(&result, &c, false);
        }
        self.result(&operands[0], &result);
    }

    /// Sums with a carry or borrow that other statements write or read.
    ///
    /// The machine's carry of a difference is the inverse of a borrow; both statements of a pair see it alike.
    fn with_carry(&mut self, instruction: &Instruction) {
        let (of, operands) = (instruction.types[0], &instruction.operands);
        let (a, b) = (self.word(&operands[1], of), self.word(&operands[2], of));
        let is_difference = matches!(instruction.opcode, Opcode::Subtract | Opcode::SubtractBorrow);
        let reads = matches!(instruction.opcode, Opcode::AddCarry | Opcode::SubtractBorrow);
        let writes = instruction.modifiers.has(Modifier::Carry);
        let carry = self.carry;
        let (a, b) = (self.builder.source(a), if is_difference && reads { self.builder.invert(b) } else { b });
        let b = self.builder.source(b);
        let result = self.builder.temporary();
        let (operation, sources) = match (is_difference, reads) {
            (_, true) => (ADD_WITH_CARRY, vec![a, b, Source::of(IrOperand::Condition(carry))]),
            (true, false) => (SUBTRACT, vec![a, b]),
            (false, false) => (ADD, vec![a, b]),
        };
        let sum = self.builder.push_under(None, operation, Destination::Register(result), &sources);
        if writes {
            sum.condition_write = Some(carry);
        }
        self.result(&operands[0], &[Word::Register(result)]);
    }

    /// Copies a value, or packs or unpacks a vector.
    pub(super) fn move_integer(&mut self, instruction: &Instruction) {
        use crate::ptx::ast::Operand;
        let (of, operands) = (instruction.types[0], &instruction.operands);
        match (&operands[0], &operands[1]) {
            (Operand::Vector(elements), source) => {
                let words = self.value(source, of);
                self.unpack(of, elements, &words);
            }
            (_, Operand::Vector(elements)) => {
                let words = self.pack(of, elements);
                self.result(&operands[0], &words);
            }
            (_, source) => {
                let words = self.value(source, of);
                self.result(&operands[0], &words);
            }
        }
    }

    fn unpack(&mut self, of: Type, elements: &[crate::ptx::ast::Operand], words: &[Word]) {
        let bits = usize::from(of.bits) / elements.len();
        // The source is read before a result may overwrite it.
        let parts: Vec<Word> = (0..elements.len())
            .map(|index| {
                let (word, shift) = (words[index * bits / 32], index * bits % 32);
                let shift = Word::Constant(u32::try_from(shift).unwrap_or(0));
                self.builder.shift(SHIFT_RIGHT, word, shift)
            })
            .collect();
        let copies: Vec<Word> = parts.iter().map(|part| self.builder.copy(*part)).collect();
        for (element, part) in elements.iter().zip(copies) {
            self.result(element, &[part]);
        }
    }

    fn pack(&mut self, of: Type, elements: &[crate::ptx::ast::Operand]) -> Vec<Word> {
        #[expect(clippy::cast_possible_truncation, reason = "the bits of a type")]
        let bits = of.bits / elements.len() as u8;
        let element_type = of.with_bits(bits);
        if bits == 32 {
            return elements.iter().map(|element| self.word(element, element_type)).collect();
        }
        let per_word = usize::from(32.min(of.bits) / bits);
        let unsigned = Type { kind: crate::ptx::types::Kind::Unsigned, bits };
        elements
            .chunks(per_word)
            .map(|chunk| {
                let mut packed = self.extended(&chunk[0], unsigned);
                for (index, element) in chunk.iter().enumerate().skip(1) {
                    let part = self.extended(element, unsigned);
                    let shift = u32::try_from(index).unwrap_or(0) * u32::from(bits);
                    let part = self.builder.shift(SHIFT_LEFT, part, Word::Constant(shift));
                    packed = self.builder.binary(OR, packed, part);
                }
                packed
            })
            .collect()
    }
}

fn product24(of: Type, part: Option<ProductPart>) -> Product {
    Product::Bits24 { is_signed: of.is_signed(), is_high: part == Some(ProductPart::High) }
}
