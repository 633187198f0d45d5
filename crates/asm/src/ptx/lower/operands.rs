//! Reads the operands of statements: registers, constants, special registers, addresses and predicates.

use super::builder::{ADD, AND, SHIFT_LEFT, SHIFT_RIGHT, SHIFT_RIGHT_SIGNED, Value, Word, between};
use super::{Home, Lowering};
use crate::isa::tesla::module::RELOCATION_CONSTANT_SPACE;
use crate::ptx::ast::{Operand, PredicateUse};
use crate::ptx::ir::{Address, Destination, Memory, Operand as IrOperand, Slice, Source};
use crate::ptx::types::{Dimension, Special, StateSpace, Type};
use crate::shader::simt::{Access, Convert, NumberFormat, Operation, Space, SpecialRegister, Width};

/// A conversion of an integer in part of a word to a word.
pub(super) const fn widen(bits: u8, is_signed: bool, from_width: Width) -> Operation {
    let (from, to) = if is_signed {
        (NumberFormat::Signed(bits), NumberFormat::Signed(32))
    } else {
        (NumberFormat::Unsigned(bits), NumberFormat::Unsigned(32))
    };
    Operation::Convert(Convert { from_width, ..between(from, to, None, false) })
}

impl Lowering<'_> {
    /// The words of an operand of a type.
    pub(super) fn value(&mut self, operand: &Operand, of: Type) -> Value {
        let low = match operand {
            Operand::Register(register) => {
                let mut words = match self.homes[*register] {
                    Home::Register(_) => self.slices(*register).into_iter().map(Word::Register).collect(),
                    Home::Condition(condition) => vec![self.condition_word(condition)],
                };
                // A register may be wider than the type, and a demoted double narrower than its bits.
                words.resize(of.words().into(), Word::Constant(0));
                return words;
            }
            #[expect(clippy::cast_possible_truncation, reason = "the words are taken apart")]
            Operand::Constant(value) => {
                let words = [*value as u32, (*value >> 32) as u32];
                return words[..of.words().into()].iter().map(|word| Word::Constant(*word)).collect();
            }
            Operand::Special(special) => self.special(*special),
            Operand::VariableAddress { variable, offset } => self.variable_address(*variable, *offset),
            Operand::Predicate(used) => self.predicate_word(*used),
            _ => Word::Constant(0),
        };
        if of.words() == 2 { vec![low, Word::Constant(0)] } else { vec![low] }
    }

    /// The low word of an operand.
    pub(super) fn word(&mut self, operand: &Operand, of: Type) -> Word {
        self.value(operand, of)[0]
    }

    /// An operand of at most 32 bits, extended to 32 bits by its type.
    pub(super) fn extended(&mut self, operand: &Operand, of: Type) -> Word {
        let word = self.word(operand, of);
        if matches!(operand, Operand::Special(_)) { word } else { self.extend(word, of) }
    }

    /// Extends a value of 8 or 16 bits to a word.
    pub(super) fn extend(&mut self, word: Word, of: Type) -> Word {
        let (bits, is_signed) = (of.bits, of.is_signed());
        if bits >= 32 {
            return word;
        }
        if let Some(value) = self.builder.constant(word) {
            let shift = 32 - u32::from(bits);
            let high = value << shift;
            return Word::Constant(if is_signed {
                (high.cast_signed() >> shift).cast_unsigned()
            } else {
                high >> shift
            });
        }
        match word {
            Word::Constant(_) => word,
            Word::Register(slice) if bits == 16 => {
                let source = Source::of(IrOperand::Register(slice.low()));
                self.builder.compute(widen(16, is_signed, Width::Half), &[source])
            }
            Word::Register(slice) => {
                let source = Source::of(IrOperand::Register(slice));
                self.builder.compute(widen(8, is_signed, Width::Word), &[source])
            }
        }
    }

    /// A copy of the sign in all bits.
    pub(super) fn sign(&mut self, word: Word) -> Word {
        self.builder.shift(SHIFT_RIGHT_SIGNED, word, Word::Constant(31))
    }

    /// A half of shared memory that the chip writes before a kernel runs.
    fn header(&mut self, offset: u32) -> Word {
        let address = Address::Offset { base: 0, offset };
        let memory = Memory { space: Space::Shared, access: Access::U16, address };
        self.builder.compute(widen(16, false, Width::Half), &[Source::of(IrOperand::Memory(memory))])
    }

    fn special(&mut self, special: Special) -> Word {
        let thread = Word::Register(Slice::word(self.thread, 0));
        match special {
            Special::Thread(Dimension::X) => self.builder.binary(AND, thread, Word::Constant(0x3ff)),
            Special::Thread(Dimension::Y) => {
                let high = self.builder.shift(SHIFT_RIGHT, thread, Word::Constant(16));
                self.builder.binary(AND, high, Word::Constant(0x3ff))
            }
            Special::Thread(Dimension::Z) => self.builder.shift(SHIFT_RIGHT, thread, Word::Constant(26)),
            Special::BlockSize(Dimension::X) => self.header(2),
            Special::BlockSize(Dimension::Y) => self.header(4),
            Special::BlockSize(Dimension::Z) => self.header(6),
            Special::GridSize(Dimension::X) => self.header(8),
            Special::GridSize(Dimension::Y) => self.header(0xa),
            // Grids have two dimensions.
            Special::GridSize(Dimension::Z) => Word::Constant(1),
            Special::Block(Dimension::X) => self.header(0xc),
            Special::Block(Dimension::Y) => self.header(0xe),
            Special::Block(Dimension::Z) => Word::Constant(0),
            Special::Grid => self.header(0),
            Special::Lane => {
                let id = self.read_special(SpecialRegister::PhysicalId);
                self.builder.binary(AND, id, Word::Constant(0xff))
            }
            Special::Warp => {
                let id = self.read_special(SpecialRegister::PhysicalId);
                let high = self.builder.shift(SHIFT_RIGHT, id, Word::Constant(8));
                self.builder.binary(AND, high, Word::Constant(0xff))
            }
            Special::Clock => self.read_special(SpecialRegister::Clock),
            Special::Counter(number) => self.read_special(SpecialRegister::PerformanceCounter(number)),
        }
    }

    fn read_special(&mut self, register: SpecialRegister) -> Word {
        self.builder.compute(Operation::ReadSpecial(register), &[])
    }

    /// The address of a variable plus a constant.
    #[expect(clippy::cast_possible_truncation, reason = "addresses have 32 bits")]
    pub(super) fn variable_address(&mut self, variable: usize, offset: u64) -> Word {
        let place = self.layout.offset(variable);
        if self.module.variables[variable].space != StateSpace::Global {
            return Word::Constant(place.wrapping_add(offset as u32));
        }
        let space = Space::Constant(RELOCATION_CONSTANT_SPACE);
        let memory = Memory { space, access: Access::B32, address: Address::Offset { base: 0, offset: place } };
        let lanes = Operation::Load { lanes: 15 };
        let address = self.builder.compute(lanes, &[Source::of(IrOperand::Memory(memory))]);
        if offset == 0 { address } else { self.builder.binary(ADD, address, Word::Constant(offset as u32)) }
    }

    /// A condition register as a word whose bit 1 is the truth.
    pub(super) fn condition_word(&mut self, condition: u32) -> Word {
        self.builder.compute(Operation::ReadCondition, &[Source::of(IrOperand::Condition(condition))])
    }

    /// A predicate as a word whose bit 1 is the truth.
    pub(super) fn predicate_word(&mut self, used: PredicateUse) -> Word {
        let word = self.condition_word(self.condition(used.register));
        if used.is_negated { self.builder.invert(word) } else { word }
    }

    /// A predicate as a word with the truth in all bits.
    pub(super) fn predicate_mask(&mut self, used: PredicateUse) -> Word {
        let word = self.predicate_word(used);
        let high = self.builder.shift(SHIFT_LEFT, word, Word::Constant(30));
        self.sign(high)
    }

    /// Writes a predicate from a word whose bit 1 is the truth, under the statement's guard.
    pub(super) fn write_condition(&mut self, condition: u32, word: Word) {
        let source = self.builder.source(word);
        self.builder.push_guarded(Operation::WriteCondition, Destination::Condition(condition), &[source]);
    }

    /// Writes the result of a statement: a register, a predicate, or nothing.
    pub(super) fn result(&mut self, operand: &Operand, value: &[Word]) {
        let Operand::Register(register) = operand else { return };
        match self.homes[*register] {
            Home::Register(_) => {
                let to = self.slices(*register);
                if self.writes[*register] == 1 && self.builder.guard.is_none() {
                    for (to, word) in to.iter().zip(value) {
                        if let Some(constant) = self.builder.constant(*word) {
                            self.builder.set_constant(*to, constant);
                        }
                    }
                }
                self.builder.finish(&to, value);
            }
            Home::Condition(condition) => self.write_condition(condition, value[0]),
        }
    }

    /// Combines predicates, or copies one.
    pub(super) fn predicate_logic(&mut self, instruction: &crate::ptx::ast::Instruction) {
        use super::builder::logic;
        use crate::ptx::opcodes::Opcode;
        let of = instruction.types[0];
        let first = self.truth(&instruction.operands[1], of);
        let result = match instruction.opcode {
            Opcode::Logic(operation) => {
                let second = self.truth(&instruction.operands[2], of);
                self.builder.on_registers(logic(operation), &[first, second])
            }
            Opcode::Not => self.builder.invert(first),
            _ => first,
        };
        self.result(&instruction.operands[0], &[result]);
    }

    /// A predicate operand as a word; constants other than 0 are true.
    fn truth(&mut self, operand: &Operand, of: Type) -> Word {
        match self.word(operand, of) {
            Word::Constant(value) => Word::Constant(if value == 0 { 0 } else { u32::MAX }),
            register @ Word::Register(_) => register,
        }
    }
}
