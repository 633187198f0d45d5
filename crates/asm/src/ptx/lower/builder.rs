//! Appends instructions over virtual registers to a program, with constants where the machine takes them.

use std::collections::BTreeMap;

use crate::diagnostic::Span;
use crate::ptx::ir::{
    Block, Destination, Guard, Instruction, Lifetime, MOVE, Operand, Program, Slice, Source, Terminator,
};
use crate::shader::simt::{Convert, IntegerSum, IntegerType, LogicOperation, NumberFormat, Operation, Rounding, Width};

/// A 32-bit value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// In a register.
    Register(Slice),
    /// Known.
    Constant(u32),
}

/// The values of a register, lowest word first: one or two.
pub(super) type Value = Vec<Word>;

pub(super) const ADD: Operation = sum(IntegerSum::Add);
pub(super) const SUBTRACT: Operation = sum(IntegerSum::Subtract);
/// b − a.
pub(super) const SUBTRACT_REVERSED: Operation = sum(IntegerSum::SubtractReversed);
pub(super) const ADD_WITH_CARRY: Operation = sum(IntegerSum::AddWithCarry);
pub(super) const SHIFT_LEFT: Operation = Operation::ShiftLeft(Width::Word);
pub(super) const SHIFT_RIGHT: Operation = Operation::ShiftRight(UNSIGNED);
pub(super) const SHIFT_RIGHT_SIGNED: Operation = Operation::ShiftRight(SIGNED);
pub(super) const AND: Operation = logic(LogicOperation::And);
pub(super) const OR: Operation = logic(LogicOperation::Or);
pub(super) const XOR: Operation = logic(LogicOperation::Xor);
/// Takes the second source; with inversion, all its bits change.
pub(super) const SECOND: Operation = logic(LogicOperation::Second);
pub(super) const UNSIGNED: IntegerType = IntegerType { width: Width::Word, is_signed: false };
pub(super) const SIGNED: IntegerType = IntegerType { width: Width::Word, is_signed: true };

const fn sum(sum: IntegerSum) -> Operation {
    Operation::AddInteger { sum, width: Width::Word, saturates: false }
}

pub(super) const fn logic(operation: LogicOperation) -> Operation {
    Operation::Logic { operation, width: Width::Word }
}

pub(super) const F32: NumberFormat = NumberFormat::Float(32);

/// A conversion between words.
pub(super) const fn between(
    from: NumberFormat,
    to: NumberFormat,
    rounding: Option<Rounding>,
    saturates: bool,
) -> Convert {
    Convert { to, to_width: Width::Word, from, from_width: Width::Word, rounding, rounds_to_integer: false, saturates }
}

/// An address register that holds a known value: a register's value plus a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KnownAddress {
    number: u8,
    base: Option<Slice>,
    offset: u32,
}

/// A program while it is built.
#[derive(Debug)]
pub(super) struct Builder {
    pub(super) program: Program,
    /// The block that instructions are appended to.
    pub(super) current: usize,
    /// The statement that is lowered.
    pub(super) span: Span,
    /// The guard of the statement.
    pub(super) guard: Option<Guard>,
    /// The number of registers before the statement; later ones hold its intermediate values.
    pub(super) first_temporary: usize,
    addresses: Vec<KnownAddress>,
    next_address: u8,
    /// The words that a text writes once, with a constant.
    constants: BTreeMap<Slice, u32>,
}

/// The address registers.
const ADDRESS_REGISTERS: u8 = 4;

impl Builder {
    pub(super) fn new() -> Self {
        let program = Program { blocks: Vec::new(), registers: Vec::new(), conditions: Vec::new() };
        let mut builder = Self {
            program,
            current: 0,
            span: 0..0,
            guard: None,
            first_temporary: 0,
            addresses: Vec::new(),
            next_address: 1,
            constants: BTreeMap::new(),
        };
        builder.block();
        builder
    }

    /// A new block, which ends the thread.
    pub(super) fn block(&mut self) -> usize {
        let (instructions, terminator, span) = (Vec::new(), Terminator::Exit, self.span.clone());
        self.program.blocks.push(Block { instructions, terminator, span });
        self.program.blocks.len() - 1
    }

    /// Ends the current block and continues in another one.
    pub(super) fn end_block(&mut self, terminator: Terminator, next: usize) {
        let block = &mut self.program.blocks[self.current];
        block.terminator = terminator;
        block.span = self.span.clone();
        self.current = next;
        self.addresses.clear();
    }

    /// The value of a word, if it is known.
    pub(super) fn constant(&self, word: Word) -> Option<u32> {
        match word {
            Word::Constant(value) => Some(value),
            Word::Register(slice) => self.constants.get(&slice).copied(),
        }
    }

    /// Notes that a word never has another value than this one.
    pub(super) fn set_constant(&mut self, slice: Slice, value: u32) {
        self.constants.insert(slice, value);
    }

    /// A new word for an intermediate value.
    pub(super) fn temporary(&mut self) -> Slice {
        Slice::word(self.program.register(1, Lifetime::Statement), 0)
    }

    /// Appends an instruction under a guard.
    pub(super) fn push_under(
        &mut self,
        guard: Option<Guard>,
        operation: Operation,
        destination: Destination,
        sources: &[Source],
    ) -> &mut Instruction {
        if let Destination::Register(slice) = destination {
            self.forget(slice.register);
        }
        let plain = Instruction::new(operation, destination, sources.to_vec(), self.span.clone());
        let instructions = &mut self.program.blocks[self.current].instructions;
        instructions.push(Instruction { guard, ..plain });
        let last = instructions.len() - 1;
        &mut instructions[last]
    }

    /// Appends an instruction that is always executed.
    pub(super) fn push(&mut self, operation: Operation, destination: Destination, sources: &[Source]) {
        self.push_under(None, operation, destination, sources);
    }

    /// Appends an instruction of the statement that is executed under its guard.
    pub(super) fn push_guarded(&mut self, operation: Operation, destination: Destination, sources: &[Source]) {
        self.push_under(self.guard, operation, destination, sources);
    }

    /// The result of an operation on sources.
    pub(super) fn compute(&mut self, operation: Operation, sources: &[Source]) -> Word {
        let result = self.temporary();
        self.push(operation, Destination::Register(result), sources);
        Word::Register(result)
    }

    /// The result of an operation on registers.
    pub(super) fn on_registers(&mut self, operation: Operation, words: &[Word]) -> Word {
        let sources: Vec<_> = words.iter().map(|word| self.source(*word)).collect();
        self.compute(operation, &sources)
    }

    /// The result of an operation whose second source may be a constant; the sources may change places if the order
    /// does not matter.
    pub(super) fn binary(&mut self, operation: Operation, one: Word, other: Word) -> Word {
        if let Some(simple) = self.simplified(operation, one, other) {
            return simple;
        }
        let (one, other) = match (one, other) {
            (Word::Constant(_), Word::Register(_)) if is_commutative(operation) => (other, one),
            both => both,
        };
        let sources = [self.source(one), constant_or_register(other)];
        self.compute(operation, &sources)
    }

    /// The value of a sum or a logic operation if both operands are known, or if one of them decides it.
    fn simplified(&self, operation: Operation, one: Word, other: Word) -> Option<Word> {
        let (a, b) = (self.constant(one), self.constant(other));
        let logic = match operation {
            Operation::Logic { operation, width: Width::Word } => Some(operation),
            _ if operation == ADD => None,
            _ => return None,
        };
        let constant = |value: u32| Some(Word::Constant(value));
        match (logic, a, b) {
            (None, Some(a), Some(b)) => constant(a.wrapping_add(b)),
            (Some(LogicOperation::And), Some(a), Some(b)) => constant(a & b),
            (Some(LogicOperation::Or), Some(a), Some(b)) => constant(a | b),
            (Some(LogicOperation::Xor), Some(a), Some(b)) => constant(a ^ b),
            (Some(LogicOperation::And), Some(0), _) | (Some(LogicOperation::And), _, Some(0)) => constant(0),
            (Some(LogicOperation::Or), Some(u32::MAX), _) | (Some(LogicOperation::Or), _, Some(u32::MAX)) => {
                constant(u32::MAX)
            }
            (None | Some(LogicOperation::Or | LogicOperation::Xor), Some(0), _)
            | (Some(LogicOperation::And), Some(u32::MAX), _) => Some(other),
            (None | Some(LogicOperation::Or | LogicOperation::Xor), _, Some(0))
            | (Some(LogicOperation::And), _, Some(u32::MAX)) => Some(one),
            _ => None,
        }
    }

    /// Shifts by a known count or a register.
    pub(super) fn shift(&mut self, operation: Operation, value: Word, count: Word) -> Word {
        let count = match self.constant(count) {
            // Counts of 32 and more give the same, and the field has seven bits.
            Some(count) => Word::Constant(count.min(32)),
            None => count,
        };
        match (count, self.constant(value)) {
            (Word::Constant(0), _) => return value,
            (Word::Constant(count), Some(value)) if operation == SHIFT_LEFT => {
                return Word::Constant(value.checked_shl(count).unwrap_or(0));
            }
            (Word::Constant(count), Some(value)) if operation == SHIFT_RIGHT => {
                return Word::Constant(value.checked_shr(count).unwrap_or(0));
            }
            _ => {}
        }
        let sources = [self.source(value), constant_or_register(count)];
        self.compute(operation, &sources)
    }

    /// The register of a word.
    pub(super) fn register(&mut self, word: Word) -> Slice {
        match word {
            Word::Register(slice) => slice,
            Word::Constant(value) => {
                let result = self.temporary();
                self.push(MOVE, Destination::Register(result), &[Source::of(Operand::Immediate(value))]);
                result
            }
        }
    }

    /// A word as a source in a register.
    pub(super) fn source(&mut self, word: Word) -> Source {
        Source::of(Operand::Register(self.register(word)))
    }

    /// All bits of a word inverted.
    pub(super) fn invert(&mut self, word: Word) -> Word {
        match word {
            Word::Constant(value) => Word::Constant(!value),
            Word::Register(slice) => {
                let source = Source::of(Operand::Register(slice));
                self.compute(SECOND, &[source, source.inverted()])
            }
        }
    }

    /// Writes the result of the statement under its guard.
    pub(super) fn finish(&mut self, to: &[Slice], value: &[Word]) {
        if to.iter().zip(value).all(|(to, word)| *word == Word::Register(*to)) {
            return;
        }
        // All words are read before the first one is written.
        let is_old =
            |word: &Word| matches!(word, Word::Register(from) if to.iter().any(|to| to.register == from.register));
        let is_repeated = value.len() > 1 && value[1..].contains(&value[0]);
        if value.iter().skip(1).any(is_old) || is_repeated {
            let copies: Vec<_> = value.iter().map(|word| self.copy(*word)).collect();
            for (to, word) in to.iter().zip(copies) {
                self.write(*to, word);
            }
            return;
        }
        for (to, word) in to.iter().zip(value) {
            let is_computed = matches!(word, Word::Register(value) if self.retarget(*to, *value));
            if !is_computed && *word != Word::Register(*to) {
                self.write(*to, *word);
            }
        }
    }

    pub(super) fn copy(&mut self, word: Word) -> Word {
        match word {
            Word::Constant(_) => word,
            Word::Register(slice) => self.compute(MOVE, &[Source::of(Operand::Register(slice))]),
        }
    }

    /// Copies a word to a register under the statement's guard.
    fn write(&mut self, to: Slice, word: Word) {
        let source = match word {
            // A move of a constant has no guard.
            Word::Constant(value) if self.guard.is_none() => Source::of(Operand::Immediate(value)),
            _ => self.source(word),
        };
        self.push_guarded(MOVE, Destination::Register(to), &[source]);
    }

    /// Lets the instructions that compute the intermediate value `value` compute `to` instead, if nothing between needs what
    /// `to` was before.
    fn retarget(&mut self, to: Slice, value: Slice) -> bool {
        let guard = self.guard;
        if (value.register as usize) < self.first_temporary || self.program.registers[value.register as usize].words > 1
        {
            return false;
        }
        let instructions = &mut self.program.blocks[self.current].instructions;
        let writes = |one: &Instruction| one.destination == Destination::Register(value);
        let Some(first) = instructions.iter().position(writes) else { return false };
        let behind = &instructions[first + 1..];
        let touches = |slice: Slice| slice.register == to.register && slice.mask() & to.mask() != 0;
        if behind.iter().any(|one| one.reads().chain(one.write()).any(touches)) {
            return false;
        }
        if guard.is_some() {
            let is_read =
                behind.iter().any(|one| writes(one) || one.reads().any(|slice| slice.register == value.register));
            let one = &instructions[first];
            if is_read || one.condition_write.is_some() || !(one.guard == guard || can_be_guarded(one)) {
                return false;
            }
            instructions[first].guard = guard;
        } else if instructions[first].guard.is_some() {
            return false;
        }
        for one in &mut instructions[first..] {
            one.each_slice(|slice| {
                if slice.register == value.register {
                    *slice = Slice { register: to.register, part: to.part, ..*slice };
                }
            });
        }
        self.forget(to.register);
        true
    }

    /// An address register with the value of a register plus a constant.
    pub(super) fn address(&mut self, base: Option<Slice>, offset: u32) -> u8 {
        if base.is_none() && offset == 0 {
            return 0;
        }
        let known = |addresses: &[KnownAddress], offset: u32| {
            addresses.iter().find(|known| known.base == base && known.offset == offset).map(|known| known.number)
        };
        if let Some(number) = known(&self.addresses, offset) {
            return number;
        }
        let constant = |value| Source::of(Operand::Immediate(value));
        let (operation, sources) = match (base, offset) {
            (Some(base), 0) => (Operation::ShiftIntoAddress, [Source::of(Operand::Register(base)), constant(0)]),
            _ => {
                let start = if base.is_some() { self.address(base, 0) } else { 0 };
                (Operation::AddAddress, [Source::of(Operand::Address(start)), constant(offset & 0xffff)])
            }
        };
        let number = self.next_address;
        self.next_address = number % ADDRESS_REGISTERS + 1;
        self.addresses.retain(|known| known.number != number);
        self.push(operation, Destination::Address(number), &sources);
        self.addresses.push(KnownAddress { number, base, offset });
        number
    }

    /// A register changes, and address registers with its value no longer have it.
    fn forget(&mut self, register: u32) {
        self.addresses.retain(|known| known.base.is_none_or(|base| base.register != register));
    }
}

/// The words of a known value.
#[expect(clippy::cast_possible_truncation, reason = "the words are taken apart")]
pub(super) const fn constants(value: u64) -> [Word; 2] {
    [Word::Constant(value as u32), Word::Constant((value >> 32) as u32)]
}

/// A constant or a register as a source.
pub(super) const fn constant_or_register(word: Word) -> Source {
    match word {
        Word::Register(slice) => Source::of(Operand::Register(slice)),
        Word::Constant(value) => Source::of(Operand::Immediate(value)),
    }
}

const fn is_commutative(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::AddInteger { sum: IntegerSum::Add, .. }
            | Operation::Logic { operation: LogicOperation::And | LogicOperation::Or | LogicOperation::Xor, .. }
            | Operation::MultiplyInteger(_)
            | Operation::AddFloat { .. }
            | Operation::MultiplyFloat { .. }
    )
}

/// Whether the machine has the instruction with a guard.
fn can_be_guarded(instruction: &Instruction) -> bool {
    let is_shift = matches!(instruction.operation, Operation::ShiftLeft(_) | Operation::ShiftRight(_));
    let fits = |source: &Source| match source.operand {
        Operand::Immediate(_) => is_shift,
        // The field of the guard's register names the source.
        Operand::Condition(_) => false,
        _ => true,
    };
    instruction.guard.is_none() && instruction.sources.iter().all(fits)
}
