//! Appends instructions over virtual registers to a program, with constants where the machine takes them.

use crate::asm::diagnostic::Span;
use crate::asm::ptx::ir::{
    Block, Destination, Guard, Instruction, Lifetime, Operand, Program, Slice, Source, Terminator,
};
use crate::shader::simt::{IntegerSum, IntegerType, LogicOperation, Operation, Width};

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

/// Moves a word.
pub(super) const MOVE: Operation = Operation::Move { width: Width::Word, lanes: 15, uses_sfu: false };
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
}

/// The address registers.
const ADDRESS_REGISTERS: u8 = 4;

impl Builder {
    pub(super) fn new() -> Self {
        let program = Program { blocks: Vec::new(), registers: Vec::new(), conditions: Vec::new() };
        let (addresses, next_address) = (Vec::new(), 1);
        let mut builder =
            Self { program, current: 0, span: 0..0, guard: None, first_temporary: 0, addresses, next_address };
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
        let (sources, span) = (sources.to_vec(), self.span.clone());
        let instruction =
            Instruction { operation, destination, sources, condition_write: None, guard, joins: false, span };
        let instructions = &mut self.program.blocks[self.current].instructions;
        instructions.push(instruction);
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
        let (one, other) = match (one, other) {
            (Word::Constant(_), Word::Register(_)) if is_commutative(operation) => (other, one),
            both => both,
        };
        let sources = [self.source(one), constant_or_register(other)];
        self.compute(operation, &sources)
    }

    /// Shifts by a known count or a register.
    pub(super) fn shift(&mut self, operation: Operation, value: Word, count: Word) -> Word {
        let count = match count {
            // Counts of 32 and more give the same, and the field has seven bits.
            Word::Constant(count) => Word::Constant(count.min(32)),
            register @ Word::Register(_) => register,
        };
        if count == Word::Constant(0) {
            return value;
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
        if let ([to], [Word::Register(value)]) = (to, value)
            && self.retarget(*to, *value)
        {
            return;
        }
        // All words are read before the first one is written.
        let overlaps = to.iter().enumerate().any(|(index, to)| {
            value
                .iter()
                .skip(index + 1)
                .any(|word| matches!(word, Word::Register(from) if from.register == to.register))
        });
        let value: Vec<_> = if overlaps { value.iter().map(|word| self.copy(*word)).collect() } else { value.to_vec() };
        for (to, word) in to.iter().zip(value) {
            self.write(*to, word);
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

    /// Lets the last instruction write `to` if it computes the intermediate value `value`.
    fn retarget(&mut self, to: Slice, value: Slice) -> bool {
        let guard = self.guard;
        if (value.register as usize) < self.first_temporary || self.program.registers[value.register as usize].words > 1
        {
            return false;
        }
        let Some(last) = self.program.blocks[self.current].instructions.last_mut() else { return false };
        if last.destination != Destination::Register(value) || !(last.guard == guard || can_be_guarded(last)) {
            return false;
        }
        last.destination = Destination::Register(to);
        last.guard = guard;
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
